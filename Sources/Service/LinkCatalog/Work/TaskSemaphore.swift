import Synchronization

/// A semaphore for tasks with a bounded queue. Each owner holds it at most once. Waiting tasks take it in order of arrival;
/// the owner who gives it back takes it again only if no other owner waits.
package final class TaskSemaphore: Sendable {
    private struct Waiter {
        let number: UInt64
        let owner: WorkOwner
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var holders: Set<WorkOwner> = []
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
        /// The totals since the start.
        var counts = WorkCounts()
    }

    private let count: Int
    private let waitingOfOwner: Int
    private let waiting: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: Maximum number of holders.
    ///   - waitingOfOwner: Maximum number of waiting tasks of one owner.
    ///   - waiting: Maximum number of waiting tasks of all owners together.
    init(count: Int, waitingOfOwner: Int, waiting: Int) {
        self.count = max(1, count)
        self.waitingOfOwner = waitingOfOwner
        self.waiting = waiting
    }

    var counts: WorkCounts {
        state.withLock { state in
            var counts = state.counts
            (counts.running, counts.waiting) = (state.holders.count, state.waiters.count)
            return counts
        }
    }

    /// Waits until the owner holds the semaphore, and must give it back.
    ///
    /// - Throws: ``WorkRefusal`` if too many tasks wait, or `CancellationError` if the task is cancelled.
    func take(for owner: WorkOwner) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, owner: owner, continuation: continuation)
                if let result = state.withLock({ add(waiter, to: &$0) }) { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
                state.counts.cancelled += 1
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns nil if the task must wait.
    private func add(_ waiter: Waiter, to state: inout State) -> Result<Void, any Error>? {
        // A later cancellation finds the waiter in the queue.
        guard !Task.isCancelled else {
            state.counts.cancelled += 1
            return .failure(CancellationError())
        }
        if state.holders.count < count, state.holders.insert(waiter.owner).inserted { return .success(()) }
        let isOwnersLimit = state.waiters.count(where: { $0.owner == waiter.owner }) >= waitingOfOwner
        guard !isOwnersLimit, state.waiters.count < waiting else {
            state.counts.refused += 1
            return .failure(isOwnersLimit ? WorkRefusal.tooMuchOfOwner : .tooMuch)
        }
        state.waiters.append(waiter)
        return nil
    }

    func giveBack(by owner: WorkOwner, isCancelled: Bool = false) {
        let next = state.withLock { state -> Waiter? in
            state.counts.done += 1
            if isCancelled { state.counts.cancelled += 1 }
            let other = state.waiters.firstIndex { !state.holders.contains($0.owner) }
            state.holders.remove(owner)
            guard let index = other ?? state.waiters.firstIndex(where: { $0.owner == owner }) else { return nil }
            let next = state.waiters.remove(at: index)
            state.holders.insert(next.owner)
            return next
        }
        next?.continuation.resume()
    }
}
