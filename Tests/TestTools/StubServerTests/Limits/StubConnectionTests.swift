import Foundation
import LinkRouting
import StubServer
import TestSupport
import Testing

/// Clients that hold connections, send slowly or do not read.
struct StubConnectionTests {
    private static let big = JSONNode.object([
        "request": .object(["urlPath": .string("/big")]),
        "response": .object(["body": .string(String(repeating: "x", count: 8 << 20))]),
    ])

    @Test func connectionsAboveTheLimitAreClosed() async throws {
        try await withStubServer {
            $0.limits.connections = 3
        } _: { port in
            var open = try (0..<3).map { _ in try StubClient(port: port) }
            for client in open { #expect(try client.request("GET", "/a").status == 404) }
            #expect(throws: HTTPConnection.Broken.self) { try StubClient(port: port).request("GET", "/a") }
            open.removeLast()
            // The server learns of the closed connection on its own thread.
            var next: HTTPConnection.Response?
            for _ in 0..<1_000 where next == nil { next = try? StubClient(port: port).request("GET", "/a") }
            #expect(next?.status == 404)
            for client in open { #expect(try client.request("GET", "/a").status == 404) }
        }
    }

    /// Without a head, and with a part of one.
    @Test(arguments: ["", "GET /a HTTP/1.1\r\nHo"])
    func connectionWithoutARequestIsClosed(begin: String) async throws {
        try await withStubServer {
            $0.limits.firstRequestSeconds = 1
        } _: { port in
            let silent = try HTTPConnection(port: port)
            if !begin.isEmpty { try silent.begin(begin) }
            #expect(try silent.read() == "")
        }
    }

    @Test func slowClientDelaysNoOtherClient() async throws {
        try await withStubServer { port in
            let slow = try (0..<20).map { _ in try StubClient(port: port) }
            for client in slow {
                try client.connection.begin("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
            }
            let quick = try StubClient(port: port)
            for _ in 0..<20 { #expect(try quick.request("GET", "/b").status == 404) }
            for client in slow {
                try client.connection.begin("cde")
                #expect(try client.connection.response().status == 404)
            }
            let bodies = try quick.admin("GET", "requests")["requests"]?.elements?.compactMap {
                $0["request"]?["body"]?.text
            }
            #expect(bodies?.count { $0 == "abcde" } == 20)
        }
    }

    /// The server answers the next request of a connection when the last answer has been taken, so a client that only
    /// sends cannot make it keep many answers.
    @Test func aClientThatDoesNotReadGetsOneAnswerAtATime() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.big)
            let greedy = try HTTPConnection(port: port, window: 4_096)
            for _ in 0..<20 { try greedy.begin("GET /big HTTP/1.1\r\nHost: a\r\n\r\n") }
            let pattern = JSONNode.object(["urlPath": .string("/big")])
            func answered() throws -> Int {
                Int(try client.admin("POST", "requests/count", pattern)["count"]?.int ?? 0)
            }
            while try answered() == 0 {}
            // Other requests give the server the time to read further ones of the greedy client.
            for _ in 0..<50 { _ = try client.request("GET", "/other") }
            let count = try answered()
            #expect(count <= 3)
            for _ in 0..<20 { #expect(try greedy.response().body.count == 8 << 20) }
        }
    }

    /// Each of three clients asks for 8 MiB and does not read; the limit allows two such answers.
    @Test func unsentAnswersHaveALimit() async throws {
        try await withStubServer {
            $0.limits.messageBytes = 20 << 20
        } _: { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.big)
            // The answer before is counted until this request is read.
            _ = try client.request("GET", "/small")
            var greedy: [HTTPConnection] = []
            for _ in 0..<2 {
                let connection = try HTTPConnection(port: port, window: 4_096)
                try connection.begin("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
                try connection.awaitByte()
                greedy.append(connection)
            }
            var refused = try client.request("GET", "/big")
            #expect(refused.status == 503)
            #expect(refused.text.contains("more than \(20 << 20) bytes. Send fewer"))
            #expect(try client.request("GET", "/small").status == 404)
            for connection in greedy { #expect(try connection.response().body.count == 8 << 20) }
            greedy.removeAll()
            // The server learns on its own thread that an answer was read.
            while refused.status == 503 { refused = try client.request("GET", "/big") }
            #expect(refused.body.count == 8 << 20)
        }
    }

    /// A refused upload, whose client stays, gives the memory back. Small requests need none of it.
    @Test func refusedUploadLeavesRoomForOthers() async throws {
        try await withStubServer {
            $0.limits.messageBytes = 1 << 20
        } _: { port in
            let greedy = try HTTPConnection(port: port)
            let upload = String(repeating: "a", count: 2 << 20)
            try greedy.begin("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \((2 << 20) + 1)\r\n\r\n\(upload)")
            let refused = try greedy.response()
            #expect(refused.status == 503)
            let body = String(repeating: "a", count: 1 << 20)
            let next = try StubClient(port: port).request("POST", "/b", body: body)
            #expect(next.status == 404)
            withExtendedLifetime(greedy) {}
        }
        try await withStubServer {
            $0.limits.messageBytes = 0
        } _: { port in
            for (bytes, status) in [(100 << 10, 503), (64 << 10, 404), (1, 404)] {
                let body = String(repeating: "a", count: bytes)
                let response = try StubClient(port: port).request("POST", "/b", body: body)
                #expect(response.status == status)
            }
        }
    }

    /// Clients that go away while their answers are unsent give the memory back.
    @Test func closedConnectionsHaveNoUnsentAnswers() async throws {
        try await withStubServer {
            $0.limits.messageBytes = 20 << 20
        } _: { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.big)
            for _ in 0..<2 {
                // The server learns on its own thread that the clients before have gone.
                while try client.request("GET", "/big").status == 503 {}
                // The answer before is counted until this request is read.
                _ = try client.request("GET", "/small")
                let greedy = try (0..<2).map { _ in
                    let connection = try HTTPConnection(port: port, window: 4_096)
                    try connection.begin("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
                    try connection.awaitByte()
                    return connection
                }
                #expect(try client.request("GET", "/big").status == 503)
                withExtendedLifetime(greedy) {}
            }
            while try client.request("GET", "/big").status == 503 {}
        }
    }

    /// One packet contains thousands of requests.
    @Test func manyRequestsInOnePacketAreAnswered() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin(
                "POST",
                "mappings",
                .object(["request": .object(["urlPath": .string("/")]), "response": .object(["body": .string("x")])])
            )
            let count = 20_000
            try client.connection.begin(String(repeating: "GET / HTTP/1.1\r\n\r\n", count: count))
            for _ in 0..<count { #expect(try client.connection.response().text == "x") }
        }
    }

    /// Blanks around the value of a header are not part of it.
    @Test(arguments: ["one", " one ", "\tone\t", "  one \t "])
    func headerIsComparedWithoutBlanks(sent: String) async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            let headers = JSONNode.object(["X-A": .object(["equalTo": .string("one")])])
            try client.admin("POST", "mappings", .object(["request": .object(["headers": headers])]))
            try client.connection.begin("GET /a HTTP/1.1\r\nHost: a\r\nX-A:\(sent)\r\n\r\n")
            #expect(try client.connection.response().status == 200)
        }
    }

