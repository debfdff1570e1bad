import Synchronization

/// Counts the memory of the bodies of all requests and answers under way, over all connections.
///
/// Without a limit, clients that send large bodies slowly, or ask for large files and do not read, would fill the memory.
final class MessageMemory: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// The number of bytes of a body that count. The first 64 KiB do not count, so that small messages pass even when
    /// large ones use up the memory. The limit on connections bounds the bytes that do not count.
    static func counted(_ bytes: Int) -> Int { max(0, bytes - (64 << 10)) }

    /// Counts bytes. Returns false, and counts nothing, if they would exceed the limit.
    func add(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard used + bytes <= limit else { return false }
            used += bytes
            return true
        }
    }

    func remove(_ bytes: Int) { used.withLock { $0 -= bytes } }

    /// The answer to a request for which there is no memory.
    var exhausted: StubAnswer {
        .text(
            503,
            "The bodies of the requests and answers under way would take more than \(limit) bytes. Send fewer at a time, "
                + "and read their answers.\n"
        )
    }
}
