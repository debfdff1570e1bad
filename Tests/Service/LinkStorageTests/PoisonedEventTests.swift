import Foundation
import LinkEvents
import LinkStorage
import Logging
import Synchronization
import TestSupport
import Testing

/// One event in a commit violates the schema. No known request can produce one, because requests are parsed and
/// validated before they become events.
struct PoisonedEventTests {
    @Test func onlyTheRequestOfAPoisonedEventFails() async throws {
        try await withTemporaryDirectory { folder in
            let clock = TestClock("2026-11-21T10:00:00Z")
            let log = try EventLog(folder) { clock.now }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let recorder = EventRecorder(store: log, now: { clock.now }, logger: logger)
            var poison = Event.sample(5)
            poison.parameters = "{"
            // They are submitted before the writer starts, so they form one batch. Two of the requests have two events.
            let results = Mutex<[Int: RecordResult]>([:])
            for (request, events) in [
                [.sample(1)], [.sample(2), .sample(3)], [.sample(4), poison], [.sample(6)], [.sample(7), .sample(8)],
            ].enumerated() {
                recorder.record(events) { result in results.withLock { $0[request] = result } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await recorder.run() }
                #expect(try await recorder.fence() == 6)
                recorder.stop()
                try await group.waitForAll()
            }
            #expect(
                results.withLock(\.self) == [
                    0: .stored(firstSequence: 1), 1: .stored(firstSequence: 2), 2: .refused(.unstorable),
                    3: .stored(firstSequence: 4), 4: .stored(firstSequence: 5),
                ]
            )
            let stored = try await log.events(of: tenant("shop"), in: 1...100, limit: 100)
            #expect(stored.map(\.event.id) == [1, 2, 3, 6, 7, 8].map { "event-\($0)" })
            #expect(stored.map(\.sequence) == Array(1...6))
            try log.close()
        }
    }
}
