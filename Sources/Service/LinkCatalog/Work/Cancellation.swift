package import LinkRouting
import Synchronization

/// A cancellation flag for synchronous work, with one callback.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag and calls the action, at most once.
    package func cancel() {
        let action = action.withLock { action in
            flag.store(true, ordering: .relaxed)
            defer { action = nil }
            return action
        }
        action?()
    }

    /// Returns a budget of the same steps that is exhausted as soon as the work is cancelled.
    package func budget(of budget: WorkBudget) -> WorkBudget {
        WorkBudget(steps: budget.steps) { self.isCancelled }
    }

    /// Releases the callback. It retains the work, which retains this cancellation.
    func forgetAction() { action.withLock { $0 = nil } }

    /// Calls `action` on cancellation, or immediately if already cancelled. There is one action; a second replaces the
    /// first.
    func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        let isLate = self.action.withLock { stored in
            guard !isCancelled else { return true }
            stored = action
            return false
        }
        if isLate { action() }
    }
}
