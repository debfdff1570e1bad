import FoundationEssentials
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import NIOCore
import Synchronization

/// Makes changes with an `Idempotency-Key` idempotent: a repeat within a day gets the first response again.
///
/// Only responses to successful changes are stored; a refused request writes nothing. If the server stops between the
/// change and its response, it does not recognize the repeat; `If-Match` prevents a second change then.
struct IdempotencyMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let answers: IdempotencyResponses
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
        let result: Result<Response, any Error>
        do {
            let (answer, stored) = try await next(request, context)
                .buffered(upTo: IdempotencyResponses.maximumBytes, without: change.begun?.secret)
            await answers.keep(stored, to: change)
            result = .success(answer)
        } catch let replay as ReplayedResponse {
            result = .success(Response(replay.answer))
        } catch let error as StoredNotLive {
            // The change is stored, so a repeat must not make it again.
            await answers.keep(StoredResponse(error.problem.answer(requestID: context.requestID)), to: change)
            result = .failure(error)
        } catch {
            // The change may be stored although its commit was not answered.
            if error is CatalogUnavailable { change.isMade = true }
            result = .failure(error)
        }
        await answers.end(change)
        return try result.get()
    }
}

extension ServerRequestContext {
    /// Begins a change. Every endpoint that changes something must call it, after reading the body and after every
    /// check that may refuse the request. Endpoints that change nothing do not call it, so that their responses are not
    /// stored.
    ///
    /// - Parameter secret: The member of the response that is a secret. It is not stored, so that only the first response
    ///   has it.
    /// - Throws: A ``ReplayedResponse`` if the change was made before, or a ``Problem`` if the key expired or was
    ///   revoked while the body arrived.
    func once(_ grant: KeyGrant, of tenant: TenantID? = nil, secret: String? = nil) async throws {
        guard let keys, keys.stillHolds(grant) else { throw Problem.invalidKey }
        try await repeatable?.begin(grant, of: tenant, secret: secret)
    }
}

extension Response {
    init(_ answer: StoredResponse) {
        var headers = HTTPFields()
        for (name, value) in answer.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
        headers[.idempotencyReplayed] = "true"
        // Computed from the stored body, which may lack the secret of the first response.
        headers[.contentLength] = nil
        self.init(
            status: .init(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    /// Returns the response with its body in memory, and in its stored form, which lacks the secret member. A large body
    /// is not stored.
    fileprivate func buffered(upTo limit: Int, without secret: String?) async throws -> (Response, StoredResponse?) {
        // A file that is streamed is stored as its location only.
        guard headers[.contentLocation] == nil else {
            return (self, StoredResponse(status: status.code, headers: headers.stored, body: Data()))
        }
        guard let length = body.contentLength, length <= limit else { return (self, nil) }
        let collector = BodyCollector()
        try await body.write(collector)
        let bytes = collector.bytes.withLock(\.self)
        var response = self
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        guard let secret else {
            return (response, StoredResponse(status: status.code, headers: headers.stored, body: Data(bytes)))
        }
        guard let body = try? JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: limit)) else {
            return (response, nil)
        }
        let rest = JSONNode(.object((body.members ?? []).filter { $0.key != secret })).json() + "\n"
        return (response, StoredResponse(status: status.code, headers: headers.stored, body: Data(rest.utf8)))
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

struct BodyCollector: ResponseBodyWriter {
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
    static let idempotencyKey = HTTPField.Name.constant("Idempotency-Key")
    static let idempotencyReplayed = HTTPField.Name.constant("Idempotency-Replayed")
}
