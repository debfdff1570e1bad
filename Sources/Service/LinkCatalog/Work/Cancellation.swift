package import LinkRouting
import Synchronization

/// A cancellation flag for synchronous work.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    package func cancel() { flag.store(true, ordering: .relaxed) }

    /// Returns a budget of the same steps that is exhausted as soon as the work is cancelled.
    package func budget(of budget: WorkBudget) -> WorkBudget {
        WorkBudget(steps: budget.steps) { self.isCancelled }
    }
}
