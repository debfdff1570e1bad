import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// Without `If-Match` no request fails because of concurrent editors, and no change is lost.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConcurrentEditorsTests {
    private static let settings = #"{"domains":["go.team.test"],"schemes":["team"]}"#
    private static let editors = 8
    private static let rounds = 6

    /// The tenant `team` of a running server. Each request uses its own connection.
    private struct Team: Sendable {
        let server: RunningServer
        let key: String
        private let refusals = Refusals()

        private final class Refusals: Sendable {
            let texts = Mutex<[String]>([])
        }

        init(server: RunningServer) throws {
            self.server = server
            key = try #require(server.key)
        }

        /// The refused requests.
        var refused: [String] { refusals.texts.withLock(\.self) }

        func send(_ method: String, _ path: String, _ body: String = "") throws -> HTTPConnection.Response {
            let headers = ["Authorization": "Bearer \(key)"]
            return try HTTPConnection(port: server.adminPort)
                .request(method, "/admin/v1/tenants/team/\(path)", headers: headers, body: body)
        }

        func succeed(_ method: String, _ path: String, _ body: String = "") {
            do {
                let answer = try send(method, path, body)
                guard !(200..<300).contains(answer.status) else { return }
                refusals.texts.withLock { $0.append("\(method) \(path): \(answer.text)") }
            } catch {
                refusals.texts.withLock { $0.append("\(method) \(path): \(error)") }
            }
        }

        func routes(_ path: String) throws -> Set<String> {
            Set((try send("GET", path).json()["routes"]?.elements ?? []).compactMap { $0["id"]?.text })
        }
    }

    private func withTeam(_ body: (Team) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let team = try Team(server: server)
            team.succeed("PUT", "settings", Self.settings)
            try await body(team)
        }
    }

    @Test func eightEditorsPublishADraftEach() async throws {
        try await withTeam { team in
            // The first drafts are created while nothing is live.
            await onThreads(Self.editors + 2) { editor in
                for round in 0..<Self.rounds {
                    switch editor {
                    case Self.editors: team.succeed("PUT", "settings", Self.settings)
                    case Self.editors + 1:
                        let suite =
                            #"{"formatVersion":1,"cases":[{"link":"team://none","expect":{"outcome":"unmatched"}}]}"#
                        team.succeed("PUT", "suites/s\(round)", suite)
                    default:
                        let route = #"{"path":"/e\#(editor)/r\#(round)"}"#
                        team.succeed("PUT", "draft/routes/e\(editor)-r\(round)?draft=e\(editor)", route)
                        team.succeed("POST", "draft/publish?draft=e\(editor)")
                    }
                }
            }
            #expect(team.refused.isEmpty, "\(team.refused.count): \(team.refused.prefix(3))")
            let all = (0..<Self.editors).flatMap { editor in (0..<Self.rounds).map { "e\(editor)-r\($0)" } }
            let found = try team.routes("table")
            #expect(found == Set(all))
            let drafts = try team.send("GET", "drafts").json()
            #expect(drafts["drafts"]?.elements?.isEmpty == true)
        }
    }

    @Test func eightEditorsWriteOneDraft() async throws {
        try await withTeam { team in
            await onThreads(Self.editors) { editor in
                let lines = (0..<3).map { #"{"id":"e\#(editor)-l\#($0)","path":"/e\#(editor)/l\#($0)"}"# }
                team.succeed("POST", "draft/routes", lines.joined(separator: "\n"))
                for round in 0..<Self.rounds {
                    let route = #"{"path":"/e\#(editor)/r\#(round)"}"#
                    team.succeed("PUT", "draft/routes/e\(editor)-r\(round)", route)
                }
                team.succeed("DELETE", "draft/routes/e\(editor)-l0")
            }
            #expect(team.refused.isEmpty, "\(team.refused.count): \(team.refused.prefix(3))")
            let all = (0..<Self.editors).flatMap { editor in
                ["e\(editor)-l1", "e\(editor)-l2"] + (0..<Self.rounds).map { "e\(editor)-r\($0)" }
            }
            let found = try team.routes("draft")
            #expect(found == Set(all))
        }
    }

    /// Each round creates a new draft while others publish, so its base changes.
    @Test func draftIsStartedWhileOthersPublish() async throws {
        try await withTeam { team in
            await onThreads(4) { editor in
                for round in 0..<12 {
                    if editor < 2 {
                        team.succeed(
                            "PUT",
                            "draft/routes/p\(editor)?draft=p\(editor)",
                            #"{"path":"/p\#(editor)/\#(round)"}"#
                        )
                        team.succeed("POST", "draft/publish?draft=p\(editor)")
                    } else {
                        let draft = "new-\(editor)-\(round)"
                        team.succeed("PUT", "draft/routes/n?draft=\(draft)", #"{"path":"/n"}"#)
                        team.succeed("DELETE", "draft/routes/n?draft=\(draft)")
                        team.succeed("DELETE", "draft?draft=\(draft)")
                    }
                }
            }
            #expect(team.refused.isEmpty, "\(team.refused.count): \(team.refused.prefix(3))")
            let found = try team.routes("table")
            #expect(found == ["p0", "p1"])
        }
    }
}
