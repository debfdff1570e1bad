import EditingHistories
import Testing

/// `./dev check` runs 100,000 of them in the release build.
@Suite(.timeLimit(.minutes(15)))
struct EditingHistoriesTests {
    @Test func editingComesOutAsTheModelSays() async throws {
        do {
            try await EditingHistories.run(0..<1_000, workers: 2)
        } catch let difference as EditingHistories.Difference {
            Issue.record("\(difference)")
        }
    }
}
