import Foundation
import LinkRouting
import NIOHTTP1
import StubMatching
import StubServer
import TestSupport
import Testing

/// HAR files: import, export, and their errors.
struct HARTests {
    private static func entry(
        _ method: String = "GET",
        _ url: String = "https://api.test/a",
        second: Int = 0,
        request: String = "",
        response: String = #""status":200,"content":{"text":"A"}"#
    ) -> String {
        let start = "2026-01-01T10:00:0\(second).000+01:00"
        return
            #"{"startedDateTime":"\#(start)","time":1.5,"request":{"method":"\#(method)","url":"\#(url)"\#(request)},"#
            + #""response":{\#(response)},"_resourceType":"fetch"}"#
    }

    private static func file(_ entries: String...) -> String {
        #"{"log":{"version":"1.2","creator":{},"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    /// Imports a file, and serves the stubs.
    private static func serve(
        _ text: String,
        mask: SecretMask = SecretMask(fields: []),
        hosts: Set<String> = [],
        _ body: (StubExchange) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/stubs"
            _ = try HARImport(try HARFile(Array(text.utf8)), hosts: hosts, mask: mask).write(to: path)
            try await StubExchange.run {
                $0.folder = path
            } _: {
                try await body($0)
            }
        }
    }

    @Test func importedRequestsPlayBack() async throws {
        let base64 =
            #""status":200,"headers":[{"name":"Content-Type","value":"image/png"}],"#
            + #""content":{"text":"AAEC/w==","encoding":"base64"}"#
        let posted =
            #","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a b","value":"é&"}]}"#
        let compressed =
            #""status":200,"headers":[{"name":"content-encoding","value":"br"},{"name":":status","value":"200"}],"#
            + #""content":{"text":"plain"}"#
        let text = Self.file(
            Self.entry("GET", "https://API.test:8443/image?x=1#top", response: base64),
            Self.entry("POST", "https://api.test/form", request: posted),
            Self.entry("GET", "https://api.test/br", response: compressed),
            Self.entry("GET", "https://api.test", second: 2, response: #""status":204,"content":{"size":0}"#)
        )
        try await Self.serve(text) { exchange in
            #expect(try await exchange.send("GET", "/image?x=1").body == [0, 1, 2, 0xFF])
            #expect(try await exchange.send("POST", "/form", body: Array("a+b=%C3%A9%26".utf8)).text == "A")
            #expect(try await exchange.send("POST", "/form", body: Array("a=b".utf8)).status == 404)
            let answer = try await exchange.send("GET", "/br")
            #expect(answer.text == "plain")
            #expect(answer.headers["content-encoding"].isEmpty)
            #expect(try await exchange.send("GET", "/").status == 204)
        }
    }

    @Test func bodyThatIsNotTheJSONOfItsTypeIsComparedAsText() async throws {
        let posted = #","postData":{"mimeType":"application/json","text":"[1"}"#
        let text = Self.file(Self.entry("POST", "https://api.test/a", request: posted))
        try await Self.serve(text) { (exchange) async throws in
            #expect(try await exchange.send("POST", "/a", body: Array("[1".utf8)).text == "A")
            #expect(try await exchange.send("POST", "/a", body: Array("[2".utf8)).status == 404)
        }
    }

    @Test func repeatedRequestIsAScenarioInTheOrderOfTime() async throws {
        let text = Self.file(
            Self.entry(second: 2, response: #""status":200,"content":{"text":"later"}"#),
            Self.entry(second: 1, response: #""status":200,"content":{"text":"first"}"#)
        )
        try await Self.serve(text) { (exchange) async throws in
            #expect(try await exchange.send("GET", "/a").text == "first")
            #expect(try await exchange.send("GET", "/a").text == "later")
            #expect(try await exchange.send("GET", "/a").text == "later")
        }
    }

    @Test func secretsAreMasked() async throws {
        let response =
            #""status":200,"headers":[{"name":"Set-Cookie","value":"s=secret; Path=/"},"#
            + #"{"name":"Content-Type","value":"application/json"}],"content":{"text":"{\"token\":\"secret\"}"}"#
        let request = #","headers":[{"name":"Authorization","value":"Bearer secret"}]"#
        try await withTemporaryDirectory { folder in
            let file = try HARFile(Array(Self.file(Self.entry(request: request, response: response)).utf8))
            let mask = SecretMask(fields: ["token"])
            _ = try HARImport(file, hosts: [], mask: mask).write(to: folder + "/a")
            let written = try RecordingTests.content(of: folder + "/a").values.joined()
            #expect(written.contains("***") && !written.contains("secret"))
            #expect(!HARFile(entries: file.entries).json(mask).json().contains("secret"))
        }
    }

    /// The other entries are imported.
    @Test func entryThatIsNoStubIsLeftOut() async throws {
        try await withTemporaryDirectory { folder in
            let broken = #""status":200,"headers":[{"name":"A","value":"x\r\ny: z"}],"content":{"text":"x"}"#
            let text = Self.file(
                Self.entry("GET", "https://api.test/broken", response: broken),
                Self.entry("GET", "https://api.test/b")
            )
            let written = try HARImport(try HARFile(Array(text.utf8)), hosts: [], mask: .off).write(to: folder + "/a")
            #expect(written.stubs == 1)
            #expect(written.omitted.map(\.url) == ["broken"])
            #expect(written.omitted.first?.reason.contains("line break") == true)
        }
    }

    @Test func importIsRepeatable() async throws {
        try await withTemporaryDirectory { folder in
            let text = Self.file(Self.entry(), Self.entry("GET", "https://api.test/b"), Self.entry(second: 1))
            for _ in 0..<2 {
                let file = try HARFile(Array(text.utf8))
                let written = try HARImport(file, hosts: [], mask: .off).write(to: folder + "/a")
                #expect(written.stubs == 2)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/mappings").count == 2)
        }
    }

    @Test func exportOfAnImportImportsTheSame() async throws {
        try await withTemporaryDirectory { folder in
            let posted = #","postData":{"mimeType":"application/json","text":"{\"a\":1}"}"#
            let binary =
                #""status":200,"headers":[{"name":"Content-Type","value":"image/png"}],"#
                + #""content":{"text":"AAEC/w==","encoding":"base64"}"#
            let text = Self.file(
                Self.entry("POST", "http://api.test/json?q=a%20b", request: posted),
                Self.entry("GET", "http://api.test/image", second: 1, response: binary)
            )
            let first = try HARFile(Array(text.utf8))
            _ = try HARImport(first, hosts: [], mask: .off).write(to: folder + "/a")
            let exported = try HARExport(folder: folder + "/a", origin: "http://api.test")
            #expect(exported.omitted.isEmpty)
            let second = try HARFile(Array(exported.file.json(.off).json().utf8))
            #expect(second.entries.map(\.target) == ["/json?q=a%20b", "/image"])
            _ = try HARImport(second, hosts: [], mask: .off).write(to: folder + "/b")
            let (a, b) = (try RecordingTests.content(of: folder + "/a"), try RecordingTests.content(of: folder + "/b"))
            #expect(a == b)
        }
    }

    @Test func journalIsExported() async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(#"{"request":{"url":"/a?b=1"},"response":{"base64Body":"AP8="}}"#)
            _ = try await exchange.send("POST", "/a?b=1", ["Cookie": "s=secret"], body: Array("body".utf8))
            let journal = try #require(try await exchange.send("GET", "/__admin/requests").json)
            let file = try HARExport(journal: journal).file
            let entry = try #require(file.entries.first)
            #expect(file.entries.count == 1)
            #expect(entry.origin == exchange.server.url)
            #expect(entry.target == "/a?b=1")
            #expect(entry.requestBody == Array("body".utf8))
            #expect(entry.responseBody == [0, 0xFF])
            #expect(!file.json(.off).json().contains("secret"))
        }
    }

    @Test(arguments: [
        ("{", nil, "ends"),
        (#"{"log":{}}"#, "/", "a list 'entries'"),
        (#"{"log":{"entries":{}}}"#, "/log/entries", "write a list"),
        (file(#"{"request":{}}"#), "/log/entries/0", "'response' is missing"),
        (file(entry(), entry("GET", "https://")), "/log/entries/1/request/url", "no host"),
        (file(entry("GET", "https://a b/")), "/log/entries/0/request/url", "blanks"),
        (file(entry("G T")), "/log/entries/0/request", "no HTTP method"),
        (
            file(entry(response: #""status":200,"content":{"text":"*","encoding":"base64"}"#)),
            "/log/entries/0/response/content/text", "no Base64"
        ),
        (
            file(entry(response: #""status":200,"content":{"text":"a","encoding":"rot13"}"#)),
            "/log/entries/0/response/content/text", "'rot13'"
        ),
        (
            file(entry(response: #""status":200,"headers":[{"name":"a b","value":""}]"#)),
            "/log/entries/0/response/headers/0", "not the name of a header"
        ),
        (file(entry(response: #""status":"many""#)), "/log/entries/0/response/status", "not a whole number"),
    ])
    func mistakeHasAPointer(text: String, pointer: String?, message: String) {
        let error = #expect(throws: MappingError.self) { try HARFile(Array(text.utf8)) }
        #expect(error?.code == 10)
        if let pointer { #expect(error?.pointer == pointer) }
        #expect(error?.detail?.contains(message) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        (entry(response: #""status":0"#), "it has no answer"),
        (entry(response: #""status":101"#), "it is a WebSocket"),
        (entry("GET", "data:text/plain,a"), "not one of http or https"),
        (entry(response: #""status":200,"content":{"size":7}"#), "export it with content"),
    ])
    func unusableEntryIsLeftOut(entry: String, reason: String) throws {
        let file = try HARFile(Array(Self.file(entry).utf8))
        #expect(file.entries.isEmpty)
        #expect(file.omitted.map(\.reason).first?.contains(reason) == true)
    }

    @Test func severalHostsNeedAChoice() throws {
        let text = Self.file(
            Self.entry("GET", "https://b.test/"),
            Self.entry("GET", "https://a.test:1/"),
            Self.entry("GET", "https://a.test/x")
        )
        let file = try HARFile(Array(text.utf8))
        let failure = #expect(throws: HARImport.SeveralHosts.self) { try HARImport(file, hosts: [], mask: .off) }
        #expect(failure?.description.hasSuffix("a.test (2), b.test (1)") == true)
        #expect(throws: Never.self) { try HARImport(file, hosts: ["a.test"], mask: .off) }
    }
}
