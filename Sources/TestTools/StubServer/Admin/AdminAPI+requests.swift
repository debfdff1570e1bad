import LinkRouting
import StubMatching

/// `/__admin/requests` and `/__admin/near-misses`
extension AdminAPI {
    func requests(_ call: AdminRequest) throws -> StubAnswer {
        switch (call.method, call.path.dropFirst().first, call.path.count) {
        case ("GET", nil, _): return try listRequests(call)
        case ("DELETE", nil, _), ("POST", "reset", 2):
            call.session.withState { $0.journal.removeAll() }
            return call.method == "DELETE" ? .emptyObject : .empty(200)
        case ("POST", "count", 2): return try countRequests(call)
        case ("POST", "find", 2): return try findRequests(call)
        case ("POST", "remove", 2):
            let pattern = try RequestPattern(try call.document())
            return removed(
                try call.session.withState { state in try state.journal.remove { try pattern.matches($0.request) } }
            )
        case ("POST", "remove-by-metadata", 2):
            let matcher = try ValueMatcher(try call.document())
            let now = call.request.receivedAt
            return removed(
                try call.session.withState { state in
                    try state.journal.remove { event in
                        guard let metadata = event.stub?.metadata else { return false }
                        return try matcher.matches(MatchedText(metadata.json()), at: now)
                    }
                }
            )
        case ("GET", "unmatched", 2):
            let unmatched = snapshot(call).filter { !$0.wasMatched }
            return .json(requestList(unmatched.map(\.request), call))
        case ("GET", "unmatched", 3) where call.path[2] == "near-misses": return try unmatchedNearMisses(call)
        case (_, let id?, 2): return try oneRequest(try Self.id(id), call)
        default: throw AdminFailure.notFound
        }
    }

    /// The journal, newest first.
    private func snapshot(_ call: AdminRequest) -> [ServeEvent] { call.session.withState { Array($0.journal.events) } }

    private func listRequests(_ call: AdminRequest) throws -> StubAnswer {
        var events = snapshot(call)
        if call.parameter("unmatched") == "true" { events = events.filter { !$0.wasMatched } }
        if let id = call.parameter("matchingStub") {
            let id = try Self.id(id)
            events = events.filter { $0.stub?.id == id }
        }
        let total = events.count
        if let since = call.parameter("since") {
            guard let instant = Timestamp(since) ?? CivilDay(since)?.start else {
                throw MappingError(title: "\(since) is not a valid ISO8601 date", pointer: "since", detail: nil)
            }
            events = events.filter { $0.request.receivedAt > instant }
        }
        if let limit = try call.count("limit") { events = Array(events.prefix(limit)) }
        return .json(
            .object([
                "requests": .array(events.map { $0.json(mask) }),
                "meta": .object(["total": .int(total)]),
                "requestJournalDisabled": isDisabled(call),
            ])
        )
    }

    private func oneRequest(_ id: String, _ call: AdminRequest) throws -> StubAnswer {
        switch call.method {
        case "GET":
            guard let event = call.session.withState({ $0.journal.event(id) }) else { throw AdminFailure.notFound }
            return .json(event.json(mask))
        case "DELETE":
            _ = call.session.withState { state in state.journal.remove { $0.id == id } }
            return .emptyObject
        default: throw AdminFailure.notFound
        }
    }

    private func matching(_ call: AdminRequest) throws -> [ServeEvent] {
        let pattern = try RequestPattern(try call.optionalDocument())
        return try snapshot(call).filter { try pattern.matches($0.request) }
    }

    private func isDisabled(_ call: AdminRequest) -> JSONNode {
        .bool(call.session.withState { $0.journal.isDisabled })
    }

    private func countRequests(_ call: AdminRequest) throws -> StubAnswer {
        .json(
            .object(["count": .int(try matching(call).count), "requestJournalDisabled": isDisabled(call)])
        )
    }

    /// The oldest first, unlike the list of all requests, as in WireMock.
    private func findRequests(_ call: AdminRequest) throws -> StubAnswer {
        .json(requestList(try matching(call).reversed().map(\.request), call))
    }

    private func requestList(_ requests: [StubRequest], _ call: AdminRequest) -> JSONNode {
        .object([
            "requests": .array(requests.map { $0.json(mask) }), "requestJournalDisabled": isDisabled(call),
        ])
    }

    private func removed(_ events: [ServeEvent]) -> StubAnswer {
        .json(.object(["serveEvents": .array(events.map { $0.json(mask) })]))
    }

