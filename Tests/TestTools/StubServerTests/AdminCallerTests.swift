import Foundation
import LinkRouting
import NIOHTTP1
import StubMatching
import StubServer
import TestSupport
import Testing

/// Web pages of other sites cannot call the admin API; clients of the server's own hosts can.
struct AdminCallerTests {
    private static let mapping = #"{"request":{"urlPath":"/a"},"response":{"body":"A"}}"#

    /// Calls that read, write and stop. A page sends some of them without asking.
    private static let calls: [(method: String, path: String, body: String)] = [
        ("GET", "/__admin", ""), ("GET", "/__admin/requests?limit=1", ""),
        ("GET", "/__admin/files/link.txt", ""), ("POST", "/__admin/mappings", mapping),
        ("PUT", "/__admin/files/link.txt", "text"), ("DELETE", "/__admin/mappings", ""),
        ("POST", "/__admin/recordings/start", #"{"targetBaseUrl":"http://127.0.0.1:1"}"#),
        ("POST", "/__admin/sessions", "{}"), ("OPTIONS", "/__admin/mappings", ""), ("POST", "/__admin/shutdown", ""),
        ("GET", "/__admin/nothing", ""), ("GET", "/__session/s/__admin/requests", ""),
    ]

    /// The header fields after the request line of a page's request, and its target before the path.
    private static let foreign: [(fields: [String], base: String)] = [
        (["Host: evil.example"], ""), (["Host: evil.example:PORT"], ""), (["Host: localhost.evil.example:PORT"], ""),
        (["Host: 127.0.0.1.evil.example:PORT"], ""), (["Host: 192.0.2.1:PORT"], ""), (["Host: [2001:db8::1]:PORT"], ""),
        (["Host: localhost", "Host: evil.example"], ""), (["Host: localhost@evil.example"], ""),
        (["Host: localhost:PORT"], "http://evil.example:PORT"), (["Host: evil.example"], "http://localhost:PORT"),
        (["Host: localhost:PORT"], "http://localhost@evil.example"),
        (["Host: localhost:PORT", "Origin: https://evil.example"], ""), (["Host: localhost:PORT", "Origin: null"], ""),
        (["Host: localhost:PORT", "Origin: http://localhost.evil.example"], ""),
        (["Host: localhost:PORT", "Origin: http://192.0.2.1:PORT"], ""),
        (["Host: localhost:PORT", "Origin: file://"], ""),
        (["Host: localhost:PORT", "Origin: http://localhost:PORT", "Origin: https://evil.example"], ""),
        (["Host: evil.example:PORT", "Origin: http://evil.example:PORT"], ""),
    ]

    @Test(arguments: foreign)
    func pageOfAnotherSiteIsRefused(fields: [String], base: String) async throws {
        try await withTemporaryDirectory { directory in
            try await withStubServer {
                $0.folder = directory
                $0.proxyAll = "http://127.0.0.1:1"
            } _: { port in
                let client = try StubClient(port: port)
                try client.admin("POST", "sessions", .object(["id": .string("s")]))
                func filled(_ text: String) -> String { text.replacing("PORT", with: "\(port)") }
                for call in Self.calls {
                    let answer = try Self.send(
                        "\(call.method) \(filled(base))\(call.path)",
                        fields.map(filled) + ["Content-Type: text/plain"],
                        call.body,
                        to: port
                    )
                    #expect(answer.status == 403, "\(call.method) \(call.path): \(answer.text)")
                    #expect(!answer.head.lowercased().contains("access-control"), "\(answer.head)")
                    #expect(answer.text.contains("--https-name"), "\(answer.text)")
                }
                #expect(try client.admin("GET", "mappings")["meta"]?["total"]?.int == 1)
                #expect(try client.admin("GET", "sessions")["sessions"]?.elements?.count == 1)
                let files = FileManager.default.enumerator(atPath: directory)?.allObjects ?? []
                #expect(files.isEmpty, "\(files)")
            }
        }
    }

    /// The hosts of developers' machines, emulators and tests, at any port: a container maps ports.
    @Test(arguments: [
        ["Host: localhost:PORT"], ["Host: 127.0.0.1:PORT"], ["Host: 10.0.2.2:PORT"], ["Host: [::1]:PORT"],
        ["Host: LOCALHOST"], ["Host: localhost:1"], ["Host: stub:PORT"], ["Host: a.example.test:PORT"],
        ["Host: localhost:PORT", "Origin: http://localhost:3000"], ["Host: stub", "Origin: https://stub:PORT"],
        ["Host: 127.0.0.1:PORT", "Origin: http://[::1]:PORT"],
    ])
    func ownHostIsAnswered(fields: [String]) async throws {
        try await withStubServer {
            $0.names = ["stub", "*.example.test"].compactMap(ServerName.init)
        } _: { port in
            let fields = fields.map { $0.replacing("PORT", with: "\(port)") }
            let added = try Self.send("POST /__admin/mappings", fields, Self.mapping, to: port)
            #expect(added.status == 201, "\(added.text)")
            let overview = try Self.send("GET http://localhost:\(port)/__admin", fields, "", to: port)
            #expect(overview.status == 200, "\(overview.text)")
        }
    }

    /// A client of a server on all addresses may name the one to which it connected.
    @Test func addressOfTheConnectionIsAnswered() async throws {
        try await StubExchange.run {
            $0.host = "0.0.0.0"
        } _: { exchange in
            let url = "http://127.0.0.2:\(exchange.server.port)/__admin/health"
            let own = try await StubExchange.send("GET", url)
            let other = try await StubExchange.send("GET", url, ["Host": "127.0.0.3"])
            #expect(own.status == 200 && other.status == 403, "\(own.text) \(other.text)")
        }
    }

    @Test func requestWithoutAHostIsAnswered() async throws {
        try await withStubServer { port in
            let connection = try HTTPConnection(port: port)
            try connection.begin("GET /__admin/health HTTP/1.0\r\n\r\n")
            #expect(try connection.response().status == 200)
        }
    }

    /// Stubs answer for every host: tests name those of production.
    @Test func stubsAnswerEveryHost() async throws {
        try await withStubServer { port in
            try StubClient(port: port).admin("POST", "mappings", try JSONReader.parse(Self.mapping, limits: .answers))
            for fields in [["Host: api.example.com"], ["Host: localhost", "Origin: https://www.example.com"]] {
                #expect(try Self.send("GET /a", fields, "", to: port).text == "A")
            }
        }
    }

    private static func send(
        _ start: String,
        _ fields: [String],
        _ body: String,
        to port: UInt16
    ) throws -> HTTPConnection.Response {
        let connection = try HTTPConnection(port: port)
        let lines = ["\(start) HTTP/1.1"] + fields + ["Content-Length: \(body.utf8.count)", "", body]
        try connection.begin(lines.joined(separator: "\r\n"))
        return try connection.response()
    }
}
