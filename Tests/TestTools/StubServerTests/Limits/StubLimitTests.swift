import LinkRouting
import StubMatching
import StubServer
import TestSupport
import Testing

/// What clients can make the server keep or do is bounded, and the limit is named in the answer.
struct StubLimitTests {
    private static func stub(_ path: String, body: String = "found") -> JSONNode {
        .object([
            "request": .object(["method": .string("GET"), "urlPath": .string(path)]),
            "response": .object(["body": .string(body)]),
        ])
    }

    @Test func tenThousandStubsAreTakenAndOneMoreIsRefused() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            for number in 0..<StubStore.maximumCount {
                try client.admin("POST", "mappings", Self.stub("/item/\(number)"))
            }
            let refused = try client.request("POST", "/__admin/mappings", body: Self.stub("/more").json())
            #expect(refused.status == 429)
            #expect(refused.text.contains("the server has 10000 stubs; remove some"))
            // An import is refused as well, and the stubs that are there still answer.
            let imported = JSONNode.object(["mappings": .array([Self.stub("/more")])]).json()
            #expect(try client.request("POST", "/__admin/mappings/import", body: imported).status == 429)
            for number in [0, 5_000, 9_999] {
                #expect(try client.request("GET", "/item/\(number)").text == "found")
            }
            let unmatched = try client.request("GET", "/more")
            #expect(unmatched.status == 404)
            #expect(unmatched.text.contains("No stub matches this request."))
        }
    }

    /// Large events leave the memory soon after they are dropped, and small ones once they are the larger part.
    @Test(arguments: [1 << 20, 100]) func droppedRequestsLeaveTheMemory(bodyBytes: Int) {
        var journal = Journal(maximumCount: 50, budget: JournalBudget(maximumBytes: 20 << 20))
        for number in 0..<200 {
            let request = StubRequest(
                id: "\(number)",
                method: "POST",
                target: "/",
                host: "127.0.0.1",
                port: 80,
                headers: [],
                body: Array(repeating: 0x61, count: bodyBytes),
                clientAddress: "127.0.0.1",
                receivedAt: Timestamp(milliseconds: 0)
            )
            journal.append(
                ServeEvent(
                    request: request,
                    stub: nil,
                    definition: .object([JSONNode.Member]()),
                    response: ServeEvent.LoggedResponse(status: 404, headers: [], body: []),
                    timing: ServeEvent.Timing(addedDelay: 0, processing: 0),
                    placeholderID: ""
                )
            )
            #expect(journal.memoryBytes < 28 << 20)
        }
        #expect(journal.count == (bodyBytes == 100 ? 50 : 9))
        #expect(journal.droppedCount == 200 - journal.count)
        #expect(journal.oldestFirst.last?.id == "199")
        journal.removeAll()
        #expect(journal.memoryBytes == 0)
    }

    @Test func importOfTooManyStubsAddsNothing() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            let stubs = (0...StubStore.maximumCount).map { Self.stub("/item/\($0)") }
            let body = JSONNode.object(["mappings": .array(stubs)]).json()
            let refused = try client.request("POST", "/__admin/mappings/import", body: body)
            #expect(refused.status == 429)
            #expect(try client.admin("GET", "mappings")["meta"]?["total"]?.int == 0)
        }
    }

    @Test func aDeclaredBodyAboveTheLimitIsRefusedBeforeItIsSent() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.connection.begin("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \((50 << 20) + 1)\r\n\r\n")
            let answer = try client.connection.response()
            #expect(answer.status == 413)
            #expect(answer.text == "The request's body is larger than 52428800 bytes, which this stub server takes.\n")
        }
    }

    /// The client goes on sending and must still be able to read the answer.
    @Test(arguments: [true, false])
    func aBodyThatGrowsBeyondTheLimitIsRefused(isChunked: Bool) async throws {
        try await withStubServer {
            $0.limits.bodyBytes = 1 << 20
        } _: { port in
            let client = try StubClient(port: port)
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(4 << 20)"
            try client.connection.begin("POST /a HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            let piece = String(repeating: "x", count: 64 << 10)
            // The server may end the connection before all pieces are sent.
            for _ in 0..<64 { try? client.connection.begin(isChunked ? "10000\r\n\(piece)\r\n" : piece) }
            let answer = try client.connection.response()
            #expect(answer.status == 413)
            #expect(answer.text.contains("larger than 1048576 bytes"))
            #expect(try StubClient(port: port).request("GET", "/a").status == 404)
        }
    }

    @Test func aBodyOfTheLimitIsTaken() async throws {
        try await withStubServer {
            $0.limits.bodyBytes = 1 << 20
        } _: { port in
            let client = try StubClient(port: port)
            let pattern = JSONNode.object([
                "request": .object(["bodyPatterns": .array([.object(["contains": .string("end")])])]),
                "response": .object(["body": .string("found")]),
            ])
            try client.admin("POST", "mappings", pattern)
            let body = String(repeating: "x", count: (1 << 20) - 3) + "end"
            #expect(try client.request("POST", "/a", body: body).text == "found")
        }
    }

    @Test func aHeadAboveTheLimitIsRefused() async throws {
        try await withStubServer {
            $0.limits.headerBytes = 4_096
        } _: { port in
            let client = try StubClient(port: port)
            let answer = try client.request("GET", "/a", headers: ["X": String(repeating: "x", count: 5_000)])
            #expect(answer.status == 431)
        }
    }

    /// One catastrophic pattern costs a bounded time, its answer names it, and other clients are answered meanwhile.
    @Test func aCatastrophicPatternIsReported() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            try client.admin("POST", "mappings", Self.stub("/quick"))
            let pattern = JSONNode.object(["request": .object(["urlPathPattern": .string("/(a+)+b")])])
            try client.admin("POST", "mappings", pattern)
            let answer = try client.request("GET", "/" + String(repeating: "a", count: 200))
            #expect(answer.status == 500)
            #expect(answer.text.contains("the regular expression '/(a+)+b' takes too many steps"))
            #expect(try client.request("GET", "/quick").text == "found")
        }
    }

    /// The closest stub is of another URL, so the request is one that no stub matches.
    @Test func aCatastrophicPatternOfAnotherStubIsNotReported() async throws {
        try await withStubServer { port in
            let client = try StubClient(port: port)
            let body = JSONNode.array([.object(["matches": .string("(a+)+b")])])
            let pattern = JSONNode.object(["url": .string("/a"), "bodyPatterns": body])
            try client.admin("POST", "mappings", .object(["request": pattern]))
            let answer = try client.request("POST", "/b", body: String(repeating: "a", count: 100_000))
            #expect(answer.status == 404)
            #expect(answer.text.contains("The closest stub is not known: the regular expression"), "\(answer.text)")
        }
    }

    @Test func theJournalKeepsABoundedNumberOfBytes() async throws {
        try await withStubServer {
            $0.journalBytes = 4 << 20
        } _: { port in
            let client = try StubClient(port: port)
            let body = String(repeating: "x", count: 256 << 10)
            for number in 0..<40 { _ = try client.request("POST", "/\(number)", body: body) }
            let stored = try client.admin("GET", "requests")["requests"]?.elements ?? []
            // A request counts for its body as bytes and as text.
            #expect((4...8).contains(stored.count))
            #expect(stored.first?["request"]?["url"]?.text == "/39")
        }
    }

    /// The journals of all sessions share the limit, because a client decides about the number of sessions.
    @Test func theJournalsOfSessionsShareTheLimit() async throws {
        try await withStubServer {
            $0.journalBytes = 4 << 20
        } _: { port in
            let client = try StubClient(port: port)
            let body = String(repeating: "x", count: 256 << 10)
            var stored = 0
            for session in 0..<8 {
                try client.admin("POST", "sessions", .object(["id": .string("s\(session)")]))
                for number in 0..<8 { _ = try client.request("POST", "/\(number)", session: "s\(session)", body: body) }
            }
            for session in 0..<8 {
                let requests = try client.admin("GET", "requests", session: "s\(session)")["requests"]?.elements ?? []
                // Each keeps its latest request.
                #expect(requests.first?["request"]?["url"]?.text == "/7")
                stored += requests.count
            }
            #expect(stored <= 16)
        }
    }
}
