import Synchronization

/// Limits the bytes of requests that all connections of the public port buffer before they are handled: incomplete
/// bodies, and requests behind responses that their client does not read.
package final class RequestBufferBudget: Sendable {
    private let limit: Int
    private let reserved = Atomic(0)

    /// - Parameter limit: In bytes.
    package init(limit: Int = 64 << 20) { self.limit = limit }

    /// Reserves `bytes`.
    ///
    /// - Throws: A `busy` problem if fewer than `bytes` are left; nothing is reserved then.
    package func reserve(_ bytes: Int) throws(Problem) {
        guard reserved.wrappingAdd(bytes, ordering: .relaxed).newValue > limit else { return }
        release(bytes)
        var problem = Problem(.busy, "The server's buffer for request bodies is full. Try again in a few seconds.")
        problem.hints = [.retryAfter(seconds: 5)]
        throw problem
    }

    package func release(_ bytes: Int) { reserved.wrappingSubtract(bytes, ordering: .relaxed) }

    /// The bytes that are reserved now; for tests.
    var bytesReserved: Int { reserved.load(ordering: .relaxed) }
}
