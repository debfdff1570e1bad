import LinkRouting
import TestSupport

/// Random steps in one session, and a small model that says what the server must answer.
struct SessionHistory {
    let session: String
    private var stubs: [Stub] = []
    private var isOn = false
    /// The paths of all requests since the last reset.
    private var requested: [String] = []
    private var unmatchedCount = 0
    private var owner = "none"
    private var stubNumber = 0

    private struct Stub {
        let id: String
        let path: String
        let priority: Int
        let body: String
    }

    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private static let paths = ["/a", "/b", "/c"]

    init(_ session: String) { self.session = session }

    /// Creates the session; half of them copy the stubs of the server, which has one for `/main`.
    mutating func create(_ client: StubClient, _ generator: inout SeededGenerator) throws {
        let copies = Bool.random(using: &generator)
        let answer = try client.admin(
            "POST",
            "sessions",
            .object(["id": .string(session), "stubs": .string(copies ? "copy" : "none")])
        )
        try check(
            answer["stubs"]?.int == (copies ? 1 : 0),
            "the new session has \(answer["stubs"]?.json() ?? "no") stubs"
        )
        if copies { stubs = [Stub(id: "", path: "/main", priority: 5, body: "main")] }
        // One scenario, with the same name and the same paths in every session.
        for (state, next, body) in [("Started", "on", "off"), ("on", "Started", "on")] {
            try client.admin(
                "POST",
                "mappings",
                session: session,
                .object([
                    "scenarioName": .string("switch"), "requiredScenarioState": .string(state),
                    "newScenarioState": .string(next), "request": .object(["urlPath": .string("/switch")]),
                    "response": .object(["body": .string("\(session) \(body)")]),
                ])
            )
        }
    }

    mutating func step(_ client: StubClient, _ generator: inout SeededGenerator) throws {
        let selection: StubClient.Selection = Bool.random(using: &generator) ? .prefix : .header
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...2: try add(client, selection, &generator)
        case 3...5: try ask(Self.paths.randomElement(using: &generator) ?? "/a", client, selection)
        case 6: try ask("/main", client, selection)
        case 7: try turnSwitch(client, selection)
        case 8: try remove(client, selection, &generator)
        case 9: try count(client, selection, &generator)
        case 10: try set(client, selection)
        default: try compareReport(client, selection)
        }
    }

    func delete(_ client: StubClient) throws {
        try client.admin("DELETE", "sessions/\(session)")
        for selection in StubClient.Selection.allCases {
            let status = try client.request("GET", "/a", session: session, by: selection).status
            try check(status == 404, "a deleted session answers \(status)")
        }
    }

    private mutating func add(
        _ client: StubClient,
        _ selection: StubClient.Selection,
        _ generator: inout SeededGenerator
    ) throws {
        stubNumber += 1
        let path = Self.paths.randomElement(using: &generator) ?? "/a"
        let priority = Int.random(in: 4...6, using: &generator)
        let body = "\(session) \(stubNumber)"
        let answer = try client.admin(
            "POST",
            "mappings",
            session: session,
            by: selection,
            .object([
                "priority": .int(priority), "request": .object(["method": .string("GET"), "urlPath": .string(path)]),
                "response": .object(["body": .string(body)]),
            ])
        )
        stubs.append(Stub(id: answer["id"]?.text ?? "", path: path, priority: priority, body: body))
    }

    /// The lowest priority answers, and among equals the newest.
    private mutating func ask(_ path: String, _ client: StubClient, _ selection: StubClient.Selection) throws {
        let expected = stubs.last { stub in
            stub.path == path && !stubs.contains { $0.path == path && $0.priority < stub.priority }
        }
        let answer = try client.request("GET", path, session: session, by: selection)
        requested.append(path)
        if expected == nil { unmatchedCount += 1 }
        try check(
            answer.status == (expected == nil ? 404 : 200) && (expected.map { $0.body == answer.text } ?? true),
            "GET \(path): \(answer.status) '\(answer.text)' instead of '\(expected?.body ?? "404")'"
        )
    }

    private mutating func turnSwitch(_ client: StubClient, _ selection: StubClient.Selection) throws {
        let answer = try client.request("GET", "/switch", session: session, by: selection)
        requested.append("/switch")
        try check(answer.text == "\(session) \(isOn ? "on" : "off")", "GET /switch: '\(answer.text)' while on: \(isOn)")
        isOn.toggle()
    }

    private mutating func remove(
        _ client: StubClient,
        _ selection: StubClient.Selection,
        _ generator: inout SeededGenerator
    ) throws {
        guard let index = stubs.indices.randomElement(using: &generator), !stubs[index].id.isEmpty else { return }
        try client.admin("DELETE", "mappings/\(stubs[index].id)", session: session, by: selection)
        stubs.remove(at: index)
    }

    private func count(
        _ client: StubClient,
        _ selection: StubClient.Selection,
        _ generator: inout SeededGenerator
    ) throws {
        let path = (Self.paths + ["/switch"]).randomElement(using: &generator) ?? "/a"
        let pattern = JSONNode.object(["url": .string(path)])
        let answer = try client.admin("POST", "requests/count", session: session, by: selection, pattern)
        let expected = requested.count { $0 == path }
        try check(answer["count"]?.int == Int64(expected), "the journal counts \(answer.json()) instead of \(expected)")
    }

    private mutating func set(_ client: StubClient, _ selection: StubClient.Selection) throws {
        let shown = try client.admin("GET", "settings", session: session, by: selection)
        let found = shown["settings"]?["extended"]?["owner"]?.text ?? "none"
        try check(found == owner, "the settings are those of \(found) instead of \(owner)")
        owner = session
        try client.admin(
            "POST",
            "settings",
            session: session,
            by: selection,
            .object(["extended": .object(["owner": .string(session)])])
        )
    }

    private mutating func compareReport(_ client: StubClient, _ selection: StubClient.Selection) throws {
        let report = try client.admin("GET", "report", session: session, by: selection)["sessions"]?.elements ?? []
        try check(report.count == 1 && report[0]["session"]?.text == session, "the report shows other sessions")
        let found = report[0]["unmatchedCount"]?.int
        try check(
            found == Int64(unmatchedCount),
            "the report has \(found ?? -1) unmatched requests, not \(unmatchedCount)"
        )
    }

    private func check(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        guard holds else { throw Difference(description: "session \(session): \(description())") }
    }
}
