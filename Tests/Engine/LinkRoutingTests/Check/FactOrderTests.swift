import TestSupport
import Testing

@testable import LinkRouting

/// What a check finds does not depend on the order of a dictionary, which differs between processes.
struct FactOrderTests {
    private let all = (0..<40).map { number in
        let span = OpenInterval(from: nil, until: 9_900 - number)
        return number.isMultiple(of: 2)
            ? Facts(.rollout(ExactText("salt\(number)")), .buckets(span))
            : Facts(.trait(ExactText("t\(number)")), .trait(SetConstraint(oneOfEach: [["a", "b"]])))
    }

    private func joined(_ facts: some Sequence<Facts>) -> Facts { facts.reduce(Facts()) { $0.intersection($1) } }

    @Test func partsOfADifferenceHaveAFixedOrder() throws {
        var random = SeededGenerator(seed: 1)
        let rollouts = all.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        let taken = (0..<20).map {
            Facts(.rollout(ExactText("salt\(2 * $0)")), .buckets(OpenInterval(from: 10, until: 90)))
        }
        let expected = try #require(joined(rollouts).subtracting(joined(taken))).rests
        for _ in 0..<50 {
            let own = joined(rollouts.shuffled(using: &random))
            let difference = try #require(own.subtracting(joined(taken.shuffled(using: &random))))
            #expect(difference.rests == expected)
        }
    }

    @Test func searchForAStickyKeySpendsTheSameSteps() {
        var random = SeededGenerator(seed: 2)
        let steps = (0..<50).map { _ in
            let budget = WorkBudget(steps: 1_000_000)
            _ = joined(all.shuffled(using: &random)).caller([], budget)
            return budget.steps
        }
        #expect(Set(steps).count == 1)
    }
}
