import Foundation
import LinkRouting
import StubMatching

/// The admin API under `/__admin`: the endpoints of WireMock, and the additional endpoints of Fingerpost.
struct AdminAPI: Sendable {
    let configuration: StubConfiguration
    let folder: StubFolder?
    let sessions: StubSessions
    /// The URL of the server without a path.
    let url: @Sendable () -> String
    let shutDown: @Sendable () -> Void

    var environment: StubEnvironment { configuration.environment }
    var mask: SecretMask { configuration.mask }

    /// - Parameter target: A path, with or without a query.
    static func isAdmin(_ target: String) -> Bool {
        target == "/__admin" || ["/__admin/", "/__admin?"].contains { target.utf8.starts(with: $0.utf8) }
    }

    func answer(_ call: AdminRequest) -> StubAnswer {
        do {
            return try route(call)
        } catch let failure as AdminFailure {
            return failure.error.map { .json($0.json, status: failure.status) } ?? .empty(failure.status)
        } catch let error as MappingError {
            return .json(
                error.json,
                status: error.pointer == "since" || error.pointer == "limit" || error.pointer == "offset" ? 400 : 422
            )
        } catch {
            return .json(MappingError(code: 50, title: "\(error)", pointer: nil, detail: nil).json, status: 500)
        }
    }

    private func route(_ call: AdminRequest) throws -> StubAnswer {
        switch call.path.first {
        case nil where call.method == "GET": return overview(call)
        case "mappings": return try mappings(call)
        case "requests": return try requests(call)
        case "near-misses": return try nearMisses(call)
        case "scenarios": return try scenarios(call)
        case "settings": return try settings(call)
        case "recordings": return try recordings(call)
        case "files": return try files(call)
        case "sessions":
            guard call.session.id == nil else {
                throw AdminFailure(403, "a session cannot see or change sessions; ask the server itself")
            }
            return try sessionCalls(call)
        case "report": return try report(call)
        case "links": return try links(call)
        default: return try other(call)
        }
    }

    private func other(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path) {
        case ("POST", ["reset"]):
            try resetMappings(call.session)
            call.session.withState { state in
                state.failures = []
                state.unmatchedCount = 0
                state.uses = [:]
                state.links = LinkUses()
            }
            call.session.endpoints?.reset()
            return .empty(200)
        case ("POST", ["shutdown"]):
            guard call.session.id == nil else {
                throw AdminFailure(403, "a session cannot stop the server; delete the session instead")
            }
            var answer = StubAnswer.empty(200)
            answer.afterwards = shutDown
            return answer
        case ("GET", ["health"]): return .json(.object(["status": .string("healthy")]))
        default: throw Self.unknown(call)
        }
    }

    private static let names = [
        "mappings", "requests", "near-misses", "scenarios", "settings", "recordings", "files", "sessions", "report",
        "links", "reset", "shutdown", "health",
    ]

    private static func unknown(_ call: AdminRequest) -> AdminFailure {
        let misspelt = call.path.first.flatMap { names.contains($0) ? nil : $0 }
        let hint = misspelt?.nearest(among: names).map { "; did you mean /__admin/\($0)?" } ?? ""
        return AdminFailure(404, code: 404, "there is no \(call.method) \(call.request.path.prefix(100))\(hint)")
    }

    /// Returns an overview of the server and of the session.
    private func overview(_ call: AdminRequest) -> StubAnswer {
        let rules = call.session.rules
        return .json(
            .object([
                "server": .string("fingerpost stub"),
                "compatibleWith": .string("WireMock 2.35.1"),
                "stubs": .int(rules.stubs.entries.count),
                "session": call.session.id.map(JSONNode.string),
                "unmatched": .string(rules.unmatched.rawValue),
            ])
        )
    }

    // MARK: Scenarios and settings

    private func scenarios(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path.count) {
        case ("GET", 1):
            let rules = call.session.rules
            return .json(rules.scenarios.json(stubs: rules.stubs.entries))
        case ("POST", 2) where call.path[1] == "reset":
            call.session.withState { $0.rules.scenarios.reset() }
            return .emptyObject
        case ("PUT", 3) where call.path[2] == "state":
            try setState(of: call.path[1], call)
            return .emptyObject
        default: throw AdminFailure.notFound
        }
    }

    private func setState(of name: String, _ call: AdminRequest) throws {
        let document = try call.optionalDocument()
        try document.requireKeys(["state"])
        let stated = try document["state"]?.text()
        try call.session.withState { state in
            guard state.rules.scenarios.state(of: name) != nil else {
                throw AdminFailure(404, code: 404, "Scenario \(name) does not exist")
            }
            guard let stated else {
                // Without a state the scenario starts again.
                return state.rules.scenarios.set(name, to: Scenarios.started)
            }
            let possible = Scenarios.possibleStates(of: name, in: state.rules.stubs.entries)
            guard possible.contains(stated) else {
                throw AdminFailure(
                    status: 422,
                    error: MappingError(
                        code: MappingError.unknownScenarioState,
                        title: "Scenario \(name) does not support state \(stated)",
                        pointer: "/state",
                        detail: nil
                    )
                )
            }
            state.rules.scenarios.set(name, to: stated)
        }
    }

    private func settings(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path) {
        case ("GET", ["settings"]):
            return .json(.object(["settings": call.session.rules.settings.json]))
        case ("POST", ["settings"]), ("PUT", ["settings"]):
            let settings = try StubSettings(try call.document())
            call.session.withState { $0.rules.settings = settings }
            return .empty(200)
        case ("PATCH", ["settings", "extended"]):
            let document = try call.document()
            try document.requireKeys(["extended"])
            let members = try document["extended"]?.members() ?? []
            call.session.withState { $0.rules.settings.extend(members.map { JSONNode.Member($0.key, $0.value.node) }) }
            return .emptyObject
        default: throw AdminFailure.notFound
        }
    }

    // MARK: Files

    private func files(_ call: AdminRequest) throws -> StubAnswer {
        let name = call.path.dropFirst().joined(separator: "/")
        switch call.method {
        case "GET" where name.isEmpty:
            return .json(.array((folder?.bodyFiles() ?? []).map(JSONNode.string)))
        case "GET":
            guard let bytes = folder?.content(of: name) else { throw AdminFailure.notFound }
            return StubAnswer(status: 200, headers: [HeaderField("Content-Type", contentType(of: name))], body: bytes)
        case "PUT" where !name.isEmpty:
            guard let folder else { throw AdminFailure(409, "the server has no folder; start it with one") }
            do {
                guard try folder.write(call.request.body, toBodyFile: name) else {
                    throw AdminFailure(422, "'\(name)' is not a name in __files", pointer: "/")
                }
            } catch let error as CocoaError {
                throw AdminFailure(422, "'\(name)' cannot be written: \(error.localizedDescription)", pointer: "/")
            }
            return .empty(200)
        case "DELETE" where !name.isEmpty:
            guard folder?.removeBodyFile(name) == true else { throw AdminFailure.notFound }
            return .empty(200)
        default: throw AdminFailure.notFound
        }
    }
}
