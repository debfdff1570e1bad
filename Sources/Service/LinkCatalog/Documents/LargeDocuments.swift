import Synchronization

/// Bounds the memory that large documents take together: a few are held at a time, as a request body or an answer, and
/// one is processed. The others wait in order. Small documents never wait.
///
/// A document takes several times its size while it is processed, and the limits of a single request do not bound how
/// many requests arrive together.
package final class LargeDocuments: Sendable {
    /// Documents larger than this count as large, in bytes.
    package static let threshold = 256 << 10
    /// The threshold for YAML, in bytes. YAML takes ten times as much memory.
    package static let thresholdOfYAML = 32 << 10
    private static let maximumHeld = 2

    /// The turn of the request that the current task answers; nil outside of requests, where nothing waits.
    @TaskLocal package static var turn: Turn?

    private let pool: WorkPool
    private let held = Slots(count: maximumHeld)
    private let worked = Slots(count: 1)
    /// Called after a turn has released its document.
    private let whenDone: @Sendable () -> Void

    package init(pool: WorkPool = WorkPool(), whenDone: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        self.whenDone = whenDone
    }

    /// Returns a new turn for a request.
    ///
    /// - Parameter caller: The owner of the turn. Each caller holds at most one document at a time, so that no caller
    ///   blocks the others.
    package func turn(of caller: WorkPool.Caller) -> Turn { Turn(self, caller) }

    /// Waits for permission to process a stored document that is large.
    package static func wait(toRead bytes: Int) async throws {
        guard bytes > threshold else { return }
        try await turn?.work()
    }

    /// Reads a text that may be YAML. A large text waits for its turn and is read on a thread of the work pool.
    package static func readYAML<Result: Sendable>(
        _ text: String,
        _ read: @escaping @Sendable (String) throws -> Result
    ) async throws -> Result {
        try await readYAML(bytes: text.utf8.count) { try read(text) }
    }

    /// Reads several texts that may be YAML, under one turn.
    ///
    /// - Parameter bytes: Size of all texts together.
    package static func readYAML<Result: Sendable>(
        bytes: Int,
        _ read: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard bytes > thresholdOfYAML, let turn else { return try read() }
        try await turn.work()
        return try await turn.read(read)
    }

    /// The slots that one request has taken. One task at a time uses it. It returns its slots on `deinit`.
    package final class Turn: Sendable {
        private let documents: LargeDocuments
        private let owner: WorkPool.Caller
        private let state = Mutex(State())

        private struct State {
            var holds = false
            var works = false
        }

        fileprivate init(_ documents: LargeDocuments, _ owner: WorkPool.Caller) {
            self.documents = documents
            self.owner = owner
        }

        deinit { end() }

        /// Waits until the document may be held in memory. Does nothing if it is held already.
        ///
        /// - Throws: ``WorkPool/Refusal``, `CancellationError`.
        package func hold() async throws {
            guard !state.withLock(\.holds) else { return }
            try await documents.held.take(for: owner)
            state.withLock { $0.holds = true }
        }

        /// Whether the request holds a document.
        package var holds: Bool { state.withLock(\.holds) }

        /// Waits until the document may be processed; holds it as well.
        ///
        /// - Throws: ``WorkPool/Refusal``, `CancellationError`.
        package func work() async throws {
            try await hold()
            guard !state.withLock(\.works) else { return }
            try await documents.worked.take(for: owner)
            state.withLock { $0.works = true }
        }

        /// Runs `read` on a thread of the work pool.
        package func read<Result: Sendable>(_ read: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await documents.pool.run(for: owner) { _ in try read() }
        }

        /// Returns the processing slot. The document may still be held in memory.
        package func rest() {
            guard
                state.withLock({ state in
                    defer { state.works = false }
                    return state.works
                })
            else { return }
            documents.worked.give(back: owner)
        }

        /// Returns all slots of the request.
        package func end() {
            rest()
            guard
                state.withLock({ state in
                    defer { state.holds = false }
                    return state.holds
                })
            else { return }
            documents.held.give(back: owner)
            documents.whenDone()
        }
    }
}

/// A semaphore with a FIFO queue. An owner has at most one slot at a time; waiters whose owner has one are passed over.
private final class Slots: Sendable {
    private static let maximumWaiting = 32
    private static let maximumWaitingOfOwner = 12

    private let state: Mutex<State>

    private struct State {
        var free: Int
        var holders: Set<WorkPool.Caller> = []
        var waiting: [Waiter] = []
        var last: UInt64 = 0
    }

    private struct Waiter {
        let number: UInt64
        let owner: WorkPool.Caller
        let continuation: CheckedContinuation<Void, any Error>
    }

    init(count: Int) { state = Mutex(State(free: count)) }

    func take(for owner: WorkPool.Caller) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0, state.holders.insert(owner).inserted {
                        state.free -= 1
                        return .success(())
                    }
                    guard state.waiting.count(where: { $0.owner == owner }) < Self.maximumWaitingOfOwner else {
                        return .failure(WorkPool.Refusal.tooMuchOfCaller)
                    }
                    guard state.waiting.count < Self.maximumWaiting else {
                        return .failure(WorkPool.Refusal.tooMuch)
                    }
                    state.waiting.append(Waiter(number: number, owner: owner, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    func give(back owner: WorkPool.Caller) {
        let next = state.withLock { state -> Waiter? in
            state.free += 1
            state.holders.remove(owner)
            guard let index = state.waiting.firstIndex(where: { !state.holders.contains($0.owner) }) else { return nil }
            let next = state.waiting.remove(at: index)
            state.free -= 1
            state.holders.insert(next.owner)
            return next
        }
        next?.continuation.resume()
    }
}
