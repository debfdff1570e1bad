import LinkCatalog
import Synchronization
import Testing

struct LargeDocumentsTests {
    private final class Counter: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock(\.most) }

        @Sendable func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test func oneDocumentIsProcessedAtATimeAndOwnersTakeTurns() async throws {
        let documents = LargeDocuments()
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<30 {
                group.addTask {
                    let turn = documents.turn(of: .key("t\(index % 5)"))
                    try await turn.work()
                    counter.begin()
                    await Task.yield()
                    counter.end()
                    turn.end()
                }
            }
            try await group.waitForAll()
        }
        #expect(counter.most == 1)
    }

    @Test func heldDocumentDoesNotBlockOtherOwners() async throws {
        let documents = LargeDocuments()
        let slow = documents.turn(of: .key("slow"))
        try await slow.hold()
        let other = documents.turn(of: .key("other"))
        try await other.work()
        other.end()
        slow.end()
    }

    /// Deallocating a turn releases its place, so no explicit call is necessary.
    @Test func abandonedTurnIsReleased() async throws {
        let counter = Counter()
        let documents = LargeDocuments(whenDone: counter.begin)
        for _ in 0..<10 { try await documents.turn(of: .key("a")).work() }
        #expect(counter.most == 10)
    }

    @Test func waitingCallerCanBeCancelled() async throws {
        let documents = LargeDocuments()
        let first = documents.turn(of: .key("a"))
        try await first.work()
        let waiting = Task { try await documents.turn(of: .key("a")).work() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        first.end()
        try await documents.turn(of: .key("a")).work()
    }
}
