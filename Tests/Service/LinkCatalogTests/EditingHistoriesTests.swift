import EditingHistories
import Foundation
import Testing

/// `./dev check` runs 2,000 histories in the release build, and `./dev check --full` 100,000. With the PostgreSQL server of
/// Tests/PostgresStorage/run.sh, two nodes edit in turn.
@Suite(.timeLimit(.minutes(15)))
struct EditingHistoriesTests {
    @Test func editingAgreesWithTheModel() async throws {
        do {
            let count = ProcessInfo.processInfo.environment["POSTGRES_HISTORIES"].flatMap { Int($0) } ?? 200
            try await EditingHistories.run(0..<count, workers: 2)
        } catch let difference as EditingHistories.Difference {
            Issue.record("\(difference)")
        }
    }
}
