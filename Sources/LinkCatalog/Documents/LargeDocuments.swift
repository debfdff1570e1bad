import Synchronization

/// Keeps large documents from meeting in memory: few are held at a time, as a body that is read or an answer that is written,
/// and one is worked on. The others wait in order; small ones never wait.
///
/// A document takes several times its size while it is worked on, and no limit of a single request bounds how many come at
/// once.
package final class LargeDocuments: Sendable {
    /// What is larger is large.
    package static let threshold = 256 << 10
    /// The same of YAML, which takes ten times as much.
    package static let thresholdOfYAML = 32 << 10
    private static let maximumHeld = 2

    /// The turn of the request that the task answers; nil outside of requests, where nobody waits.
    @TaskLocal package static var turn: Turn?

    private let pool: WorkPool
    private let held = Slots(count: maximumHeld)
    private let worked = Slots(count: 1)
    /// Called when one was worked on and is gone.
    private let whenDone: @Sendable () -> Void

    package init(pool: WorkPool = WorkPool(), whenDone: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        self.whenDone = whenDone
    }

    /// - Parameter caller: Each may hold one document at a time, so that none keeps the others from theirs.
    package func turn(of caller: WorkPool.Caller) -> Turn { Turn(self, caller) }

    /// Waits for its turn where what is stored is large, or of unknown size.
    package static func wait(toRead bytes: Int?) async throws {
        guard bytes.map({ $0 > threshold }) ?? true else { return }
        try await turn?.work()
    }

    /// Reads a text that may be YAML, in its turn and on a thread that answers nobody where it is large.
    package static func readYAML<Result: Sendable>(
        _ text: String,
        _ read: @escaping @Sendable (String) throws -> Result
    ) async throws -> Result {
        try await readYAML(bytes: text.utf8.count) { try read(text) }
    }

    /// The same of several texts.
    /// - Parameter bytes: Of all texts together.
    package static func readYAML<Result: Sendable>(
        bytes: Int,
        _ read: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard bytes > thresholdOfYAML, let turn else { return try read() }
        try await turn.work()
        return try await turn.read(read)
    }

    /// What one request has taken. It is used by one task at a time, and gives back what it has when it is gone.
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

        /// Waits until the document may be held in memory.
        package func hold() async throws {
            guard !state.withLock(\.holds) else { return }
            try await documents.held.take(for: owner)
            state.withLock { $0.holds = true }
        }

        package var holds: Bool { state.withLock(\.holds) }

        /// Waits until it may be worked on, too.
        package func work() async throws {
            try await hold()
            guard !state.withLock(\.works) else { return }
            try await documents.worked.take(for: owner)
            state.withLock { $0.works = true }
        }

        /// Reads a document on a thread that answers nobody.
        package func read<Result: Sendable>(_ read: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await documents.pool.run(for: owner) { _ in try read() }
        }

        /// It is worked on no more; it may still be held.
        package func rest() {
            guard
                state.withLock({ state in
                    defer { state.works = false }
                    return state.works
                })
            else { return }
            documents.worked.give(back: owner)
        }

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

/// A number of places that are given in the order in which they are asked for.
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
