import Dispatch
import Hummingbird
import LinkCatalog
import NIOCore

#if canImport(CMalloc)
    import CMalloc
#endif

/// Limits how many requests with a large body, or a large read from the store, run at once: they wait for a turn. It
/// reads nothing itself: the endpoint reads the body after every check that may refuse the request.
struct LargeDocumentMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let documents: LargeDocuments
    let keys: APIKeyAuthenticator

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let grant = keys.validGrant(request.headers[.authorization]) else {
            return try await next(request, context)
        }
        let turn = documents.turn(of: grant.tenant.map(WorkPool.Caller.tenant) ?? .key(grant.id))
        var request = request
        let threshold = request.isYAML ? LargeDocuments.thresholdOfYAML : LargeDocuments.threshold
        request.body = RequestBody(asyncSequence: LargeBody(base: request.body, turn: turn, threshold: threshold))
        var response = try await LargeDocuments.$turn.withValue(turn) { [request] in try await next(request, context) }
        turn.rest()
        guard turn.holds, response.body.contentLength.map({ $0 > LargeDocuments.threshold }) ?? true else {
            turn.end()
            return response
        }
        // A client that does not read keeps its turn, and no memory beyond that. If the response is never written, the
        // turn ends when the closure is released.
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { turn.end() }
            try await body.write(writer)
        }
        return response
    }
}

/// A body that waits for its turn once it is known to be large, and again before it is processed.
private struct LargeBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let turn: LargeDocuments.Turn
    let threshold: Int

    func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), turn, threshold) }

    struct Iterator: AsyncIteratorProtocol {
        private var base: RequestBody.AsyncIterator
        private let turn: LargeDocuments.Turn
        private let threshold: Int
        private var bytes = 0

        init(_ base: RequestBody.AsyncIterator, _ turn: LargeDocuments.Turn, _ threshold: Int) {
            self.base = base
            self.turn = turn
            self.threshold = threshold
        }

        @concurrent
        mutating func next() async throws -> ByteBuffer? {
            guard let part = try await base.next() else {
                if bytes > threshold { try await turn.work() }
                return nil
            }
            bytes += part.readableBytes
            if bytes > threshold { try await turn.hold() }
            return part
        }
    }
}

extension LargeDocuments {
    /// Returns the memory of a large document to the system; the C library would keep it for the next one.
    package static func giveMemoryBack() {
        #if canImport(CMalloc)
            DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
        #endif
    }
}
