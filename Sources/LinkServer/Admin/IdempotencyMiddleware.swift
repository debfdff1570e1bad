import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore
import Synchronization

/// A write with an `Idempotency-Key` is done once: whoever repeats it within a day gets the first answer again.
///
/// Only what succeeded is kept. A server that stopped between the write and its answer does not know the request any more;
/// `If-Match` guards against doing it twice then.
struct IdempotencyMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let keys: KeyRing
    let store: any CatalogStore
    let now: @Sendable () -> Timestamp
    let limits: LiveLimits

    private static let lifetime = Int64(86_400_000)
    private static let maximumAnswerBytes = 4 << 20

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard [.post, .put, .delete].contains(request.method), let name = request.headers[.idempotencyKey],
            let grant = try keys.optionalGrant(in: request.headers)
        else { return try await next(request, context) }
        guard (1...255).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.invalidRequest, "An Idempotency-Key has 1 to 255 visible ASCII characters; a UUID will do.")
        }
        var request = request
        let body = try await request.collectBody(upTo: limits.tableBytes)
        request.body = RequestBody(buffer: body)
        // Each operation has its own keys.
        let operation = "\(request.method) \(request.uri.path)"
        let repeated = RepeatedRequest(
            actor: grant.id,
            key: "\(name) \(operation)",
            hash: Self.hash(of: request, body)
        )
        let moment = now()
        switch try await store.beginRequest(
            repeated,
            at: moment,
            oldest: Timestamp(milliseconds: moment.milliseconds - Self.lifetime)
        ) {
        case .answered(let answer): return Response(answer)
        case .other:
            throw Problem(.idempotencyMismatch, "This Idempotency-Key came with another request; make a new one.")
        case .unfinished:
            throw Problem(
                .idempotencyUnfinished,
                "The first request with this key is still being worked on; try again."
            )
        case .new: break
        }
        do {
            let response = try await next(request, context)
            let (answer, kept) = try await response.kept(upTo: Self.maximumAnswerBytes)
            try await store.endRequest(repeated, with: kept)
            return answer
        } catch {
            try await store.endRequest(repeated, with: nil)
            throw error
        }
    }

    private static func hash(of request: Request, _ body: ByteBuffer) -> Data {
        var hash = SHA256()
        for part in [
            request.method.rawValue, "\(request.uri)", request.headers[.ifMatch] ?? "",
            request.headers[.contentType] ?? "",
        ] {
            hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        hash.update(data: Data(body.readableBytesView))
        return Data(hash.finalize())
    }
}

extension Response {
    fileprivate init(_ answer: StoredAnswer) {
        var headers = HTTPFields()
        for (name, value) in answer.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
        headers[.idempotencyReplayed] = "true"
        self.init(
            status: .init(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    /// The answer with its body in memory, and as it is stored; a large body is not kept.
    fileprivate func kept(upTo limit: Int) async throws -> (Response, StoredAnswer?) {
        guard let length = body.contentLength, length <= limit else { return (self, nil) }
        let collector = BodyCollector()
        try await body.write(collector)
        let bytes = collector.bytes.withLock(\.self)
        var response = self
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        let stored = StoredAnswer(
            status: status.code,
            headers: Dictionary(headers.map { ($0.name.rawName, $0.value) }) { first, _ in first },
            body: Data(Self.withoutSecret(bytes))
        )
        return (response, stored)
    }
}

extension Response {
    /// Of an answer that shows a new key: what may be kept of it. Only the first answer holds the secret.
    private static func withoutSecret(_ bytes: [UInt8]) -> [UInt8] {
        guard let node = try? JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 4 << 20)),
            let members = node.members, node["key"] != nil, node["scopes"] != nil
        else { return bytes }
        return Array(JSONNode(.object(members.filter { $0.key != "key" })).json().utf8)
    }
}

private struct BodyCollector: ResponseBodyWriter {
    let bytes = Box()

    final class Box: Sendable {
        private let value = Mutex<[UInt8]>([])
        func withLock<Result>(_ body: (inout sending [UInt8]) -> sending Result) -> sending Result {
            value.withLock(body)
        }
    }

    mutating func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += Array(buffer: buffer) } }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .contentType
    static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed") ?? .contentType
}
