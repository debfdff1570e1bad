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
        (#"{"request":{"bodyPatterns":[{"matchesXPath":"//a"}]}}"#, "/request/bodyPatterns/0"),
        (#"{"postServeActions":[]}"#, "/postServeActions"),
        (#"{"response":{"transformers":["mine"]}}"#, "/response/transformers/0"),
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
