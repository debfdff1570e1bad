import Synchronization

/// The bytes of the bodies that requests and answers under way take, of all connections together.
///
/// Without a limit, clients that send large bodies slowly, or ask for large files and do not read, would fill the memory.
final class MessageMemory: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// The bytes of a body that count. The first 64 KiB do not, so that small messages pass also when large ones use up the
    /// memory: there are at most as many as connections.
    static func counted(_ bytes: Int) -> Int { max(0, bytes - (64 << 10)) }

    /// Returns false, and counts nothing, if there would be too many bytes.
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
