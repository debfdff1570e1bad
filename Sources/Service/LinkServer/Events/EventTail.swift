import Hummingbird
import LinkEvents
import LinkRouting
import NIOCore
import ServiceLifecycle

/// Streams a tenant's events as they are committed, as server-sent events.
///
/// After each commit it reads the log by `seq`, one page at a time. It reads the next page when the previous one is
/// written, so a slow reader falls behind in the log, and nothing accumulates in memory (backpressure). It ends when
/// the server shuts down, when its key becomes invalid, and after its lifetime.
struct EventTail: Sendable {
    let tenant: TenantID
    let filter: EventFilter
    let log: any EventStore
    let listening: CommitFeed.Listening
    let mayContinue: @Sendable () -> Bool
    /// Time after which the tail ends and the reader must reconnect.
    let lifetime: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    /// The number of pages that are read before the key is checked again. A filter may match none of their events.
    var pagesAtOnce = 50

    private static let pageSize = 200
    /// Shorter than the idle timeout of proxies.
    private static let heartbeat = Duration.seconds(15)

    /// - Parameter position: The sequence after which the tail begins.
    @concurrent func run(from position: Int64, to writer: inout any ResponseBodyWriter) async throws {
        var position = position
        // Confirms the tail to its reader at once, and sets the delay of a reconnection to 2,000 ms.
        try await writer.write(ByteBuffer(string: "retry: 2000\n: listening\n\n"))
        listening.wake()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [listening, lifetime, sleep] in
                var age = Duration.zero
                while age < lifetime {
                    try await sleep(Self.heartbeat)
                    listening.wake()
                    age += Self.heartbeat
                }
                listening.end()
            }
            defer { group.cancelAll() }
            for await _ in listening.signals.cancelOnGracefulShutdown() {
                guard mayContinue() else { break }
                if try await !writeNew(after: &position, to: &writer) {
                    // Readers remember an id without data and deliver no event for it.
                    try await writer.write(ByteBuffer(string: ": nothing new\nid: \(position)\n\n"))
                }
            }
        }
    }

    /// Writes the new events that match; returns whether there were any. If there are more than a few pages of events,
    /// the rest follows with the next signal, which it requests.
    @concurrent private func writeNew(
        after position: inout Int64,
        to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        let last = try await log.lastSequence()
        var hasWritten = false
        var pages = 0
        defer { if position < last { listening.wake() } }
        while position < last, pages < pagesAtOnce {
            pages += 1
            let events = try await log.events(of: tenant, in: (position + 1)...last, limit: Self.pageSize)
            let text = events.filter { filter.holds($0.event) }.flatMap(Self.text)
            if !text.isEmpty {
                try await writer.write(ByteBuffer(bytes: text))
                hasWritten = true
            }
            // After the last page, the remaining events belong to other tenants.
            position = events.count < Self.pageSize ? last : events.last?.sequence ?? last
        }
        return hasWritten
    }

    private static func text(_ event: StoredEvent) -> [UInt8] {
        Array("id: \(event.sequence)\ndata: ".utf8) + ExportEncoder.ndjson.rows([event]) + [0x0A]
    }
}
