import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// The five example tenants: runs every case of their suites through the command line and over HTTP, with equal
/// answers.
@Suite(.timeLimit(.minutes(10)))
struct ScenarioTests {
    static let examples = Repository.file("config/examples")

    @Test func suitesPassOfflineAndOverHTTPWithTheSameAnswers() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let connection = try HTTPConnection(port: server.publicPort)
            var count = 0
            for tenant in ["sample", "blogs", "taxi", "shop", "magazine"] {
                let text = try String(
                    contentsOf: Self.examples.appending(path: "\(tenant).suite.yaml"),
                    encoding: .utf8
                )
                for one in try LinkSuite(text).cases {
                    let offline = try offline(one, table: Self.examples.appending(path: "\(tenant).yaml").path)
                    let request = JSONNode.object([
                        "url": .string(one.link), "context": one.context, "purpose": .string("test"),
                        "explain": .bool(true),
                    ])
                    let answer = try connection.request("POST", "/resolve", body: request.json())
                    #expect(answer.status == 200)
                    let online = try JSONReader.parse(answer.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
                    for expectation in one.expectations {
                        #expect(expectation.difference(in: online) == nil, "\(one.link) over HTTP: \(expectation.key)")
                        guard expectation.key != .continuation else { continue }
                        #expect(expectation.difference(in: offline) == nil, "\(one.link) offline: \(expectation.key)")
                    }
                    #expect(comparable(online) == comparable(offline), "\(one.link)")
                    count += 1
                }
            }
            #expect(count > 60)
        }
    }

    /// A user who must sign in returns with the continuation and reaches the link's destination.
    @Test func continuationLeadsToTheLinkAfterSigningIn() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let connection = try HTTPConnection(port: server.publicPort)
            let first = try connection.request(
                "POST",
                "/resolve",
                body: #"{"url":"https://yourappdomain.com/user/anna","context":{"platform":"ios"}}"#
            )
            let node = try JSONReader.parse(first.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            #expect(node["action"]?.text == "sign_in")
            let token = try #require(node["continuation"]?["token"]?.text)
            let second = try connection.request(
                "POST",
                "/resolve",
                body: #"{"continuation":"\#(token)","context":{"app":"ios","platform":"ios","authenticated":true}}"#
            )
            let resumed = try JSONReader.parse(second.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            #expect(resumed["action"]?.text == "open_app")
            #expect(resumed["destination"]?["screen"]?.text == "UserProfile")
            #expect(resumed["parameters"]?.json() == #"{"id":"anna"}"#)
            let other = try connection.request(
                "POST",
                "/resolve",
                body: #"{"continuation":"\#(token)","context":{"app":"another"}}"#
            )
            #expect(other.status == 400)
        }
    }

    private func offline(_ one: LinkSuite.Case, table: String) throws -> JSONNode {
        let (status, output) = try run(
            RunningServer.products.appending(path: "fingerpost").path,
            "resolve",
            one.link,
            "--table",
            table,
            "--context",
            one.context.json(),
            "--explain",
            "--json"
        )
        #expect(status == 0)
        return try JSONReader.parse(Array(output), limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }

    /// Removes the members that only a server's answer has.
    private func comparable(_ answer: JSONNode) -> JSONNode {
        JSONNode(
            .object(
                (answer.members ?? []).filter {
                    !["id", "recorded", "revision", "continuation", "warnings"].contains($0.key)
                }
            )
        )
    }
}
