import Hummingbird
import LinkEvents
import LinkRouting
import NIOCore
import ServiceLifecycle

/// Writes a tenant's events as they are committed, in the form of server-sent events.
///
/// It reads the log by `seq` whenever something was committed, a page at a time, and reads on when the page is written: a
/// reader that is slow falls behind in the log, and nothing waits for it in memory. It ends with the server's shutdown, its
/// key and its lifetime.
struct EventTail: Sendable {
    let tenant: TenantID
    let filter: EventFilter
    let log: any EventStore
    let listening: CommitFeed.Listening
    let mayGoOn: @Sendable () -> Bool
    /// After so much time the reader must come back.
    let lifetime: Duration
    let sleep: @Sendable (Duration) async throws -> Void

    private static let pageSize = 200
    /// Shorter than what proxies wait for.
    private static let heartbeat = Duration.seconds(15)

    /// - Parameter position: The sequence behind which the tail begins.
    @concurrent func run(from position: Int64, to writer: inout any ResponseBodyWriter) async throws {
        var position = position
        // Who reads learns at once that he is heard, and how soon to come back.
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
                guard mayGoOn() else { break }
                if try await !writeNew(after: &position, to: &writer) {
                    // An id without data is remembered by the reader, and shown to nobody.
                    try await writer.write(ByteBuffer(string: ": nothing new\nid: \(position)\n\n"))
                }
            }
        }
    }

    /// Whether there was anything.
    @concurrent private func writeNew(
        after position: inout Int64,
        to writer: inout any ResponseBodyWriter
    ) async throws -> Bool {
        let last = try await log.lastSequence()
        var hasWritten = false
        while position < last {
            let events = try await log.events(of: tenant, in: (position + 1)...last, limit: Self.pageSize)
            let text = events.filter { filter.holds($0.event) }.flatMap(Self.text)
            if !text.isEmpty {
                try await writer.write(ByteBuffer(bytes: text))
                hasWritten = true
            }
            // What follows the last page belongs to others.
            position = events.count < Self.pageSize ? last : events.last?.sequence ?? last
        }
        return hasWritten
    }

    private static func text(_ event: StoredEvent) -> [UInt8] {
        Array("id: \(event.sequence)\ndata: ".utf8) + ExportEncoder.ndjson.rows([event]) + [0x0A]
    }
}
