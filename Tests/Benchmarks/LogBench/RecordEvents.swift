import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import Logging
import Synchronization

/// Measures a recorded resolution from `EventRecorder.record` to its completion. The number of concurrent callers
/// determines the batch size.
struct RecordEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record resolutions, and print the processor time of each.",
        discussion: """
            Each of --callers hands in its next event when its last one is committed, on the writer's thread, so that a
            batch holds one event of each. With --alone one task hands in an event and awaits its commit: a request that is
            alone.

            EXAMPLE
              LogBench record /tmp/log --callers 64
            """
    )

    @Argument(help: "The folder of the log, which must be new.") var folder: String
    @Option(help: "How many events.") var events = 100_000
    @Option(help: "The number of concurrent callers.") var callers = 64
    @Flag(help: "Use one task that awaits each commit.") var alone = false

    func run() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let log = try EventLog(folder) { Self.now() }
        let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        let recorder = EventRecorder(store: log, now: Self.now, logger: logger)
        var random = SystemRandomNumberGenerator()
        let ids = EventIDGenerator { [seed = random.next()] in seed }
        let pool = (0..<min(events, 20_000)).map { Self.resolution($0, ids) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            let (start, spent) = (ContinuousClock.now, processorSeconds())
            if alone {
                for number in 0..<events { _ = await recorder.record([pool[number % pool.count]]) }
            } else {
                await withCheckedContinuation { continuation in
                    let callers = Callers(recorder, pool, count: events) { continuation.resume() }
                    for _ in 0..<self.callers { callers.recordNext() }
                }
            }
            let (seconds, processor) = ((ContinuousClock.now - start).milliseconds / 1_000, processorSeconds() - spent)
            recorder.stop()
            try await group.waitForAll()
            print(
                String(
                    format: "%@ %d: %.2f µs of processor an event, %.0f events/s",
                    alone ? "alone" : "callers",
                    alone ? 1 : callers,
                    processor * 1e6 / Double(events),
                    Double(events) / seconds
                )
            )
        }
        try log.close()
    }

    /// The event that `POST /resolve` records for a product link.
    private static func resolution(_ number: Int, _ ids: EventIDGenerator) -> Event {
        let instant = now()
        var event = Event.Fields(
            id: ids.next(at: instant),
            recordedAt: instant,
            tenant: TenantID("shop") ?? .none,
            environment: .production,
            outcome: .matched,
            linkLength: 53,
            source: "api",
            node: "node-1",
            requestID: ids.next(at: instant),
            method: "POST"
        )
        event.app = AppID("ios")
        event.route = RouteID("product")
        event.revision = Revision(rawValue: 3)
        event.settingsRevision = 2
        event.action = .openApp
        event.scheme = "https"
        event.host = "yourappdomain.com"
        event.path = "/product/\(number)"
        event.parameters = "{\"id\":\(number)}"
        event.query = [Event.QueryItem(name: "utm_source", value: "mail")]
        event.platform = .ios
        event.device = .phone
        event.osVersion = "17.4"
        event.appVersion = "3.2.0"
        event.appBuild = 412
        event.locale = "en-GB"
        event.country = "GB"
        event.address = "127.0.0.0/24"
        event.latencyMicroseconds = 300
        return Event(event)
    }

    @Sendable private static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}

/// Submits the events of a pool repeatedly until enough are committed.
private final class Callers: Sendable {
    private let recorder: EventRecorder
    private let pool: [Event]
    private let count: Int
    private let end: @Sendable () -> Void
    private let state = Mutex((handedIn: 0, committed: 0))

    init(_ recorder: EventRecorder, _ pool: [Event], count: Int, end: @escaping @Sendable () -> Void) {
        self.recorder = recorder
        self.pool = pool
        self.count = count
        self.end = end
    }

    func recordNext() {
        let number = state.withLock { state -> Int? in
            guard state.handedIn < count else { return nil }
            state.handedIn += 1
            return state.handedIn
        }
        guard let number else { return }
        recorder.record([pool[number % pool.count]]) { _ in
            let isLast = self.state.withLock { state in
                state.committed += 1
                return state.committed == self.count
            }
            if isLast { self.end() } else { self.recordNext() }
        }
    }
}
