import EditingHistories
import Testing

/// `./dev check` runs 2,000 histories in the release build, and `./dev check --full` 100,000.
@Suite(.timeLimit(.minutes(15)))
struct EditingHistoriesTests {
    @Test func editingAgreesWithTheModel() async throws {
        do {
            try await EditingHistories.run(0..<200, workers: 2)
        } catch let difference as EditingHistories.Difference {
            Issue.record("\(difference)")
        }
    }
}
