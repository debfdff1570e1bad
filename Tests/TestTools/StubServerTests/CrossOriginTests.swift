import NIOHTTP1
import StubServer
import Testing

/// Whether pages of other sites may read the answers of stubs.
struct CrossOriginTests {
    private static let origin = "https://a.test"

    private static func access(_ answer: StubExchange.Answer) -> [String: [String]] {
        var access: [String: [String]] = [:]
        for (name, value) in answer.headers where name.hasPrefix("Access-Control-") {
            access[String(name.dropFirst("Access-Control-".count)), default: []].append(value)
        }
        return access
    }

    private static func serve(
        _ crossOrigin: StubConfiguration.CrossOrigin,
        _ body: (StubExchange) async throws -> Void
    ) async throws {
        try await StubExchange.run {
            $0.crossOrigin = crossOrigin
        } _: { exchange in
            try await exchange.add(#"{"request":{"method":"GET","url":"/a"},"response":{"body":"A"}}"#)
            try await exchange.add(
                #"{"request":{"url":"/own"},"response":{"headers":{"access-control-allow-origin":"https://b.test"}}}"#
            )
            try await body(exchange)
        }
    }

    @Test(arguments: ["/a", "/none", "/__session/s/a"])
    func pageOfAnySiteReadsAnAnswer(target: String) async throws {
        try await Self.serve(.allowed) { exchange in
            _ = try await exchange.send("POST", "/__admin/sessions", body: Array(#"{"id":"s"}"#.utf8))
            let answer = try await exchange.send("GET", target, ["Origin": Self.origin])
            #expect(Self.access(answer) == ["Allow-Origin": [Self.origin], "Allow-Credentials": ["true"]])
            #expect(answer.headers[canonicalForm: "vary"].contains("Origin"))
            let other = try await exchange.send("GET", target)
            #expect(Self.access(other).isEmpty)
        }
    }

    /// A browser asks before it sends such a request; no stub needs to answer that.
    @Test func browserMayAskFirst() async throws {
        try await Self.serve(.allowed) { exchange in
            let asked: HTTPHeaders = [
                "Origin": Self.origin, "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "content-type,x-a",
            ]
            let answer = try await exchange.send("OPTIONS", "/a", asked)
            #expect(answer.status == 200)
            #expect(
                Self.access(answer) == [
                    "Allow-Origin": [Self.origin], "Allow-Credentials": ["true"], "Max-Age": ["1800"],
                    "Allow-Methods": ["OPTIONS,GET,POST,PUT,PATCH,DELETE"], "Allow-Headers": ["content-type,x-a"],
                ]
            )
            // Another OPTIONS request is one for stubs.
            let other = try await exchange.send("OPTIONS", "/a", ["Origin": Self.origin])
            #expect(other.status == 404)
        }
    }

    @Test func headersOfTheStubWin() async throws {
        try await Self.serve(.allowed) { exchange in
            let answer = try await exchange.send("GET", "/own", ["Origin": Self.origin])
            #expect(answer.headers["access-control-allow-origin"] == ["https://b.test"])
        }
    }

    /// Without the option, and never for the admin API.
    @Test(arguments: [
        (StubConfiguration.CrossOrigin.asStubsSay, "/a", 200),
        (StubConfiguration.CrossOrigin.asStubsSay, "/__admin/mappings", 403),
        (StubConfiguration.CrossOrigin.allowed, "/__admin/mappings", 403),
    ])
    func otherAnswersAreNotForPages(
        crossOrigin: StubConfiguration.CrossOrigin,
        target: String,
        status: Int
    ) async throws {
        try await Self.serve(crossOrigin) { exchange in
            let answer = try await exchange.send("GET", target, ["Origin": Self.origin])
            #expect(answer.status == status)
            #expect(Self.access(answer).isEmpty)
        }
    }
}
