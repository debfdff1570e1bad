import Foundation
import TestSupport
import Testing

/// Compares whole exchanges as text: status, headers and body. Ids, times and sealed tokens are masked.
/// `RECORD_TRANSCRIPTS=1 ./dev test TranscriptTests` records them again; read the diff before committing it.
@Suite(.timeLimit(.minutes(15)))
struct TranscriptTests {
    struct Exchange {
        let method: String
        let path: String
        var host = "localhost"
        var headers: [(String, String)] = []
        var body = ""
    }

    private static let iPhone = ("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)")
    private static let desktop = ("User-Agent", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)")

    private static func resolve(_ body: String, _ headers: [(String, String)] = []) -> Exchange {
        Exchange(method: "POST", path: "/resolve", headers: headers, body: body)
    }

    private static func click(_ path: String, _ agent: (String, String), method: String = "GET") -> Exchange {
        Exchange(method: method, path: path, host: "go.yourappdomain.com", headers: [agent])
    }

    static let `public`: [(name: String, exchanges: [Exchange])] = [
        (
            "resolve",
            [
                resolve(
                    #"{"url":"https://yourappdomain.com/product/123?utm_source=mail","context":{"platform":"ios"}}"#
                ),
                resolve(#"{"url":"yourapp://product/abc","explain":true}"#),
                resolve(#"{"url":"https://yourappdomain.com/user/anna","context":{"platform":"ios"}}"#),
                resolve(
                    #"{"url":"https://yourappdomain.com/product/1","context":{"platform":"ios","appVersion":"1.9"}}"#
                ),
                resolve(
                    #"{"url":"https://yourappdomain.com/product/1","context":{"platform":"ios","installed":false}}"#
                ),
                resolve(#"{"url":"https://yourappdomain.com/product/1","context":{"platform":"windows"}}"#),
                resolve(#"{"url":"https://farechoice.taxi/booking/8F3K2/delete"}"#),
                resolve(#"{"url":"https://farechoice.taxi/booking/..%2f..%2fetc"}"#),
                resolve(#"{"url":"nobody://home"}"#),
                resolve(#"{"url":"yourapp://home","colour":"red"}"#, [("X-Request-ID", "kept-1")]),
                resolve(#"{"url":"yourapp://home"}"#, [("X-Request-ID", "not kept")]),
            ]
        ),
        (
            "batch",
            [resolve(#"{"links":["yourapp://home",{"url":"deeplink://blogs/42","clientEventId":"c-1"},"acme:"]}"#)]
        ),
        (
            "association",
            ["farechoice.taxi", "medium.com", "yourappdomain.com", "app.example.com", "nobody.example"].flatMap {
                host in
                [
                    "/.well-known/apple-app-site-association", "/apple-app-site-association",
                    "/.well-known/assetlinks.json",
                ]
                .map { Exchange(method: "GET", path: $0, host: host) }
            } + [Exchange(method: "GET", path: "/.well-known/apple-app-site-association", host: "FARECHOICE.TAXI.")]
        ),
        (
            "clicks",
            [
                click("/product/123?utm_source=mail", iPhone), click("/product/123?utm_source=mail", desktop),
                click("/user/anna/delete", iPhone), click("/a/%2e%2e/b", iPhone), click("/nowhere", iPhone),
                click("/.well-known/other", iPhone), click("/_fp/x", iPhone),
                Exchange(method: "GET", path: "/product/1", host: "nobody.example"),
            ]
        ),
    ]

    @Test(arguments: `public`.map(\.name))
    func publicPortAnswersAsRecorded(name: String) async throws {
        let exchanges = try #require(Self.public.first { $0.name == name }).exchanges
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            try compare(name, try transcript(exchanges, port: server.publicPort, key: nil))
        }
    }

    /// A team's first day: a tenant, a table, a route, publishing, resolving, the list of revisions.
    @Test func adminPortAnswersAsRecorded() async throws {
        let tenant = "/admin/v1/tenants/acme"
        let exchanges = [
            Exchange(method: "PUT", path: "\(tenant)/settings", body: #"{"schemes":["acme"]}"#),
            Exchange(
                method: "PUT",
                path: "\(tenant)/settings",
                headers: [("If-Match", "\"1\"")],
                body: #"{"schemes":["acme","acme-beta"]}"#
            ),
            Exchange(
                method: "PUT",
                path: "\(tenant)/draft",
                headers: [("Content-Type", "application/yaml")],
                body: "routes:\n  - {id: home, path: /, open: {screen: Home}}\n"
            ),
            Exchange(
                method: "PUT",
                path: "\(tenant)/draft/routes/item",
                body: #"{"path":"/item/{id:int}","open":{"screen":"Item","arguments":{"id":"{id}"}}}"#
            ),
            Exchange(
                method: "PUT",
                path: "\(tenant)/draft/routes/first?before=home",
                body: #"{"path":"/first","open":{"screen":"First"}}"#
            ),
            Exchange(
                method: "PUT",
                path: "\(tenant)/draft/routes/home",
                body: #"{"path":"/","open":{"screen":"Start"}}"#
            ),
            Exchange(method: "GET", path: "\(tenant)/draft"),
            Exchange(method: "DELETE", path: "\(tenant)/draft/routes/first"),
            Exchange(
                method: "PUT",
                path: "\(tenant)/draft/routes/twin",
                body: #"{"path":"/item/{n:int}","open":{"screen":"Twin"}}"#
            ),
            Exchange(method: "POST", path: "\(tenant)/draft/check"),
            Exchange(method: "POST", path: "\(tenant)/draft/publish"),
            Exchange(method: "DELETE", path: "\(tenant)/draft/routes/twin"),
            Exchange(method: "POST", path: "\(tenant)/draft/publish", body: #"{"message":"first"}"#),
            Exchange(method: "GET", path: "\(tenant)/revisions"),
            Exchange(method: "GET", path: "\(tenant)/revisions/1/table"),
            Exchange(method: "GET", path: "/admin/v1/tenants"),
        ]
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            try compare("admin", try transcript(exchanges, port: server.adminPort, key: server.key))
            let answer = try HTTPConnection(port: server.publicPort).request(
                "POST",
                "/resolve",
                body: #"{"url":"acme://item/7"}"#
            )
            #expect(answer.text.contains(#""screen":"Item","arguments":{"id":7}"#))
        }
    }

    private func transcript(_ exchanges: [Exchange], port: UInt16, key: String?) throws -> String {
        let connection = try HTTPConnection(port: port)
        return try exchanges.map { one in
            var headers = Dictionary(one.headers) { $1 }
            if let key { headers["Authorization"] = "Bearer \(key)" }
            let answer = try connection.request(one.method, one.path, host: one.host, headers: headers, body: one.body)
            let shown = one.headers.map { "> \($0.0): \($0.1)\n" }.joined()
            let head = answer.head.split(separator: "\r\n").filter { !$0.hasPrefix("Content-Length") }.joined(
                separator: "\n"
            )
            return """
                > \(one.method) \(one.path)
                > Host: \(one.host)
                \(shown)\(one.body)

                < \(mask(head))

                \(mask(answer.text))

                """
        }.joined(separator: "\n────────\n\n")
    }

    /// Replaces everything that varies between runs by a name.
    private func mask(_ text: String) -> String {
        var text = text
        text.replace(#/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "<id>")
        text.replace(#/Date: [^\n]*/#, with: "Date: <date>")
        text.replace(#/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/#, with: "<time>")
        text.replace(#/"token":"[^"]*"/#, with: #""token":"<token>""#)
        text.replace(#/"kind":"key","id":"[^"]*"/#, with: #""kind":"key","id":"<key>""#)
        return text
    }

    private func compare(_ name: String, _ transcript: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts/\(name).http")
        guard ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] == nil else {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try transcript.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        #expect(transcript == recorded)
    }
}