    // MARK: Near misses

    func nearMisses(_ call: AdminRequest) throws -> StubAnswer {
        guard call.method == "POST", call.path.count == 2 else { throw AdminFailure.notFound }
        switch call.path[1] {
        case "request":
            let request = try describedRequest(try call.document(), call)
            return .json(nearMissList(try nearest(to: request, call.session.rules)))
        case "request-pattern":
            let pattern = try RequestPattern(try call.document())
            let ranked = try snapshot(call).map { ($0.request, try pattern.distance($0.request)) }
            let nearest = ranked.enumerated()
                .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
                .prefix(NearMiss.count).map(\.element)
            return .json(
                .object([
                    "nearMisses": .array(
                        nearest.map { request, distance in
                            .object([
                                "request": request.json(mask), "requestPattern": pattern.json,
                                "matchResult": .object(["distance": distanceJSON(distance)]),
                            ])
                        }
                    )
                ])
            )
        default: throw AdminFailure.notFound
        }
    }

    private func unmatchedNearMisses(_ call: AdminRequest) throws -> StubAnswer {
        let rules = call.session.rules
        let misses = try snapshot(call).filter { !$0.wasMatched }.flatMap { try nearest(to: $0.request, rules) }
        return .json(nearMissList(misses))
    }

    private func nearest(to request: StubRequest, _ rules: StubSession.Rules) throws -> [NearMiss] {
        try NearMiss.nearest(to: request, among: rules.stubs.entries.lazy.map(\.stub)) { rules.scenarios.state(of: $0) }
    }

    private func nearMissList(_ misses: [NearMiss]) -> JSONNode {
        .object([
            "nearMisses": .array(
                misses.map { miss in
                    .object([
                        "request": miss.request.json(mask),
                        "stubMapping": miss.stub.json,
                        "scenarioState": miss.scenarioState.map(JSONNode.string),
                        "matchResult": .object(["distance": distanceJSON(miss.distance)]),
                    ])
                }
            )
        ])
    }

    private func distanceJSON(_ distance: Double) -> JSONNode { JSONNode(.number("\(distance)")) }

    /// Reads a request in the form in which the admin API shows it. Only the target is required.
    private func describedRequest(_ document: MappingField, _ call: AdminRequest) throws -> StubRequest {
        let absolute = try document["absoluteUrl"]?.text()
        guard let target = try document["url"]?.text() ?? absolute.map(Self.target) else {
            throw document.error("url is missing; write the request's path and query.")
        }
        let parts = absolute.map(Self.hostAndPort)
        var headers: [HeaderField] = []
        for (name, value) in try document["headers"]?.members() ?? [] {
            let values = value.node.elements == nil ? [try value.text()] : try value.list().map { try $0.text() }
            headers += values.map { HeaderField(name, $0) }
        }
        for (name, value) in try document["cookies"]?.members() ?? [] {
            let values = value.node.elements == nil ? [try value.text()] : try value.list().map { try $0.text() }
            headers += values.map { HeaderField("Cookie", "\(name)=\($0)") }
        }
        let encoded = Base64.decode(try document["bodyAsBase64"]?.text() ?? "") ?? []
        let body = encoded.isEmpty ? Array((try document["body"]?.text() ?? "").utf8) : encoded
        let now = try document["loggedDate"]?.int(in: 0...Int.max).timestamp ?? call.request.receivedAt
        return StubRequest(
            id: environment.newID(),
            method: try document["method"]?.text() ?? "ANY",
            target: target,
            scheme: absolute?.hasPrefix("https:") == true ? "https" : "http",
            host: parts?.host ?? call.request.host,
            port: parts?.port ?? -1,
            absoluteURL: absolute,
            version: nil,
            headers: headers,
            body: body,
            clientAddress: try document["clientIp"]?.text() ?? call.request.clientAddress,
            receivedAt: now
        )
    }

    /// The path and query of a URL.
    private static func target(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private static func hostAndPort(_ url: String) -> (host: String, port: Int) {
        guard let scheme = url.firstRange(of: "://") else { return (url, -1) }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", maxSplits: 1)
        return (parts.first.map(String.init) ?? "", parts.count > 1 ? Int(parts[1]) ?? -1 : -1)
    }
}

extension Int {
    fileprivate var timestamp: Timestamp { Timestamp(milliseconds: Int64(self)) }
}
