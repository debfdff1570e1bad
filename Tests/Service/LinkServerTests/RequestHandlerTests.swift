import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import HTTPTransport
@testable import LinkServer

/// Responses of the public port come in the order of their requests, however the input is cut.
@Suite(.timeLimit(.minutes(15)))
struct RequestHandlerTests {
    /// A request, and the status of its response.
    private struct Question {
        let name: String
        let text: String
        let status: Int

        init(
            _ name: String,
            _ line: String,
            host: String,
            headers: String = "",
            body: String? = nil,
            chunk: String? = nil,
            status: Int
        ) {
            self.name = name
            self.status = status
            var text = "\(line) HTTP/1.1\r\nHost: \(host)\r\nX-Request-ID: \(name)\r\n\(headers)"
            if let body { text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" }
            if let chunk { text += "\r\n\(String(chunk.utf8.count, radix: 16))\r\n\(chunk)\r\n0\r\n\r\n" }
            if body == nil, chunk == nil { text += "\r\n" }
            self.text = text
        }
    }

    private static func question(_ kind: Int, _ name: String) -> Question {
        let link = #"{"url":"https://yourappdomain.com/product/\#(name)"}"#
        let clicks = "go.yourappdomain.com"
        return switch kind {
        case 0: Question(name, "POST /resolve", host: "a.example", body: link, status: 200)
        case 1: Question(name, "POST /resolve", host: "a.example", body: "{", status: 400)
        case 2: Question(name, "POST /resolve?x", host: "a.example", body: link, status: 200)
        case 3: Question(name, "GET /product/\(name)", host: clicks, status: 302)
        case 4: Question(name, "HEAD /product/\(name)", host: clicks, status: 302)
        case 5: Question(name, "GET /", host: "nobody.example", status: 404)
        case 6: Question(name, "GET /.well-known/assetlinks.json", host: "yourappdomain.com", status: 200)
        case 7: Question(name, "GET //resolve", host: clicks, status: 404)
        case 8:
            Question(
                name,
                "POST /resolve",
                host: "a.example",
                headers: "Transfer-Encoding: chunked\r\n",
                chunk: link,
                status: 200
            )
        case 9:
            Question(
                name,
                "POST /resolve",
                host: "a.example",
                headers: "Authorization: Bearer fp_no\r\n",
                status: 401
            )
        case 10:
            Question(
                name,
                "POST /resolve",
                host: "a.example",
                body: link + String(repeating: " ", count: 30_000),
                status: 413
            )
        default: Question(name, "DELETE /resolve", host: "a.example", status: 405)
        }
    }

    private static func patient(_ limits: inout ServerLimits) {
        limits.headSeconds = 900
        limits.bodySeconds = 900
    }

    /// Thirty questions at once, cut anywhere.
    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func answersComeInOrder(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let questions = (0..<30).map { Self.question(Int.random(in: 0...11, using: &random), "q-\($0)") }
        let bytes = Array(questions.map { $0.text }.joined().utf8)
        var cuts = (0..<6).map { _ in Int.random(in: 0...bytes.count, using: &random) }
        cuts = [0] + cuts.sorted() + [bytes.count]
        let pieces = zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }
        let answers = try await withService { service in
            // A machine that is busy with other tests is no slow client.
            try await service.listening(Self.patient) { port in
                try await onThread {
                    let connection = try RawConnection(port: port)
                    for piece in pieces { connection.send(piece) }
                    connection.finish()
                    return try connection.readToEnd()
                }
            }
        }
        let statuses = answers.split(separator: "HTTP/1.1 ").map { Int($0.prefix(3)) }
        let names = answers.split(separator: "X-Request-ID: ").dropFirst().map { String($0.prefix { !$0.isNewline }) }
        #expect(statuses == questions.map { $0.status })
        #expect(names == questions.map { $0.name })
    }