    @Test func targetThatIsNotPercentEncodedIsExplained() async throws {
        try await withStubServer { port in
            let connection = try HTTPConnection(port: port)
            try connection.begin("GET /café HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try connection.response()
            #expect(answer.status == 400)
            #expect(answer.text.contains("send them percent-encoded"), "\(answer.text)")
        }
    }

    /// HTTP/1.0 has no chunks.
    @Test(arguments: [
        ("HTTP/1.1", "Transfer-Encoding: chunked", "2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n0\r\n\r\n"),
        ("HTTP/1.0", "Content-Length: 6", "abcdef"),
    ])
    func dribbledBodyIsFramedForTheVersion(_ version: String, _ framing: String, _ body: String) async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            let dribble = JSONNode.object(["numberOfChunks": .int(3), "totalDuration": .int(3)])
            let response = JSONNode.object(["body": .string("abcdef"), "chunkedDribbleDelay": dribble])
            try client.admin("POST", "mappings", .object(["response": response]))
            let connection = try HTTPConnection(port: port)
            try connection.begin("GET /a \(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
            let parts = try connection.read().components(separatedBy: "\r\n\r\n")
            let head = parts[0].components(separatedBy: "\r\n")
            #expect(head[0] == "HTTP/1.1 200 OK")
            #expect(head.filter { $0.hasPrefix("Transfer-Encoding:") || $0.hasPrefix("Content-Length:") } == [framing])
            #expect(parts.dropFirst().joined(separator: "\r\n\r\n") == body)
        }
    }

    /// The server closes such a connection after the answer, so that it does not count against the limit.
    @Test func aClientMayCloseItsSendingSide() async throws {
        try await withStubServer {
            $0.limits.connections = 1
        } _: { port in
            let client = try StubClient(port: port)
            try client.connection.begin("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            client.connection.endInput()
            let text = try client.connection.read()
            #expect(text.components(separatedBy: "HTTP/1.1 404").count == 3)
        }
    }
}
