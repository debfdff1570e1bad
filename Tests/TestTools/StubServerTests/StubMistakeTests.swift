import Foundation
import StubServer
import Synchronization
import TestSupport
import Testing

/// Lines about stubs that can answer no request, or lack their body. WireMock accepts them, so the server does, too.
struct StubMistakeTests {
    /// The lines of a server that reads a stub from a file, and then gets the same stub by its admin API.
    private static func lines(about members: String) async throws -> [String] {
        try await withTemporaryDirectory { folder in
            for (path, text) in [("__files/a.txt", "A"), ("mappings/m.json", "{\(members)}")] {
                let url = URL(filePath: "\(folder)/\(path)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: url)
            }
            let lines = Mutex<[String]>([])
            let note: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
            try await StubExchange.run { configuration in
                configuration.folder = folder
                configuration.warn = note
            } _: { exchange in
                try await exchange.add(#"{"name":"posted",\#(members)}"#)
            }
            return lines.withLock { $0 }.map { $0.replacing(folder, with: "FOLDER") }
        }
    }

    @Test(arguments: [
        (#""request":{"urlPath":"a"}"#, "urlPath 'a' has no leading slash, so no request matches"),
        (#""request":{"url":"a?x=1"}"#, "url 'a?x=1' has no leading slash, so no request matches"),
        (
            #""request":{"urlPath":"/a?x=1"}"#,
            "urlPath '/a?x=1' has a query, but only the path is compared, so no request matches; write url"
        ),
        (
            #""request":{"url":"http://a.test/b"}"#,
            "url 'http://a.test/b' has a host, but only what follows it is compared, so no request matches"
        ),
        (#""request":{"method":"GTE"}"#, "the method 'GTE' is none that clients use; did you mean 'GET'?"),
        (#""request":{"method":"post"}"#, "the method 'post' is none that clients use; did you mean 'POST'?"),
        (#""response":{"bodyFileName":"no.txt"}"#, "bodyFileName 'no.txt' is not in FOLDER/__files"),
    ])
    func mistakeIsReported(members: String, mistake: String) async throws {
        let lines = try await Self.lines(about: members)
        #expect(lines == ["FOLDER/mappings/m.json: \(mistake)", "added stub 'posted': \(mistake)"])
    }

    @Test(arguments: [
        #""request":{"url":"/a?x=1","method":"PROPFIND"}"#, #""request":{"urlPath":"/a","method":"ANY"}"#,
        #""request":{"urlPattern":"a?.*"}"#, #""request":{"urlPathTemplate":"{a}"}"#, #""request":{"url":"*"}"#,
        #""request":{"method":"PURGE"},"response":{"bodyFileName":"a.txt"}"#,
        #""response":{"bodyFileName":"{{request.path}}","transformers":["response-template"]}"#,
    ])
    func otherStubIsNotReported(members: String) async throws {
        let lines = try await Self.lines(about: members)
        #expect(lines.isEmpty, "\(lines)")
    }
}
