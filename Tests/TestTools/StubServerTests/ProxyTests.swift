import LinkRouting
import NIOHTTP1
import StubMatching
import StubServer
import Testing

/// What a stub with `proxyBaseUrl` sends to its target, and what the journal shows of the answer.
struct ProxyTests {
    /// A target that answers everything, and a server that passes everything on to it.
    private static func serve(
        _ response: String,
        _ body: (_ exchange: StubExchange, _ target: StubExchange) async throws -> Void
    ) async throws {
        try await StubExchange.run { target in
            try await target.add(#"{"request":{"method":"ANY"},"response":{"body":"TARGET"}}"#)
            let url = target.server.url
            try await StubExchange.run { exchange in
                try await exchange.add(
                    #"{"request":{"method":"ANY"},"response":{"proxyBaseUrl":"\#(url)"\#(response)}}"#
                )
                try await body(exchange, target)
            }
        }
    }

    private static func received(_ target: StubExchange) async throws -> JSONNode? {
        try await target.send("GET", "/__admin/requests").json?["requests"]?.elements?.first?["request"]
    }

    @Test(arguments: [
        (#","transformers":["response-template"]"#, "7 POST"), ("", "{{request.query.q}} {{request.method}}"),
    ])
    func addedHeadersAreTemplates(transformers: String, sent: String) async throws {
        let added = #","additionalProxyRequestHeaders":{"X-Q":"{{request.query.q}} {{request.method}}"}"#
        try await Self.serve(added + transformers) { exchange, target in
            let answer = try await exchange.send("POST", "/a?q=7", body: Array("a".utf8))
            #expect(answer.text == "TARGET")
            let request = try await Self.received(target)
            #expect(request?["headers"]?["X-Q"]?.text == sent)
        }
    }

    @Test func templateThatMakesALineBreakIsNotSent() async throws {
        let added =
            #","additionalProxyRequestHeaders":{"X-Q":"{{request.query.q}}"},"transformers":["response-template"]"#
        try await Self.serve(added) { exchange, target in
            let answer = try await exchange.send("GET", "/a?q=1%0D%0AX-R:2")
            #expect(answer.status == 500)
            #expect(answer.text.contains("the template of header X-Q makes a line break"), "\(answer.text)")
            let request = try await Self.received(target)
            #expect(request == nil)
        }
    }

    @Test(arguments: ["POST", "PATCH"])
    func bodyWithoutATypeGetsNone(method: String) async throws {
        try await Self.serve("") { exchange, target in
            _ = try await exchange.send(method, "/a", body: Array("a".utf8))
            let request = try await Self.received(target)
            #expect(request?["body"]?.text == "a")
            #expect(request?["headers"]?["Content-Type"] == nil)
        }
    }

    /// `HEAD` gets the length that `GET` would get.
    @Test(arguments: ["GET", "HEAD"])
    func lengthOfTheTargetIsKept(method: String) async throws {
        try await Self.serve("") { exchange, _ in
            let answer = try await exchange.send(method, "/a")
            #expect(answer.headers["content-length"] == ["6"])
            let journal = try await exchange.send("GET", "/__admin/requests").json
            let logged = journal?["requests"]?.elements?.first?["response"]
            #expect(logged?["headers"]?["Content-Length"]?.text == "6")
        }
    }
}
