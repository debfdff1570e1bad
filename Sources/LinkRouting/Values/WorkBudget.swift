/// How much work a computation may do: a number of steps, and whether somebody still wants its result.
///
/// What computes over a table, a file or a pattern that somebody else wrote spends a step for each thing it looks at. When
/// the steps are used up, or the work is cancelled, it gives up what it has not decided and says so; it never throws, so that
/// what was decided before is kept. Counted in steps and not in time, the same input gives the same result everywhere.
public final class WorkBudget {
    /// What is left.
    public private(set) var steps: Int
    /// How many questions were given up.
    public private(set) var undecided = 0
    /// Whether nobody wants the result any more, as far as it was asked.
    public private(set) var isCancelled = false
    private let cancelled: () -> Bool
    private var untilNextLook = 0

    /// A look at the cancellation costs more than most steps.
    private static let stepsPerLook = 256

    /// - Parameter isCancelled: Asked again and again, on the thread that works.
    public init(steps: Int, isCancelled: @escaping () -> Bool = { false }) {
        self.steps = max(0, steps)
        cancelled = isCancelled
    }

    /// For callers who know what they compute over, such as a command on its own file.
    public static var unlimited: WorkBudget { WorkBudget(steps: .max) }

    public var isUsedUp: Bool { steps == 0 }

    /// A question stays without an answer.
    public func giveUp() { undecided += 1 }

    /// Takes steps from what is left; false when there are none, now and from then on.
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
}
