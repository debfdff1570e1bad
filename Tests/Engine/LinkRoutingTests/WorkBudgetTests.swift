import LinkRouting
import Testing

struct WorkBudgetTests {
    @Test func aBudgetEndsForGood() {
        let budget = WorkBudget(steps: 10)
        #expect(budget.spend(4))
        #expect(budget.steps == 6)
        #expect(!budget.spend(7))
        #expect(budget.isUsedUp)
        #expect(!budget.spend())
    }

    @Test func cancelledWorkHasNothingLeft() {
        var isCancelled = false
        let budget = WorkBudget(steps: 1_000_000) { isCancelled }
        #expect(budget.spend(1_000))
        isCancelled = true
        #expect((0..<1_000).contains { _ in !budget.spend() })
        #expect(budget.isUsedUp)
    }

    @Test func partSpendsStepsOfTheWhole() {
        let budget = WorkBudget(steps: 10)
        let granted = budget.spend(atMost: 4) { part in
            part.giveUp()
            return [part.spend(3), part.spend(3)]
        }
        #expect(granted == [true, false])
        #expect(budget.steps == 6)
        #expect(budget.undecided == 1)
        #expect(budget.spend(atMost: 100) { $0.steps } == 6)
        #expect(budget.steps == 6)
    }

    @Test func cancelledPartEndsTheWhole() {
        let budget = WorkBudget(steps: 10) { true }
        #expect(!budget.spend(atMost: 4) { $0.spend() })
        #expect(budget.isCancelled)
        #expect(budget.isUsedUp)
    }
}
