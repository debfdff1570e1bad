import Examples
import Foundation
import LinkCatalog
import LinkRouting
import LinkTable
import NIOHTTP1
import StubLinks
import TestSupport
import Testing

/// The stub server answers every request for links with the bytes of the service, apart from ids and sealed tokens.
@Suite(.timeLimit(.minutes(15)))
struct SameAnswerTests {
    private struct Question: Sendable, CustomStringConvertible {
        var method = HTTPMethod.GET
        let path: String
        var host: String?
        var headers: [(String, String)] = []
        var body: String?
        /// What the stub server is asked for, if it is another path.
        var stubPath: String?

        func answer(
            of send: (HTTPMethod, String, String?, [(String, String)], String?) async throws -> Answer,
            path: String? = nil
        ) async throws -> Answer {
            try await send(method, path ?? self.path, host, headers, body)
        }

        var description: String { "\(method) \(path) host=\(host ?? "-") \(headers) \(body ?? "")" }
    }

    private static let phone = [
        (
            "User-Agent",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/604.1"
        ),
        ("Accept", "text/html"), ("Accept-Language", "de-DE,en;q=0.5"),
    ]

    /// Every case of the suites of the examples, resolved in its context.
    private static func suiteQuestions() throws -> [Question] {
        try Examples.suites.flatMap { _, text in
            try LinkSuite(text).cases.map { one in
                let message = JSONNode.object([
                    "url": .string(one.link), "context": one.context, "explain": .bool(true),
                ])
                return Question(method: .POST, path: "/resolve", body: message.json())
            }
        }
    }

    /// Clicks of the suites' links, with a phone and with curl.
    private static func clicks() throws -> [Question] {
        try Examples.suites.flatMap { _, text in
            try LinkSuite(text).cases.flatMap { one -> [Question] in
                guard let link = try? DeepLink.parse(one.link), link.isWeb, let host = link.host,
                    let slashes = one.link.firstRange(of: "://"), !one.link.contains("#")
                else { return [] }
                let path = one.link[slashes.upperBound...].drop { !"/?".contains($0) }
                let target = path.first == "/" ? String(path) : "/\(path)"
                // The stub server answers clicks of a website's host at a path that names the host.
                let place = "/__links/\(host)\(target)"
                return [
                    Question(path: target, host: host, headers: phone, stubPath: place),
                    Question(path: target, host: host, stubPath: place),
                    Question(method: .HEAD, path: target, host: host, stubPath: place),
                ]
            }
        }
    }

    private static let hosts = [
        "go.acme.test", "www.acme.test", "go.yourappdomain.com", "www.yourappdomain.com", "yourappdomain.com:8080",
        "nobody.test",
    ]

    private static let files = hosts.flatMap { host in
        [
            "/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/assetlinks.json",
        ].flatMap { path in
            [
                Question(path: path, host: host),
                Question(path: path, host: host, headers: [("Accept-Encoding", "gzip")]),
                Question(method: .HEAD, path: path, host: host), Question(method: .POST, path: path, host: host),
            ]
        }
    }

    private static let event = """
        {"clientEventId": "a", "occurredAt": "2026-11-21T09:59:00.000Z", "url": "acme:/item/7", "result": "shown",
         "context": {"platform": "ios"}, "revision": 1, "settingsRevision": 1, "outcome": "matched",
         "action": "open_app", "route": "item"}
        """

    private static func events(_ events: String, _ members: String = #""tenant": "acme""#) -> String {
        """
        {\(members), "app": "ios", "install": "install-42", "engineVersion": "1.0", "events": [\(events)]}
        """
    }

    private static func install(_ evidence: String) -> Question {
        let members = evidence.isEmpty ? "" : ", \(evidence)"
        let body = #"{"tenant": "acme", "app": "ios", "install": "install-42"\#(members)}"#
        return Question(method: .POST, path: "/_fp/installs", body: body)
    }

