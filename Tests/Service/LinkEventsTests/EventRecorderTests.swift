import LinkEvents
import LinkRouting
import ServiceLifecycleTestKit
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)))
struct EventRecorderTests {
    private func recorder(_ store: StoreDouble) -> EventRecorder {
        EventRecorder(store: store, now: { instant("2026-11-21T12:00:00Z") }, logger: quiet)
    }

    /// Runs the recorder during `body`.
    private func running<Result>(_ recorder: EventRecorder, _ body: () async throws -> Result) async throws -> Result {
        async let end: Void = recorder.run()
        let result = try await body()
        recorder.stop()
        try await end
        return result
    }

    @Test func tenThousandEventsFromManyTasksGetConsecutiveSequences() async throws {
        let store = StoreDouble()
        let recorder = recorder(store)
        let sequences = try await running(recorder) {
            await withTaskGroup(of: [Int64].self) { group in
                for task in 0..<100 {
                    group.addTask {
                        var sequences: [Int64] = []
                        for number in 0..<100 {
                            let result = await recorder.record([.sample(task * 100 + number)])
                            if case .stored(let sequence, _) = result { sequences.append(sequence) }
                        }
                        return sequences
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
        #expect(sequences.sorted() == Array(1...10_000))
        #expect(Set(store.stored.map(\.event.id)).count == 10_000)
        #expect(recorder.counts == EventRecorder.Counts(received: 10_000, stored: 10_000, refused: [:], waiting: 0))
    }

    @Test func oneRequestIsCommittedTogether() async throws {
        let store = StoreDouble()
        let recorder = recorder(store)
        let result = try await running(recorder) { await recorder.record((1...100).map { .sample($0) }) }
        #expect(result == .stored(firstSequence: 1))
        #expect(store.batches.map(\.count) == [100])
    }

    /// Three requests of one batch: each learns which of its own events the log already had.
    @Test func eachRequestLearnsItsDuplicates() async throws {
        func report(_ number: UInt64) -> Event {
            Event(Event.sample(Int(number)).content.fields, reportHash: Bytes16(high: 0, low: number))
        }
        let gate = Gate()
        let store = StoreDouble(gate: gate)
        let recorder = recorder(store)
        let results = Mutex<[Int: RecordResult]>([:])
        try await running(recorder) {
            recorder.record([report(1)]) { result in results.withLock { $0[0] = result } }
            await gate.visited()
            let requests = [[report(2), report(1), report(3)], [report(3), report(2)], [.sample(9), report(1)]]
            for (number, events) in requests.enumerated() {
                recorder.record(events) { result in results.withLock { $0[number + 1] = result } }
            }
            gate.open()
            _ = try await recorder.fence()
        }
        #expect(store.batches.map(\.count) == [1, 7])
        #expect(
            results.withLock { $0 } == [
                0: .stored(firstSequence: 1), 1: .stored(firstSequence: 2, duplicates: [1]),
                2: .stored(firstSequence: 4, duplicates: [0, 1]), 3: .stored(firstSequence: 4, duplicates: [1]),
            ]
        )
        let counts = recorder.counts
        #expect(counts == EventRecorder.Counts(received: 8, stored: 4, refused: [.duplicate: 4], waiting: 0))
    }

    @Test func eventsDuringAWriteFormOneBatch() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate)
        let recorder = recorder(store)
        let results = Mutex<[RecordResult]>([])
        try await running(recorder) {
            recorder.record([.sample(0)]) { result in results.withLock { $0.append(result) } }
            await gate.visited()
            for number in 1...50 {
                recorder.record([.sample(number)]) { result in results.withLock { $0.append(result) } }
            }
            gate.open()
            _ = try await recorder.fence()
        }
        #expect(store.batches.map(\.count) == [1, 50])
        #expect(results.withLock { $0 } == (1...51).map { .stored(firstSequence: $0) })
    }

    @Test func fenceReturnsTheLastSequenceBeforeIt() async throws {
        let recorder = recorder(StoreDouble())
        try await running(recorder) {
            let empty = try await recorder.fence()
            #expect(empty == 0)
            recorder.record([.sample(1), .sample(2)]) { _ in }
            let last = try await recorder.fence()
            #expect(last == 2)
        }
        await #expect(throws: EventRecorder.Ended.self) { _ = try await recorder.fence() }
    }

    @Test func poisonedEventFailsAlone() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate) { _, events in
            events.contains { $0.id == "event-3" } ? EventStoreError.refused("poison") : nil
        }
        let recorder = recorder(store)
        let results = Mutex<[Int: RecordResult]>([:])
        try await running(recorder) {
            recorder.record([.sample(0)]) { _ in }
            await gate.visited()
            for number in 1...5 {
                recorder.record([.sample(number)]) { result in results.withLock { $0[number] = result } }
            }
            gate.open()
            _ = try await recorder.fence()
        }
        #expect(
            results.withLock { $0 } == [
                1: .stored(firstSequence: 2), 2: .stored(firstSequence: 3), 3: .refused(.unstorable),
                4: .stored(firstSequence: 4), 5: .stored(firstSequence: 5),
            ]
        )
        #expect(recorder.counts == EventRecorder.Counts(received: 6, stored: 5, refused: [.unstorable: 1], waiting: 0))
    }

    @Test func fullDiskRefusesAndRecovers() async throws {
        let store = StoreDouble { append, _ in append < 2 ? EventStoreError.full : nil }
        let recorder = recorder(store)
        try await running(recorder) {
            #expect(await recorder.record([.sample(1)]) == .refused(.diskFull))
            #expect(await recorder.record([.sample(2), .sample(3)]) == .refused(.diskFull))
            #expect(await recorder.record([.sample(4)]) == .stored(firstSequence: 1))
        }
        #expect(recorder.counts == EventRecorder.Counts(received: 4, stored: 1, refused: [.diskFull: 3], waiting: 0))
    }

    @Test func failedWriteEndsTheRecorderAndResumesAllWaiters() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate) { append, _ in append == 1 ? EventStoreError.io("fsync") : nil }
        let recorder = recorder(store)
        let results = Mutex<[RecordResult]>([])
        let fence = Mutex<String?>(nil)
        await #expect(throws: EventStoreError.io("fsync")) {
            async let end: Void = recorder.run()
            recorder.record([.sample(0)]) { result in results.withLock { $0.append(result) } }
            await gate.visited()
            for number in 1...1_500 {
                recorder.record([.sample(number)]) { result in results.withLock { $0.append(result) } }
            }
            async let fenced = recorder.fence()
            gate.open()
            do {
                _ = try await fenced
            } catch {
                fence.withLock { $0 = "\(error)" }
            }
            try await end
        }
        #expect(
            results.withLock { $0 } == [.stored(firstSequence: 1)] + Array(repeating: .refused(.ioError), count: 1_500)
        )
        #expect(fence.withLock { $0 } == "Ended()")
        #expect(await recorder.record([.sample(9)]) == .refused(.stopping))
        #expect(recorder.counts.waiting == 0)
    }

    /// An unknown error of the store may mean that the file's contents are unknown.
    @Test func unknownErrorEndsTheRecorder() async throws {
        struct Surprise: Error {}
        let recorder = recorder(StoreDouble { _, _ in Surprise() })
        await #expect(throws: Surprise.self) {
            async let end: Void = recorder.run()
            #expect(await recorder.record([.sample(1)]) == .refused(.ioError))
            try await end
        }
    }

    /// After a failed write during retries one by one, the remaining requests of the batch get a result too.
    @Test func failedWriteDuringARetryEndsTheOtherRequests() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate) { append, events in
            switch append {
            case 0: nil
            case 1: EventStoreError.refused("one of them")
            case 2: nil
            default: EventStoreError.io("write")
            }
        }
        let recorder = recorder(store)
        let results = Mutex<[RecordResult]>([])
        await #expect(throws: EventStoreError.io("write")) {
            async let end: Void = recorder.run()
            recorder.record([.sample(0)]) { _ in }
            await gate.visited()
            for number in 1...4 {
                recorder.record([.sample(number)]) { result in results.withLock { $0.append(result) } }
            }
            gate.open()
            try await end
        }
        #expect(
            results.withLock { $0 } == [
                .stored(firstSequence: 2), .refused(.ioError), .refused(.ioError), .refused(.ioError),
            ]
        )
        #expect(recorder.counts.waiting == 0)
    }

    @Test func gracefulShutdownWritesWhatWaits() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate)
        let recorder = recorder(store)
        try await testGracefulShutdown { trigger in
            async let end: Void = recorder.run()
            recorder.record([.sample(0)]) { _ in }
            await gate.visited()
            for number in 1...3_000 { recorder.record([.sample(number)]) { _ in } }
            trigger.triggerGracefulShutdown()
            #expect(await recorder.record([.sample(9_999)]) == .refused(.stopping))
            gate.open()
            try await end
        }
        #expect(store.stored.count == 3_001)
        #expect(store.batches.allSatisfy { $0.count <= 1_024 })
    }

    /// A service group cancels its services if one of them fails.
    @Test func cancellationWritesWhatWaits() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate)
        let recorder = recorder(store)
        // Awaited below.
        let run = Task { try await recorder.run() }
        recorder.record([.sample(0)]) { _ in }
        await gate.visited()
        recorder.record([.sample(1)]) { _ in }
        run.cancel()
        gate.open()
        try await run.value
        #expect(store.stored.map(\.event.id) == ["event-0", "event-1"])
    }

    @Test func idleRecorderEndsWhenCancelled() async throws {
        let recorder = recorder(StoreDouble())
        let run = Task { try await recorder.run() }
        run.cancel()
        try await run.value
    }

    @Test func cancelledRequestIsStoredOnce() async throws {
        let gate = Gate()
        let store = StoreDouble(gate: gate)
        let recorder = recorder(store)
        try await running(recorder) {
            let request = Task { await recorder.record([.sample(1)]) }
            await gate.visited()
            request.cancel()
            gate.open()
            #expect(await request.value == .stored(firstSequence: 1))
        }
        #expect(store.stored.count == 1)
    }

    @Test func fullRecorderRefusesAtOnce() async throws {
        let recorder = recorder(StoreDouble())
        // The recorder is not running, so all events stay queued.
        for number in 0..<8_192 { recorder.record([.sample(number)]) { _ in } }
        #expect(await recorder.record([.sample(8_192)]) == .refused(.queueFull))
        #expect(recorder.counts.waiting == 8_192)
        recorder.stop()
        try await recorder.run()
        #expect(
            recorder.counts
                == EventRecorder.Counts(received: 8_193, stored: 8_192, refused: [.queueFull: 1], waiting: 0)
        )
    }
}