    /// The body is neither wanted nor waited for.
    @Test func clickWithABodyThatDoesNotComeIsAnswered() async throws {
        let answer = try await withService { service in
            try await service.listening(Self.patient) { port in
                try await onThread {
                    let connection = try RawConnection(port: port)
                    connection.send(
                        "GET /product/1 HTTP/1.1\r\nHost: go.yourappdomain.com\r\nContent-Length: 5\r\n\r\na"
                    )
                    return try connection.readToEnd()
                }
            }
        }
        #expect(answer.hasPrefix("HTTP/1.1 302 "))
        #expect(answer.contains("Connection: close"))
    }

    // MARK: Bounds

    private final class Sender: ResponseSender {
        func send(_ response: HTTPTransport.BufferedResponse) {}
        func flushingOnce(_ body: () -> Void) { body() }
    }

    private static func head(_ method: HTTPRequest.Method, _ length: Int) -> HTTPRequestPart {
        let fields: HTTPFields = [.contentLength: "\(length)"]
        return .head(HTTPRequest(method: method, scheme: "http", authority: "a", path: "/x", headerFields: fields))
    }

    private static func service(_ endpoint: PublicEndpoint, of service: TestService) -> PublicService {
        let usual = publicConnection(service.dependencies).service
        return PublicService(
            router: PublicRouter([endpoint]),
            catalog: usual.catalog,
            instrumentation: usual.instrumentation,
            admission: usual.admission,
            keys: usual.keys,
            buffers: RequestBufferBudget(),
            date: usual.date
        )
    }

    /// While the response waits for the log, a client may send any amount.
    @Test func restOfAnAnsweredRequestIsDiscarded() async throws {
        try await withService { service in
            let endpoint = PublicEndpoint(methods: [.get], path: "/x") { _, _ in .later { _ in } }
            let requests = Self.service(endpoint, of: service)
            let channel = NIOAsyncTestingChannel()
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
            let handler = try await channel.eventLoop.submit {
                let handler = RequestHandler(requests, Sender(), client: ClientAddress(nil))
                try channel.pipeline.syncOperations.addHandler(handler)
                return NIOLoopBound(handler, eventLoop: channel.eventLoop)
            }.get()
            func queuedParts() async throws -> Int {
                try await channel.eventLoop.submit { handler.value.queuedParts }.get()
            }
            try await channel.writeInbound(Self.head(.get, 1 << 30))
            let part = HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 512))
            for _ in 0..<1_000 { try await channel.writeInbound(part) }
            #expect(try await queuedParts() == 0)
            try await channel.writeInbound(HTTPRequestPart.end(nil))
            try await channel.writeInbound(Self.head(.get, 0))
            #expect(try await queuedParts() == 1)
        }
    }

    /// A body counts until the task that reads it has ended.
    @Test func bodyOfATaskCountsInTheBudget() async throws {
        try await withService { service in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let endpoint = PublicEndpoint(methods: [.post], path: "/x", bodyLimit: { 1_000 }) { _, _ in
                .async {
                    for await _ in ends {}
                    return HTTPTransport.BufferedResponse(.ok)
                }
            }
            let requests = Self.service(endpoint, of: service)
            let channel = NIOAsyncTestingChannel()
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
            try await channel.eventLoop.submit {
                let handler = RequestHandler(requests, Sender(), client: ClientAddress(nil))
                try channel.pipeline.syncOperations.addHandler(handler)
            }.get()
            try await channel.writeInbound(Self.head(.post, 600))
            try await channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 600)))
            try await channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(requests.buffers.bytesReserved == 600)
            end.finish()
            while requests.buffers.bytesReserved > 0 { await Task.yield() }
        }
    }

    /// Where nothing is known of a date but its text.
    @Test(arguments: [
        (784_111_777 as Int64, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func dateIsWrittenAsHTTPWants(second: Int64, text: String) {
        #expect(ResponseDate.text(second) == text)
    }
}
