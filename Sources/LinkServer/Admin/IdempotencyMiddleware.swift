import FoundationEssentials
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore
import Synchronization

/// A change with an `Idempotency-Key` is done once: whoever repeats it within a day gets the first answer again.
///
/// Only changes that succeeded are kept; a request that is refused writes nothing. A server that stopped between the change
/// and its answer does not know the request any more; `If-Match` guards against doing it twice then.
struct IdempotencyMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let answers: KeptAnswers
    let keys: APIKeyAuthenticator

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.keys = keys
        guard [.post, .put, .delete].contains(request.method), let name = request.headers[.idempotencyKey] else {
            return try await next(request, context)
        }
        let change = RepeatableChange(name, request, answers)
        var request = request
        request.body = RequestBody(asyncSequence: request.body.map { change.hash($0) })
        context.repeatable = change
        defer { answers.end(change) }
        do {
            let (answer, kept) = try await next(request, context).kept(upTo: KeptAnswers.maximumBytes)
            await answers.keep(kept, to: change)
            return answer
        } catch let replay as ReplayedAnswer {
            return Response(replay.answer)
        } catch let error as StoredNotLive {
            // It is done: a repeat must not do it again.
            await answers.keep(StoredResponse(Problem(error).answer(requestID: context.requestID)), to: change)
            throw error
        }
    }
}

extension ServerRequestContext {
    /// To be called by every endpoint that changes something, behind everything that may refuse the request and behind its
    /// body: throws the first answer when the change was done already. Endpoints that change nothing do not call it, so
    /// that what they answer is not kept.
    ///
    /// A body may come slowly: throws when the key has ended in the meantime.
    func once(_ grant: KeyGrant, of tenant: TenantID? = nil) async throws {
        guard let keys, keys.stillHolds(grant) else { throw Problem.endedKey }
        try await repeatable?.begin(grant, of: tenant)
    }
}

extension Response {
    init(_ answer: StoredResponse) {
        var headers = HTTPFields()
        for (name, value) in answer.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
        headers[.idempotencyReplayed] = "true"
        // The response tells the length of the body that was kept: it may lack the secret of the first answer.
        headers[.contentLength] = nil
        self.init(
            status: .init(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    /// The answer with its body in memory, and as it is stored; a large body is not kept.
    fileprivate func kept(upTo limit: Int) async throws -> (Response, StoredResponse?) {
        // What is streamed from a file is told by its place.
        guard headers[.contentLocation] == nil else {
            return (self, StoredResponse(status: status.code, headers: headers.stored, body: Data()))
        }
        guard let length = body.contentLength, length <= limit else { return (self, nil) }
        let collector = BodyCollector()
        try await body.write(collector)
        let bytes = collector.bytes.withLock(\.self)
        var response = self
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        let stored = StoredResponse(
            status: status.code,
            headers: headers.stored,
            body: Data(Self.withoutSecret(bytes))
        )
        return (response, stored)
    }
}

extension HTTPFields {
    fileprivate var stored: [String: String] {
        Dictionary(map { ($0.name.rawName, $0.value) }) { first, _ in first }
    }
}

extension StoredResponse {
    fileprivate init(_ answer: BufferedResponse) {
        self.init(
            status: answer.status.code,
            headers: answer.headers.stored,
            body: Data(answer.body.readableBytesView)
        )
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
