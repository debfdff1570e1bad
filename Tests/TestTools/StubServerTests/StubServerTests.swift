import LinkRouting
import StubMatching
import Testing

/// What decides whether a mapping matches, without a server.
struct RequestPatternTests {
    @Test(arguments: [
        (#"{"url":"/a"}"#, "/a", true),
        (#"{"url":"/a"}"#, "/a?x=1", false),
        (#"{"urlPath":"/a"}"#, "/a?x=1", true),
        (#"{"urlPattern":"/a/[0-9]+"}"#, "/a/12", true),
        (#"{"urlPathTemplate":"/a/{id}/**"}"#, "/a/1/b/c", true),
        (#"{"urlPathTemplate":"/a/{id}"}"#, "/a/1/b", false),
        (#"{"urlPath":"/a","queryParameters":{"x":{"equalTo":"a b"}}}"#, "/a?x=a+b", true),
        (#"{"urlPath":"/a","queryParameters":{"x":{"hasExactly":[{"equalTo":"1"}]}}}"#, "/a?x=1&x=2", false),
    ])
    func targetDecides(mapping: String, target: String, isMatch: Bool) throws {
        let node = try JSONReader.parse(mapping, limits: .stubs)
        let pattern = try RequestPattern(MappingField(node))
        let request = StubRequest(
            id: "1",
            method: "GET",
            target: target,
            host: "127.0.0.1",
            port: 80,
            headers: [],
            body: [],
            clientAddress: "127.0.0.1",
            receivedAt: Timestamp(milliseconds: 0)
        )
        #expect(try pattern.matches(request) == isMatch)
    }

    /// A body is read in the character set that its content type names.
    @Test(
        arguments: [
            ("text/plain; charset=iso-8859-1", [0xE9], true), ("text/plain; charset=\"ISO-8859-1\"", [0xE9], true),
            ("text/plain;charset=latin1; a=b", [0xE9], true), ("text/plain; charset=us-ascii", [0xE9], false),
            ("text/plain", [0xE9], false), ("text/plain; charset=utf-8", [0xC3, 0xA9], true), ("", [0xC3, 0xA9], true),
            ("text/plain; charset=iso-8859-1", [0xC3, 0xA9], false),
        ] as [(String, [UInt8], Bool)]
    )
    func bodyHasACharacterSet(type: String, body: [UInt8], isMatch: Bool) throws {
        let mapping = try JSONReader.parse(#"{"bodyPatterns":[{"equalTo":"é"}]}"#, limits: .stubs)
        let request = StubRequest(
            id: "1",
            method: "POST",
            target: "/a",
            host: "127.0.0.1",
            port: 80,
            headers: [HeaderField("Content-Type", type)],
            body: body,
            clientAddress: "127.0.0.1",
            receivedAt: Timestamp(milliseconds: 0)
        )
        #expect(try RequestPattern(MappingField(mapping)).matches(request) == isMatch)
        #expect((request.json(.off)["body"]?.text == "é") == isMatch)
    }

    /// `and` and `or` take one operand.
    @Test(arguments: [
        (#"{"and":[{"equalTo":"1"}]}"#, "1", true), (#"{"and":[{"equalTo":"1"}]}"#, "2", false),
        (#"{"or":[{"contains":"1"}]}"#, "12", true), (#"{"or":[{"contains":"1"}]}"#, "2", false),
    ])
    func oneOperandIsEnough(matcher: String, value: String, isMatch: Bool) throws {
        let node = try JSONReader.parse(matcher, limits: .stubs)
        let matcher = try ValueMatcher(MappingField(node))
        #expect(try matcher.matches(MatchedText(value), at: Timestamp(milliseconds: 0)) == isMatch)
    }

    /// The time of a request's header may be any number.
    @Test(arguments: ["unix", "epoch"], [Int64.min, Int64.min + 1, -1, 0, Int64.max])
    func timeOfARequestMayBeAnyNumber(format: String, number: Int64) throws {
        let mapping =
            #"{"urlPath":"/a","headers":{"D":{"before":"2020-01-01T00:00:00Z","actualFormat":"\#(format)"}}}"#
        let pattern = try RequestPattern(MappingField(try JSONReader.parse(mapping, limits: .stubs)))
        let request = StubRequest(
            id: "1",
            method: "GET",
            target: "/a",
            host: "127.0.0.1",
            port: 80,
            headers: [HeaderField("D", "\(number)")],
            body: [],
            clientAddress: "127.0.0.1",
            receivedAt: Timestamp(milliseconds: 0)
        )
        #expect(try pattern.matches(request) == (-1...0).contains(number))
    }

    @Test func catastrophicPatternIsStopped() throws {
        let node = try JSONReader.parse(#"{"urlPathPattern":"/(a+)+b"}"#, limits: .stubs)
        let pattern = try RequestPattern(MappingField(node))
        let request = StubRequest(
            id: "1",
            method: "GET",
            target: "/" + String(repeating: "a", count: 100),
            host: "127.0.0.1",
            port: 80,
            headers: [],
            body: [],
            clientAddress: "127.0.0.1",
            receivedAt: Timestamp(milliseconds: 0)
        )
        #expect(throws: RegularExpression.StepLimitExceeded.self) { try pattern.matches(request) }
    }

    @Test(arguments: [
        (#"{"request":{"nope":1}}"#, "/request/nope"),
        (#"{"request":{"headers":{"A":{"and":[]}}}}"#, "/request/headers/A"),
        (
            #"{"response":{"proxyBaseUrl":"http://a","transformers":["response-template"],"#
                + #""additionalProxyRequestHeaders":{"A":"{{#if}}"}}}"#,
            "/response/additionalProxyRequestHeaders/A"
        ),
        (#"{"request":{"bodyPatterns":[{"matchesXPath":"//a"}]}}"#, "/request/bodyPatterns/0"),
        (#"{"postServeActions":[]}"#, "/postServeActions"),
        (#"{"response":{"transformers":["mine"]}}"#, "/response/transformers/0"),
        (#"{"response":{"statusMessage":"OK\r\nSet-Cookie: a"}}"#, "/response/statusMessage"),
        (#"{"response":{"proxyBaseUrl":""}}"#, "/response/proxyBaseUrl"),
        (#"{"response":{"proxyBaseUrl":"ftp://a"}}"#, "/response/proxyBaseUrl"),
        (#"{"response":{"proxyBaseUrl":"http://"}}"#, "/response/proxyBaseUrl"),
        (#"{"response":{"proxyBaseUrl":"http://:80/a"}}"#, "/response/proxyBaseUrl"),
        (#"{"response":{"proxyBaseUrl":"http://127.0.0.1:99999"}}"#, "/response/proxyBaseUrl"),
        (#"{"response":{"proxyBaseUrl":"http://u:p@a:0"}}"#, "/response/proxyBaseUrl"),
    ])
    func mappingIsRejectedAtItsPointer(mapping: String, pointer: String) throws {
        let node = try JSONReader.parse(mapping, limits: .stubs)
        let error = #expect(throws: MappingError.self) {
            try StubMapping(MappingField(node), templating: .perStub) { "0f1e2d3c-0000-4000-8000-000000000001" }
        }
        #expect(error?.pointer == pointer)
        #expect(error?.code == 10)
    }
}
