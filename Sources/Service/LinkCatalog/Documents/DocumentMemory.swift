import Synchronization

/// Bounds the memory of large documents on the admin port, which is several times their size once they are decoded.
///
/// All large bodies together may have ``maximumBytes`` while they arrive, and those of one tenant half of them; a body that
/// exceeds this is refused. One large document is decoded and processed at a time; eight requests of a tenant wait for it,
/// and 64 in all. A request that waits has received its whole body, so that no client delays others by sending slowly.
/// Small documents never wait.
package final class DocumentMemory: Sendable {
    /// Documents larger than this count as large, in bytes.
    package static let threshold = 256 << 10
    /// The threshold for YAML, in bytes. YAML takes ten times as much memory.
    package static let thresholdOfYAML = 32 << 10

    /// The memory of the request that the current task answers; nil outside of requests, where nothing waits.
    @TaskLocal package static var current: RequestMemory?

    private let queue: WorkQueue
    private let maximumBytes: @Sendable () -> Int
    private let arrived = Mutex<[WorkOwner: Int]>([:])
    private let decoding = TaskSemaphore(count: 1, waitingOfOwner: 8, waiting: 64)
    /// Called after a large document is released.
    private let whenDone: @Sendable () -> Void

    /// - Parameters:
    ///   - queue: Decodes large documents.
    ///   - maximumBytes: Maximum size of all large bodies together.
    package init(
        queue: WorkQueue,
        maximumBytes: @escaping @Sendable () -> Int,
        whenDone: @escaping @Sendable () -> Void = {}
    ) {
        self.queue = queue
        self.maximumBytes = maximumBytes
        self.whenDone = whenDone
    }

    /// A body does not fit, because other bodies are in memory.
    package enum Full: Error, Hashable {
        case ofOwner
        case ofAll
    }

    package func request(of owner: WorkOwner) -> RequestMemory { RequestMemory(self, owner) }

    /// Waits for permission to decode a stored document that is large.
    package static func wait(toDecode bytes: Int) async throws {
        guard bytes > threshold else { return }
        try await current?.decode()
    }

    /// Reads texts that may be YAML and have `bytes` together. Large ones wait, and are read off the calling thread.
    package static func readYAML<Result: Sendable>(
        bytes: Int,
        _ read: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard bytes > thresholdOfYAML, let current else { return try read() }
        try await current.decode()
        return try await current.run(read)
    }

    private func reserve(_ bytes: Int, for owner: WorkOwner) throws {
        let most = maximumBytes()
        try arrived.withLock { arrived in
            let own = arrived[owner, default: 0] + bytes
            guard own <= most / 2 else { throw Full.ofOwner }
            guard arrived.values.reduce(bytes, +) <= most else { throw Full.ofAll }
            arrived[owner] = own
        }
    }

    private func release(_ bytes: Int, of owner: WorkOwner) {
        arrived.withLock { arrived in
            let left = arrived[owner, default: 0] - bytes
            arrived[owner] = left > 0 ? left : nil
        }
    }

    /// What one request has reserved. One task at a time uses it.
    package final class RequestMemory: Sendable {
        private let memory: DocumentMemory
        private let owner: WorkOwner
        private let state = Mutex((bytes: 0, isDecoding: false))

        fileprivate init(_ memory: DocumentMemory, _ owner: WorkOwner) {
            self.memory = memory
            self.owner = owner
        }

        deinit { end() }

        /// Reserves bytes of a large body that have arrived.
        ///
        /// - Throws: ``DocumentMemory/Full``.
        package func reserve(_ bytes: Int) throws {
            try memory.reserve(bytes, for: owner)
            state.withLock { $0.bytes += bytes }
        }

        /// Waits until a large document may be decoded. Does nothing if the request decodes one already.
        ///
        /// - Throws: ``WorkRefusal``, `CancellationError`.
        package func decode() async throws {
            guard !state.withLock(\.isDecoding) else { return }
            try await ClientPresence.cancelling { [self] in try await memory.decoding.take(for: owner) }
            state.withLock { $0.isDecoding = true }
        }

        /// Runs `read` in the queue of editors' work.
        package func run<Result: Sendable>(_ read: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await memory.queue.run(for: owner) { _ in try read() }
        }

        /// Releases everything. The request has no large document any more.
        package func end() {
            let (bytes, isDecoding) = state.withLock { state in
                defer { state = (0, false) }
                return state
            }
            if bytes > 0 { memory.release(bytes, of: owner) }
            if isDecoding {
                memory.decoding.giveBack(by: owner)
                memory.whenDone()
            }
        }
    }
}
