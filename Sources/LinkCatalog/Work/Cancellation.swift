package import LinkRouting
import Synchronization

/// Tells work that nobody wants its result any more.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    package func cancel() {
        let action = action.withLock { action in
            flag.store(true, ordering: .relaxed)
            defer { action = nil }
            return action
        }
        action?()
    }

    /// A budget that ends with the work.
    package func budget(of usual: WorkBudget) -> WorkBudget {
        WorkBudget(steps: usual.steps) { self.isCancelled }
    }

    /// Releases the action, which holds the work, which holds this cancellation.
    func forgetAction() { action.withLock { $0 = nil } }

    /// Calls `action` once, at once where it is cancelled already. There is one action.
    func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        let isLate = self.action.withLock { stored in
            guard !isCancelled else { return true }
            stored = action
            return false
        }
        if isLate { action() }
    }
}
