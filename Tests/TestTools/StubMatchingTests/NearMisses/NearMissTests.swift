import LinkRouting
import StubMatching
import Testing

struct NearMissTests {
    private static func stub(_ json: String) throws -> StubMapping {
        let node = try JSONReader.parse(json, limits: .stubs)
        return try StubMapping(MappingField(node), templating: .off) { "0f1e2d3c-0000-4000-8000-000000000001" }
    }

    private static func request(_ method: String, _ target: String, body: String = "") -> StubRequest {
        StubRequest(
            id: "1",
            method: method,
            target: target,
            host: "127.0.0.1",
            port: 80,
            headers: [],
            body: Array(body.utf8),
            clientAddress: "127.0.0.1",
            receivedAt: Timestamp(milliseconds: 0)
        )
    }

    /// Of many stubs with long bodies, few are compared in every respect.
    @Test func nearestOfTenThousandStubsIsFound() throws {
        let body = String(repeating: "ab", count: 1_000)
        let far = try (0..<10_000).map { number in
            try Self.stub(
                #"{"request":{"method":"POST","urlPath":"/other/\#(number)","bodyPatterns":[{"equalTo":"\#(body)"}]}}"#
            )
        }
        let near = try Self.stub(#"{"name":"near","request":{"method":"POST","urlPath":"/item/1"}}"#)
        let request = Self.request("POST", "/item/2", body: String(body.reversed()))
        let found = try NearMiss.nearest(to: request, among: far + [near]) { _ in nil }
        #expect(found.count == NearMiss.count)
        #expect(found.first?.stub.name == "near")
    }

    @Test func equallyCloseStubsStayInTheirOrder() throws {
        let stubs = try (0..<3).map { try Self.stub(#"{"name":"\#($0)","request":{"urlPath":"/a"}}"#) }
        let found = try NearMiss.nearest(to: Self.request("GET", "/b"), among: stubs) { _ in nil }
        #expect(found.map(\.stub.name) == ["0", "1", "2"])
    }

    /// The text of the answer to a request that no stub matches: one line for each part that differs.
    @Test(arguments: [
        (#"{"method":"PUT","url":"/a"}"#, ["method: expected PUT, got POST", "URL: expected /a, got /b?q=1"]),
        (#"{"urlPath":"/b","queryParameters":{"q":{"equalTo":"2"}}}"#, ["query q: expected 2, got 1"]),
        (
            #"{"urlPath":"/b","headers":{"Accept":{"contains":"x"}}}"#,
            ["header Accept: expected contains x, got nothing"]
        ),
        (#"{"urlPath":"/b","queryParameters":{"q":{"absent":true}}}"#, ["query q: expected nothing, got 1"]),
        (
            #"{"urlPath":"/b","bodyPatterns":[{"equalToJson":{"a":2}},{"contains":"b"}]}"#,
            [#"body: expected {"a":2}, got {   "a": 3, "b":1, "o":{"y":1.50}}"#]
        ),
        (
            #"{"urlPath":"/b","bodyPatterns":[{"matchesJsonPath":{"expression":"$.o","contains":"x"}}]}"#,
            [#"body: expected $.o contains x, got {"y":1.5}"#]
        ),
        (
            #"{"urlPath":"/b","multipartPatterns":[{"name":"file","bodyPatterns":[{"equalTo":"x"}]}]}"#,
            ["multipart file: expected a part that matches, got nothing"]
        ),
    ]) func textHasALineForEachDifference(_ pattern: String, _ lines: [String]) throws {
        let stub = try Self.stub(#"{"name":"near","request":\#(pattern)}"#)
        let request = Self.request("POST", "/b?q=1", body: "{\n  \"a\": 3, \"b\":1, \"o\":{\"y\":1.50}}")
        let near = try #require(try NearMiss.nearest(to: request, among: [stub]) { _ in nil }.first)
        let text = (["No stub matches this request. The closest stub is 'near':"] + lines).map { $0 + "\n" }.joined()
        #expect(try near.text() == text)
        #expect(try near.firstDifference() == lines.first)
    }
}
