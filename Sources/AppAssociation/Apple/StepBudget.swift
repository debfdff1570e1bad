/// How much work one question may cost, so that no file and no URL makes an answer late.
struct StepBudget {
    /// A few words of memory are a step. All rules of any real file take a fraction of this; it is spent in well under a second.
    static let decision = StepBudget(steps: 1 << 25)

    private var remaining: Int

    struct Exhausted: Error {}

    init(steps: Int) { remaining = steps }

    mutating func spend(_ steps: Int) throws(Exhausted) {
        guard steps <= remaining else { throw Exhausted() }
        remaining -= steps
    }
}
