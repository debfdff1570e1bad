package import LinkRouting
package import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// Records events with group commit: a result is delivered once the events are on disk.
///
/// One writer takes all queued events (at most 1,024 events or 1 MiB) and commits them in one transaction with one
/// fsync. There is no timer, so a lone request pays one fsync and no delay. Backpressure: the queue holds at most 8,192
/// events and 16 MiB; further events are refused at once.
///
/// After a failed write or fsync, ``run()`` throws: the process must restart and read what the disk really holds.
package final class EventRecorder: Service {
    private let store: any EventStore
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    /// Its own thread, which appends block. Completions are called on it too, so that an event crosses threads only once
    /// on its way to the disk.
    private let writer = BlockingTaskExecutor(label: "fingerpost.log")
    private let state: Mutex<State>
    /// Notifies listeners of commits.
    package let commits = CommitFeed()

    private struct State {
        var machine = RecorderStateMachine()
        /// The suspended writer while there is no work.
        var idleWriter: CheckedContinuation<Void, Never>?
        /// Whether the last batch found the disk full, so that a lasting lack of space is logged once.
        var isDiskFull = false
        /// When a full queue was last logged, and the events that it has refused since then.
        var queueLogged: Timestamp?
        var refusedByQueue = 0

        mutating func takeIdleWriter() -> CheckedContinuation<Void, Never>? {
            defer { idleWriter = nil }
            return idleWriter
        }
    }

    private static let committed = Counter(label: "fingerpost_events_committed_total")
    private static let batchSize = Recorder(label: "fingerpost_event_batch_size")
    private static let queueDepth = Gauge(label: "fingerpost_event_queue_depth")
    private static let commitDuration = Metrics.Timer(label: "fingerpost_event_commit_duration_seconds")
    private static let rejected = Dictionary(
        uniqueKeysWithValues: RecordResult.Refusal.allCases.map {
            ($0, Counter(label: "fingerpost_events_rejected_total", dimensions: [("reason", $0.rawValue)]))
        }
    )

    /// - Parameter dayBytes: The limit of ``limit(dayBytes:)``.
    package init(
        store: any EventStore,
        now: @escaping @Sendable () -> Timestamp,
        dayBytes: Int = 0,
        logger: Logger
    ) {
        self.store = store
        self.now = now
        self.logger = logger
        var state = State()
        state.machine.limits.dayBytes = dayBytes
        self.state = Mutex(state)
        // Registers the counters at 0. A rate includes the first refusal only if the counter existed before.
        _ = Self.rejected
    }

    /// Submits the events of one request: at most 100, committed together. `completion` is called once, after the
    /// commit or with a refusal. After a commit it runs on the writer's thread and must not block.
    ///
    /// - Parameter key: The owner of the request's key.
    package func record(
        _ events: [Event],
        by key: KeyOwner = .nobody,
        completion: @escaping @Sendable (RecordResult) -> Void
    ) {
        let request = RecorderStateMachine.Request(events: events, key: key, completion: completion)
        let now = now()
        let (refused, idleWriter) = state.withLock { state in
            let refused = state.machine.submit(request, at: now)
            return (refused, refused == nil ? state.takeIdleWriter() : nil)
        }
        idleWriter?.resume()
        if let refused {
            count(refused: refused.reason, refused.eventCount(of: request))
            completion(refused.result)
        }
    }

    /// Submits events and waits for the result. A cancelled caller still gets the result.
    package func record(_ events: [Event], by key: KeyOwner = .nobody) async -> RecordResult {
        await withCheckedContinuation { continuation in
            record(events, by: key) { continuation.resume(returning: $0) }
        }
    }

    /// Sets the limit of the bytes of a tenant's events in a UTC day from requests without one of its keys; 0 for no
    /// limit. Events beyond it are refused, except those of requests that began below it: at most the queue.
    package func limit(dayBytes: Int) { state.withLock { $0.machine.limits.dayBytes = dayBytes } }

    /// The bytes of events that were recorded today without a key, by tenant, since the process started.
    package struct DayBytes: Sendable {
        package let recorded: [TenantID: Int]
        /// 0 for no limit.
        package let limit: Int

        /// The tenants whose events without a key are refused until the end of the day.
        package var tenantsAtLimit: [TenantID] {
            limit > 0 ? recorded.filter { $0.value >= limit }.map(\.key).sorted() : []
        }
    }

    package var dayBytes: DayBytes {
        let now = now()
        return state.withLock {
            DayBytes(recorded: $0.machine.keylessBytes(at: now), limit: $0.machine.limits.dayBytes)
        }
    }

    package struct Ended: Error {}

    /// Returns the last committed sequence once all events submitted before are committed. Throws ``Ended`` if the
    /// recorder is stopping.
    package func fence() async throws -> Int64 {
        try await withCheckedThrowingContinuation { continuation in
            let (isTaken, idleWriter) = state.withLock { state in
                let isTaken = state.machine.submitFence { continuation.resume(with: $0) }
                return (isTaken, isTaken ? state.takeIdleWriter() : nil)
            }
            idleWriter?.resume()
            if !isTaken { continuation.resume(throwing: Ended()) }
        }
    }

    /// Event counts since the process started. At any moment received = stored + refused + waiting.
    package struct Counts: Sendable, Hashable {
        package var received: Int
        package var stored: Int
        package var refused: [RecordResult.Refusal: Int]
        /// Submitted, but without a result yet.
        package var waiting: Int

        package init(
            received: Int = 0,
            stored: Int = 0,
            refused: [RecordResult.Refusal: Int] = [:],
            waiting: Int = 0
        ) {
            self.received = received
            self.stored = stored
            self.refused = refused
            self.waiting = waiting
        }
    }

    /// Whether the last batch found the disk full.
    package var isDiskFull: Bool { state.withLock { $0.isDiskFull } }

    package var counts: Counts { state.withLock { $0.machine.counts } }

    /// Writes until a graceful shutdown or a cancellation, then drains the queue. When it returns, every accepted event
    /// is stored or refused. Throws after a failed write or fsync.
    package func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withTaskExecutorPreference(writer) { try await self.writeWhatComes() }
        } onCancelOrGracefulShutdown: {
            self.stop()
        }
    }

    /// Runs on ``writer``, whatever the isolation of the caller: `@concurrent` means the executor that the task prefers.
    @concurrent
    private func writeWhatComes() async throws {
        while let work = await nextWork() {
            switch work {
            case .batch(let requests): try await write(requests)
            case .fence(let completion):
                do {
                    completion(.success(try await store.lastSequence()))
                } catch {
                    completion(.failure(error))
                }
            }
        }
    }

    /// Refuses new events; ``run()`` returns once the queue is drained.
    package func stop() {
        let idleWriter = state.withLock { state in
            state.machine.stop()
            return state.takeIdleWriter()
        }
        idleWriter?.resume()
    }

    private enum Step {
        case work(RecorderStateMachine.Work)
        case end
        case wait
    }

    private func nextWork() async -> RecorderStateMachine.Work? {
        while true {
            let step = state.withLock { state -> Step in
                if let work = state.machine.take() { return .work(work) }
                return state.machine.isStopping ? .end : .wait
            }
            switch step {
            case .work(let work): return work
            case .end: return nil
            case .wait:
                await withCheckedContinuation { continuation in
                    // Work or a stop may have arrived since the check above.
                    let isAwake = state.withLock { state in
                        guard !state.machine.hasWork, !state.machine.isStopping else { return true }
                        state.idleWriter = continuation
                        return false
                    }
                    if isAwake { continuation.resume() }
                }
            }
        }
    }

    private func write(_ requests: [RecorderStateMachine.Request]) async throws {
        let start = ContinuousClock.now
        do {
            try await commit(requests)
            if wasDiskFull(now: false) { logger.notice("the disk has free space again; events are recorded") }
        } catch EventStoreError.full {
            if !wasDiskFull(now: true) {
                logger.error("the disk is full; events are not recorded until there is free space")
            }
            refuse(requests, .diskFull)
        } catch EventStoreError.refused where requests.count > 1 {
            // One of them cannot be stored: each request gets its own transaction, so that only the offender fails.
            try await writeOneByOne(requests)
        } catch EventStoreError.refused(let problem) {
            logger.error("an event could not be stored", metadata: ["problem": "\(problem)"])
            refuse(requests, .unstorable)
        } catch {
            refuse(requests, .ioError)
            refuseTheRest()
            throw error
        }
        Self.commitDuration.record(duration: ContinuousClock.now - start)
    }

    private func writeOneByOne(_ requests: [RecorderStateMachine.Request]) async throws {
        for (index, request) in requests.enumerated() {
            do {
                try await write([request])
            } catch {
                refuse(requests[(index + 1)...], .ioError)
                throw error
            }
        }
    }

    private func commit(_ requests: [RecorderStateMachine.Request]) async throws {
        var events: [Event] = []
        events.reserveCapacity(requests.reduce(0) { $0 + $1.events.count })
        for request in requests { events += request.events }
        let appended = try await store.append(events)
        let results = Self.results(of: requests, appended)
        let waiting = state.withLock { state in
            for (request, result) in zip(requests, results) { state.machine.finished(request, result) }
            return state.machine.counts.waiting
        }
        for (request, result) in zip(requests, results) { request.completion(result) }
        let duplicates = appended.duplicates.count
        if duplicates > 0 {
            Self.rejected[.duplicate]?.increment(by: duplicates)
            guard duplicates < events.count else { return }
        }
        commits.note(events)
        Self.committed.increment(by: events.count - duplicates)
        Self.batchSize.record(events.count - duplicates)
        Self.queueDepth.record(waiting)
    }

    /// Splits the result of an append by request.
    private static func results(
        of requests: [RecorderStateMachine.Request],
        _ appended: Appended
    ) -> [RecordResult] {
        var (sequence, position) = (appended.first, 0)
        var duplicates = appended.duplicates[...]
        return requests.map { request in
            let (first, start) = (sequence, position)
            position += request.events.count
            let own = duplicates.prefix { $0 < position }
            duplicates = duplicates.dropFirst(own.count)
            sequence += Int64(request.events.count - own.count)
            return .stored(firstSequence: first, duplicates: own.map { $0 - start })
        }
    }

    private func refuse(_ requests: some Sequence<RecorderStateMachine.Request>, _ refusal: RecordResult.Refusal) {
        state.withLock { state in
            for request in requests { state.machine.finished(request, .refused(refusal)) }
        }
        for request in requests {
            count(refused: refusal, request.events.count)
            request.completion(.refused(refusal))
        }
    }

    /// Refuses everything queued after a failed write or fsync, so that no caller is left waiting.
    private func refuseTheRest() {
        while let work = state.withLock({ state in
            state.machine.stop()
            return state.machine.take()
        }) {
            switch work {
            case .batch(let requests): refuse(requests, .ioError)
            case .fence(let completion): completion(.failure(Ended()))
            }
        }
    }

    private func wasDiskFull(now isFull: Bool) -> Bool {
        state.withLock { state in
            defer { state.isDiskFull = isFull }
            return state.isDiskFull
        }
    }

    private func count(refused refusal: RecordResult.Refusal, _ events: Int) {
        Self.rejected[refusal]?.increment(by: events)
        if refusal == .queueFull { logQueueFull(events) }
    }

    /// Logs at most once a minute how many events the full queue has refused.
    private func logQueueFull(_ events: Int) {
        let now = now()
        let refused: Int? = state.withLock { state in
            state.refusedByQueue += events
            if let last = state.queueLogged, (0..<60_000).contains(now.milliseconds - last.milliseconds) { return nil }
            defer { (state.refusedByQueue, state.queueLogged) = (0, now) }
            return state.refusedByQueue
        }
        guard let refused else { return }
        logger.error("the disk is too slow; the queue of events is full", metadata: ["refused": "\(refused)"])
    }
}
