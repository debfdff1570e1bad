import Dispatch
import Hummingbird
import LinkCatalog
import NIOCore

#if canImport(CMalloc)
    import CMalloc
#endif

/// Applies ``DocumentMemory`` to the requests of editors. It reads nothing itself: the endpoint reads the body after every
/// check that may refuse the request.
struct DocumentMemoryMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let memory: DocumentMemory
    let keys: APIKeyAuthenticator

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let grant = keys.validGrant(request.headers[.authorization]) else {
            return try await next(request, context)
        }
        let own = memory.request(of: WorkOwner(grant))
        // The connections limit what the client has not read of the response.
        defer { own.end() }
        var request = request
        let threshold = request.isYAML ? DocumentMemory.thresholdOfYAML : DocumentMemory.threshold
        request.body = RequestBody(asyncSequence: MeasuredBody(base: request.body, memory: own, threshold: threshold))
        return try await DocumentMemory.$current.withValue(own) { [request] in try await next(request, context) }
    }
}

extension WorkOwner {
    init(_ grant: KeyGrant) { self = grant.tenant.map(WorkOwner.tenant) ?? .key(grant.id) }
}

/// A body that reserves its bytes once it is known to be large, and waits for permission to decode it at its end.
private struct MeasuredBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let memory: DocumentMemory.RequestMemory
    let threshold: Int

    func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), memory, threshold) }

    struct Iterator: AsyncIteratorProtocol {
        private var base: RequestBody.AsyncIterator
        private let memory: DocumentMemory.RequestMemory
        private let threshold: Int
        private var bytes = 0

        init(_ base: RequestBody.AsyncIterator, _ memory: DocumentMemory.RequestMemory, _ threshold: Int) {
            self.base = base
            self.memory = memory
            self.threshold = threshold
        }

        @concurrent
        mutating func next() async throws -> ByteBuffer? {
            guard let part = try await base.next() else {
                if bytes > threshold { try await memory.decode() }
                return nil
            }
            let earlier = bytes
            bytes += part.readableBytes
            if bytes > threshold { try memory.reserve(earlier > threshold ? part.readableBytes : bytes) }
            return part
        }
    }
}

extension DocumentMemory {
    /// Returns the memory of a large document to the system; the C library would keep it for the next one.
    package static func giveMemoryBack() {
        #if canImport(CMalloc)
            DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
        #endif
    }
}