    private static let others = [
        Question(method: .POST, path: "/resolve", body: "{"),
        Question(method: .POST, path: "/resolve", body: "{}"),
        Question(method: .POST, path: "/resolve", body: #"{"url": "not a link"}"#),
        Question(method: .POST, path: "/resolve", body: #"{"url": "https://nobody.test/a"}"#),
        Question(
            method: .POST,
            path: "/resolve",
            body: #"{"url": "acme:/item/7", "extra": 1, "context": {"app": "x"}}"#
        ),
        Question(method: .POST, path: "/resolve", body: #"{"url": "acme:/nowhere", "environment": "nowhere"}"#),
        Question(method: .POST, path: "/resolve", body: #"{"links": ["acme:/item/7", {"url": "acme:/item/x"}]}"#),
        Question(
            method: .POST,
            path: "/resolve",
            body: #"{"url": "acme:/account", "context": {"authenticated": false}}"#
        ),
        Question(method: .POST, path: "/resolve", body: #"{"continuation": "AAAA"}"#),
        Question(
            method: .POST,
            path: "/resolve",
            body: #"{"url": "\#(String(repeating: "a", count: 20_000))"}"#
        ),
        Question(
            method: .POST,
            path: "/resolve",
            headers: [("Accept-Encoding", "gzip")],
            body: #"{"url": "acme:/item/7"}"#
        ),
        Question(path: "/resolve"),
        Question(path: "/resolve", headers: [("Accept", "text/html")]),
        Question(path: "//resolve"),
        Question(method: .POST, path: "/resolve", headers: [("Content-Encoding", "br")], body: "x"),
        Question(method: .POST, path: "/resolve", headers: [("Authorization", "Bearer nonsense")], body: "{}"),
        Question(method: .POST, path: "/item/7", host: "go.acme.test"),
        Question(path: "/_fp/unknown", host: "go.acme.test"),
        Question(path: "/item/7?a=b", host: "go.acme.test", headers: [("traceparent", "00-1-2-3")]),
        Question(path: "/item/7", host: "GO.Acme.test"),
        Question(path: "/item/7?", host: "go.acme.test"),
        Question(path: "/item/7", host: "go.acme.test", headers: phone),
        Question(path: "/nowhere", host: "go.acme.test", headers: phone),
        Question(path: "/_fp/table?app=ios&tenant=acme"),
        Question(path: "/_fp/table?app=ios", host: "go.acme.test", headers: [("Accept-Encoding", "gzip")]),
        Question(path: "/_fp/table?app=ios&tenant=shop"),
        Question(path: "/_fp/table?app=android&tenant=shop", headers: [("If-None-Match", "*")]),
        Question(path: "/_fp/table?app=none&tenant=acme"),
        Question(path: "/_fp/table?app=ios&tenant=none"),
        Question(path: "/_fp/table"),
        Question(path: "/_fp/table?app=ios&what=1"),
        Question(method: .POST, path: "/_fp/events", body: events(event)),
        Question(method: .POST, path: "/_fp/events", body: events(event)),
        Question(
            method: .POST,
            path: "/_fp/events",
            body: events(#"{"clientEventId": "x"}, 7, \#(event.replacing("acme:", with: "yourapp:"))"#)
        ),
        Question(method: .POST, path: "/_fp/events", body: events(event, #""tenant": "none""#)),
        Question(
            method: .POST,
            path: "/_fp/events",
            host: "go.acme.test",
            body: events(event, #""environment": "nope""#)
        ),
        Question(method: .POST, path: "/_fp/events", body: "[]"),
        install(#""link": "acme:/item/7""#), install(#""link": "acme:/item/7""#),
        install(#""link": "https://nobody.test/""#),
        install(#""token": "AAAA""#), install(""),
    ]

    @Test func stubAnswersAsTheServiceDoes() async throws {
        let key = try TablePrivateKey(seed: Array(repeating: 7, count: 32))
        let documents = [("acme.yaml", RunningStub.acme)] + Examples.tenants.map { ("\($0.name).yaml", $0.document) }
        let questions = try Self.suiteQuestions() + Self.clicks() + Self.files + Self.others
        #expect(questions.count > 150)
        try await RunningService.run(tenants: documents.map { $0.1 }, signingKey: key) { service in
            try await RunningStub.run(
                tenants: Dictionary(uniqueKeysWithValues: documents),
                configure: { links, _ in links.signingKey = key }
            ) { stub in
                for question in questions {
                    do {
                        let expected = try await question.answer(of: service.send)
                        let answer = try await question.answer(of: stub.send, path: question.stubPath)
                        #expect(answer.transcript == expected.transcript, "\(question)")
                    } catch {
                        Issue.record(error, "\(question)")
                    }
                }
            }
        }
    }
}

extension Answer {
    /// Status, headers and body without ids and sealed tokens.
    fileprivate var transcript: String {
        // The service ends a connection if it answers before the end of a body, which depends on the time.
        let others = ["x-request-id", "traceresponse", "connection"]
        let shown = headers.filter { !others.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
            .sorted()
        let text = String(validating: body, as: UTF8.self) ?? "\(body)"
        return "\(status)\n\(shown.joined(separator: "\n"))\n\n\(Self.masked(text))"
    }

    /// Replaces the values that differ in each answer.
    private static func masked(_ text: String) -> String {
        text.replacing(#/"(id|requestId|token)": ?"[^"]{20,}"/#) { "\"\($0.output.1)\":\"…\"" }
            .replacing(#/>Request [^<]*</#, with: ">Request …<")
    }
}
