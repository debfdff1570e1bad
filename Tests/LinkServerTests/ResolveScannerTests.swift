import LinkRouting
import TestSupport
import Testing

@testable import LinkServer

struct ResolveScannerTests {
    private func scanned(_ text: String) -> ResolveRequest? {
        Array(text.utf8).withUnsafeBufferPointer(ResolveScanner.scan)
    }

    private func read(_ text: String) -> ResolveRequest? {
        let limits = JSONReader.Limits(maximumBytes: 16_384, maximumDepth: ResolveScanner.depth)
        guard let node = try? JSONReader.parse(text, limits: limits) else { return nil }
        return try? ResolveRequest(Field(node, path: ""))
    }

    @Test(arguments: [
        #"{"url":"https://go.acme.test/p/1"}"#,
        #"{"url":"acme://p/1?a=b","context":{"platform":"ios"}}"#,
        #" { "url" : "x" , "context" : { } , "explain" : false } "#,
        "\r\n{\"explain\":true,\n\t\"url\":\"\"}\n",
        #"{"url":"a","purpose":"test","environment":"staging","clientEventId":"6f1c"}"#,
        #"""
        {"url":"a","context":{"app":"shop-ios","platform":"android","device":"tablet","osVersion":"17.4.1","appVersion":"3.2.0",
        "appBuild":412,"installed":false,"locale":["en-GB","fr"],"country":"GB","authenticated":true,"stickyKey":"install-42",
        "inAppBrowser":false,"occurredAt":"2026-11-21T10:00:00.000Z"}}
        """#,
        #"{"url":"a","context":{"installed":true,"locale":"de","appBuild":0}}"#,
    ])
    func usualMessageIsReadAsByTheReader(text: String) throws {
        let expected = try #require(read(text))
        #expect(scanned(text) == expected)
    }

    @Test(arguments: [
        "", "{}", "[]", "{", #"{"url":"a"}}"#, #"{"url":"a"},"#, #"{"url":"a",}"#, #"{"url":"a" "explain":true}"#,
        #"{"url":"a","url":"b"}"#, #"{"url":"\u0061"}"#, #"{"url":"é"}"#, "{\"url\":\"a\tb\"}", #"{"url":null}"#,
        #"{"url":1}"#,
        #"{"links":["a"]}"#, #"{"url":"a","links":["b"]}"#, #"{"continuation":"a"}"#, #"{"url":"a","further":1}"#,
        #"{"url":"a","context":{"platform":"amiga"}}"#, #"{"url":"a","context":{"platform":null}}"#,
        #"{"url":"a","context":{"now":"2026-11-21T10:00:00Z"}}"#, #"{"url":"a","context":{"traits":{"a":"b"}}}"#,
        #"{"url":"a","context":{"osVersion":"seventeen"}}"#, #"{"url":"a","context":{"osVersion":17}}"#,
        #"{"url":"a","context":{"locale":[]}}"#, #"{"url":"a","context":{"locale":["de","de_"]}}"#,
        #"{"url":"a","context":{"appBuild":012}}"#, #"{"url":"a","context":{"appBuild":1.0}}"#,
        #"{"url":"a","context":{"appBuild":-1}}"#, #"{"url":"a","context":{"appBuild":9223372036854775807}}"#,
        #"{"url":"a","context":{"installed":true,"installed":true}}"#, #"{"url":"a","clientEventId":""}"#,
        #"{"url":"a","explain":tru}"#, #"{"url":"a","explain":truex}"#, #"{"url":"a","purpose":"sale"}"#,
        "\u{FEFF}{\"url\":\"a\"}",
    ])
    func restIsLeftToTheReader(text: String) { #expect(scanned(text) == nil) }

    /// Whatever the scanner makes of broken and strange messages, the reader makes the same of them.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func scannerReadsNothingElse(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", " ", "\n", "\"", "\\", "true", "false", "null", "0", "12", "-", ".", "e", "é",
            "\"url\":\"a\"",
            "\"context\":{", "\"platform\":\"ios\"", "\"installed\":true", "\"locale\":[\"de\"", "\"appBuild\":7",
            "\"explain\":false",
            "\"purpose\":\"live\"", "\"x\":1", "\"osVersion\":\"1.2\"", "\"\"",
        ]
        let usual =
            #"{"url":"https://a.test/x","context":{"platform":"ios","locale":["de","en"],"appBuild":12},"explain":true}"#
        for _ in 0..<4_000 {
            var bytes = Array(usual.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let start = Int.random(in: 0...bytes.count, using: &numbers)
                let end = min(bytes.count, start + Int.random(in: 0...8, using: &numbers))
                bytes.replaceSubrange(start..<end, with: Array((pieces.randomElement(using: &numbers) ?? "").utf8))
            }
            guard let request = bytes.withUnsafeBufferPointer(ResolveScanner.scan) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(request == read(text), "\(text)")
        }
    }
}
