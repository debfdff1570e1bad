/// A limit on the work of a computation: a number of steps, and a cancellation.
///
/// A computation over untrusted tables, files or patterns spends a step for each item that it inspects. When the steps
/// are used up or the work is cancelled, it leaves the remaining questions undecided and reports that. It never throws,
/// so that earlier results are kept. Counting steps instead of time makes the result deterministic.
public final class WorkBudget {
    /// The remaining steps.
    public private(set) var steps: Int
    /// The number of questions that were left undecided.
    public private(set) var undecided = 0
    /// Whether the work was found to be cancelled.
    public private(set) var isCancelled = false
    private let cancelled: () -> Bool
    private var untilNextLook = 0

    /// A cancellation check costs more than most steps.
    private static let stepsPerLook = 256

    /// - Parameter isCancelled: Called repeatedly on the working thread.
    public init(steps: Int, isCancelled: @escaping () -> Bool = { false }) {
        self.steps = max(0, steps)
        cancelled = isCancelled
    }

    /// A budget without a limit, for callers that control the input, such as a command on a local file.
    public static var unlimited: WorkBudget { WorkBudget(steps: .max) }

    public var isUsedUp: Bool { steps == 0 }

    /// Counts a question as undecided.
    public func giveUp() { undecided += 1 }

    /// Spends steps. Returns false once the budget is exhausted or the work is cancelled.
    public func spend(_ count: Int = 1) -> Bool {
        guard steps > 0, count <= steps else {
            steps = 0
            return false
        }
        steps -= count
        untilNextLook -= count
        if untilNextLook <= 0 {
            untilNextLook = Self.stepsPerLook
            if cancelled() { (isCancelled, steps) = (true, 0) }
        }
        return steps > 0
    }

    /// Returns false once the work is cancelled or the steps are used up. Unlike ``spend(_:)``, it looks for a
    /// cancellation on each call.
    package func isWanted() -> Bool {
        if cancelled() { (isCancelled, steps) = (true, 0) }
        return steps > 0
    }

    /// Returns another budget, which the same cancellation ends.
    package func other(steps: Int) -> WorkBudget { WorkBudget(steps: steps, isCancelled: cancelled) }

    /// Runs a part of the work, which may spend at most `count` of the remaining steps.
    package func spend<Result>(atMost count: Int, on work: (WorkBudget) -> Result) -> Result {
        let granted = min(count, steps)
        let part = other(steps: granted)
        let result = work(part)
        undecided += part.undecided
        if part.isCancelled { (isCancelled, steps) = (true, 0) } else { _ = spend(granted - part.steps) }
        return result
    }
}
