import LinkRouting
import StubMatching

/// `/__admin/sessions` and `/__admin/report`, which WireMock does not have.
extension AdminAPI {
    func sessionCalls(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path.count) {
        case ("POST", 1): return try addSession(call)
        case ("GET", 1): return .json(.object(["sessions": .array(sessions.all.map(sessionJSON))]))
        case ("GET", 2):
            guard let session = sessions.find(call.path[1]) else { throw Self.noSession(call.path[1]) }
            return .json(sessionJSON(session))
        case ("DELETE", 2):
            guard sessions.remove(call.path[1]) else { throw Self.noSession(call.path[1]) }
            return .emptyObject
        default: throw AdminFailure.notFound
        }
    }

    private static func noSession(_ id: String) -> AdminFailure {
        AdminFailure(404, code: 404, "there is no session '\(id.prefix(100))'; GET /__admin/sessions lists them")
    }

    /// Adds a session with the stubs of the server, or without any.
    private func addSession(_ call: AdminRequest) throws -> StubAnswer {
        let document = try call.optionalDocument()
        try document.requireKeys(["id", "name", "strict", "stubs", "links"])
        let id = try document["id"]?.text() ?? environment.newID()
        // Clients remove the segments '.' and '..' from a URL.
        guard !["", ".", ".."].contains(id), id.utf8.count <= 100, id.utf8.allSatisfy(Self.isSessionIDByte) else {
            throw MappingError(
                pointer: "/id",
                detail: "an id has 1 to 100 letters, digits, '.', '_' and '-', and is neither '.' nor '..'."
            )
        }
        let isStrict = try document["strict"]?.bool() ?? (configuration.unmatched == .strict)
        var stubs = StubStore()
        switch try document["stubs"]?.text() ?? "copy" {
        case "copy": stubs = sessions.main.rules.stubs
        case "none": break
        default: throw MappingError(pointer: "/stubs", detail: "write copy or none.")
        }
        let session = StubSession(
            id: id,
            name: try document["name"]?.text(),
            stubs: stubs,
            journal: Journal(maximumCount: configuration.journalCount, budget: sessions.journalBudget),
            unmatched: isStrict ? .strict : .allowed,
            endpoints: try endpoints(of: id, document["links"])
        )
        guard sessions.add(session, id) else {
            throw AdminFailure(
                409,
                sessions.find(id) == nil
                    ? "there are \(configuration.limits.sessions) sessions; delete some" : "the session '\(id)' exists"
            )
        }
        return .json(sessionJSON(session), status: 201)
    }

    private func endpoints(of id: String, _ settings: MappingField?) throws -> (any SessionEndpoints)? {
        guard let endpoints = configuration.endpoints else {
            if let settings { throw settings.error("the server has no tenant files; start it with --tenant FILE.") }
            return nil
        }
        return try endpoints.endpoints(of: id, settings: settings)
    }

    private static func isSessionIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private func sessionJSON(_ session: StubSession) -> JSONNode {
        let id = session.id ?? ""
        let base = "\(url())\(StubSessions.prefix)\(id)"
        let rules = session.rules
        return .object([
            "id": .string(id),
            "name": session.name.map(JSONNode.string),
            "url": .string(base),
            "admin": .string("\(base)/__admin"),
            "header": .string("\(StubSessions.header): \(id)"),
            "strict": .bool(rules.unmatched == .strict),
            "stubs": .int(rules.stubs.entries.count),
        ])
    }

    /// The report of a session, or of the server and all its sessions.
    func report(_ call: AdminRequest) throws -> StubAnswer {
        guard call.method == "GET", call.path.count == 1 else { throw AdminFailure.notFound }
        let reported = call.session.id == nil ? [call.session] + sessions.all : [call.session]
        let reports = reported.map(SessionReport.init)
        switch call.parameter("format") ?? "json" {
        case "json": return .json(.object(["sessions": .array(reports.map(\.json))]))
        case "junit":
            return StubAnswer(
                status: 200,
                headers: [HeaderField("Content-Type", "application/xml")],
                body: Array(SessionReport.junit(reports).utf8)
            )
        default: throw MappingError(pointer: "format", detail: "write json or junit.")
        }
    }
}
