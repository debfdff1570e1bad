import AsyncHTTPClient
import LinkRouting
import NIOHTTP1
import Networking
import StubMatching
import StubServer
import Testing

/// gzip in requests and answers.
struct CompressionTests {
    private static func gzip(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let stream = try GzipStream(level: 9)
        try stream.write(Array(text.utf8)) { bytes += $0 }
        try stream.finish { bytes += $0 }
        return bytes
    }

    private static func gunzip(_ bytes: [UInt8]) throws -> String {
        var text: [UInt8] = []
        try GunzipStream().write(bytes) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: ["gzip", "GZIP", "x-gzip"])
    func patternComparesTheDecompressedBody(encoding: String) async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(
                #"{"request":{"bodyPatterns":[{"equalTo":"squeezed"}]},"response":{"body":"HIT"}}"#
            )
            let body = try Self.gzip("squeezed")
            let answer = try await exchange.send("POST", "/", ["Content-Encoding": encoding], body: body)
            #expect(answer.text == "HIT")
            let logged = try await exchange.send("GET", "/__admin/requests").json
            #expect(logged?["requests"]?.elements?.first?["request"]?["body"]?.text == "squeezed")
        }
    }

    @Test func damagedBodyGets400() async throws {
        try await StubExchange.run { exchange in
            let cut = Array(try Self.gzip("squeezed").dropLast(6))
            for body in [cut, Array("no gzip".utf8), try Self.gzip("a") + [0]] {
                let answer = try await exchange.send("POST", "/", ["Content-Encoding": "gzip"], body: body)
                #expect(answer.status == 400)
                #expect(answer.text.contains("send it uncompressed"))
            }
        }
    }

    @Test func decompressedBodyHasALimit() async throws {
        try await StubExchange.run { configuration in
            configuration.limits.bodyBytes = 100_000
        } _: { exchange in
            try await exchange.add(#"{"request":{"method":"ANY"},"response":{"body":"HIT"}}"#)
            let bomb = try Self.gzip(String(repeating: "a", count: 100_001))
            #expect(bomb.count < 1_000)
            let refused = try await exchange.send("POST", "/", ["Content-Encoding": "gzip"], body: bomb)
            #expect(refused.status == 413)
            let largest = try Self.gzip(String(repeating: "a", count: 100_000))
            #expect(try await exchange.send("POST", "/", ["Content-Encoding": "gzip"], body: largest).text == "HIT")
        }
    }

    @Test func proxyPassesTheCompressedBodyOn() async throws {
        try await StubExchange.run { target in
            try await target.add(#"{"request":{"bodyPatterns":[{"equalTo":"squeezed"}]},"response":{"body":"HIT"}}"#)
            let url = target.server.url
            try await StubExchange.run { exchange in
                try await exchange.add(#"{"request":{"method":"ANY"},"response":{"proxyBaseUrl":"\#(url)"}}"#)
                let body = try Self.gzip("squeezed")
                #expect(try await exchange.send("POST", "/", ["Content-Encoding": "gzip"], body: body).text == "HIT")
            }
        }
    }

    private static let long = String(repeating: "abcdefgh", count: 2_000)

    /// Bodies below and above the size that a thread compresses, and stubs with and without work off the event loop.
    @Test(arguments: [
        (#""body":"\#(String(repeating: "a", count: 32))""#, true),
        (#""body":"\#(long)""#, true),
        (#""body":"{{request.method}}\#(long)","transformers":["response-template"]"#, true),
        (#""status":201,"body":"\#(long)""#, true),
        (#""headers":{"Content-Type":"image/svg+xml"},"body":"\#(long)""#, true),
        (#""body":"\#(String(repeating: "a", count: 31))""#, false),
        (#""status":404,"body":"\#(long)""#, false),
        (#""headers":{"Content-Type":"image/png"},"body":"\#(long)""#, false),
        (#""headers":{"Content-Type":"application/zip; v=1"},"body":"\#(long)""#, false),
        (#""headers":{"Content-Encoding":"br"},"body":"\#(long)""#, false),
    ])
    func answerIsCompressed(response: String, isCompressed: Bool) async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(#"{"request":{"method":"ANY"},"response":{\#(response)}}"#)
            let plain = try await exchange.send("GET", "/")
            #expect(plain.headers["content-encoding"].contains("gzip") == false)
            let answer = try await exchange.send("GET", "/", ["Accept-Encoding": "br, gzip;q=0.5"])
            #expect(answer.headers["content-encoding"].contains("gzip") == isCompressed)
            #expect(answer.status == plain.status)
            let text = isCompressed ? try Self.gunzip(answer.body) : answer.text
            #expect(text == plain.text)
        }
    }

    @Test(arguments: [("GET", "gzip;q=0"), ("GET", "br"), ("HEAD", "gzip"), ("OPTIONS", "gzip")])
    func requestExcludesCompression(method: String, accepted: String) async throws {
        try await StubExchange.run { exchange in
            try await exchange.add(#"{"request":{"method":"ANY"},"response":{"body":"\#(Self.long)"}}"#)
            let answer = try await exchange.send(method, "/", ["Accept-Encoding": accepted])
            #expect(answer.status == 200)
            #expect(answer.headers["content-encoding"].isEmpty)
        }
    }

    @Test func compressionCanBeTurnedOff() async throws {
        try await StubExchange.run { configuration in
            configuration.compression = .off
        } _: { exchange in
            try await exchange.add(#"{"request":{"method":"ANY"},"response":{"body":"\#(Self.long)"}}"#)
            #expect(try await exchange.send("GET", "/", ["Accept-Encoding": "gzip"]).text == Self.long)
        }
    }
}
