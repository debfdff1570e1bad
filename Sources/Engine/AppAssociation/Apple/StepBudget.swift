/// A limit on the work for one decision, so that no file and no URL can delay the answer.
struct StepBudget {
    /// The budget of one decision. A step processes a few words of memory. All rules of a real file use a fraction of
    /// the budget. Using it up takes well under a second.
    static let decision = StepBudget(steps: 1 << 25)

    /// An equal share of the budget of one decision.
    static func decision(sharedBy count: Int) -> StepBudget { StepBudget(steps: (1 << 25) / max(1, count)) }

    private var remaining: Int

    struct Exhausted: Error {}

    init(steps: Int) { remaining = steps }

    mutating func spend(_ steps: Int) throws(Exhausted) {
        guard steps <= remaining else { throw Exhausted() }
        remaining -= steps
    }
}
