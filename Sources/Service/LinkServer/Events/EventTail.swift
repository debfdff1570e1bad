import Hummingbird
import LinkEvents
import LinkRouting
import NIOCore
import ServiceLifecycle

/// Streams a tenant's events as they are committed, as server-sent events.
///
/// After each commit it reads the log in its order, one page at a time. It reads the next page when the previous one is
/// written, so a slow reader falls behind in the log, and nothing accumulates in memory (backpressure). It ends when
/// the server shuts down, when its key becomes invalid, and after its lifetime.
struct EventTail: Sendable {
    let tenant: TenantID
    let filter: EventFilter
    let history: any EventHistory
    let listening: CommitFeed.Listening
    let mayContinue: @Sendable () -> Bool
    /// Time after which the tail ends and the reader must reconnect.
    let lifetime: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    /// The number of pages that are read before the key is checked again. A filter may match none of their events.
    var pagesAtOnce = 50

    /// The pause between two looks without a commit. Shorter than the idle timeout of proxies, and than events of other nodes may
    /// wait.
    var heartbeat = Duration.seconds(15)

    private static let pageSize = 200

    /// - Parameter position: The place at which the tail begins.
    @concurrent func run(from position: LogCursor, to writer: inout any ResponseBodyWriter) async throws {
        var position = position
        // Confirms the tail to its reader at once, and sets the delay of a reconnection to 2,000 ms.
        try await writer.write(ByteBuffer(string: "retry: 2000\n: listening\n\n"))
        listening.wake()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [listening, lifetime, sleep, heartbeat] in
                var age = Duration.zero
                while age < lifetime {
                    try await sleep(heartbeat)
                    listening.wake()
                    age += heartbeat
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
        after position: inout LogCursor,
        to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        let end = try await history.end()
        var hasWritten = false
        var pages = 0
        defer { if position.isBehind(end) { listening.wake() } }
        while position.isBehind(end), pages < pagesAtOnce {
            pages += 1
            let events = try await history.events(of: tenant, after: position, limit: Self.pageSize)
            var text: [UInt8] = []
            for event in events {
                position.pass(event)
                if filter.holds(event.event) { text += Self.text(event, at: position) }
            }
            if !text.isEmpty {
                try await writer.write(ByteBuffer(bytes: text))
                hasWritten = true
            }
            // After the last page, the remaining events belong to other tenants.
            if events.count < Self.pageSize { position.advance(to: end) }
        }
        return hasWritten
    }

    private static func text(_ event: StoredEvent, at position: LogCursor) -> [UInt8] {
        Array("id: \(position)\ndata: ".utf8) + ExportEncoder.ndjson.rows([event]) + [0x0A]
    }
}
