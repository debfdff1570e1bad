import NIOCore
import Synchronization

/// What was answered but not taken by its clients yet, of all ports together: memory whose size strangers decide.
///
/// One connection holds about ``perConnection`` and one answer: nothing more is answered meanwhile. All together hold `limit`: above it
/// the largest are closed, first those whose clients have taken nothing for a second.
package final class UnsentAnswers: Sendable {
    /// Above it nothing is read of a connection, and nothing answered.
    static let perConnection = 64 << 10
    /// For which a client that takes its answer may pause before it counts as one that does not read.
    private static let pause = TimeAmount.seconds(1)

    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var backlogs: [ObjectIdentifier: Backlog] = [:]

        mutating func remove(_ id: ObjectIdentifier) -> Backlog? {
            let backlog = backlogs.removeValue(forKey: id)
            total -= backlog?.bytes ?? 0
            return backlog
        }
    }

    private struct Backlog {
        let channel: any Channel
        let port: PortRole
        var bytes = 0
        var movedAt = NIODeadline.now()
    }

    /// - Parameter limit: In bytes.
    package init(limit: Int) { self.limit = limit }

    /// Notes what waits for a connection's client now; 0 when it is closed.
    ///
    /// - Parameter hasMoved: Whether the client has taken something since the last time.
    func note(_ bytes: Int, for channel: any Channel, of port: PortRole, hasMoved: Bool) {
        let id = ObjectIdentifier(channel)
        let tooLarge = state.withLock { state -> [any Channel] in
            guard bytes > 0 else {
                _ = state.remove(id)
                return []
            }
            var backlog = state.backlogs[id] ?? Backlog(channel: channel, port: port)
            state.total += bytes - backlog.bytes
            backlog.bytes = bytes
            if hasMoved { backlog.movedAt = .now() }
            state.backlogs[id] = backlog
            return closed(of: &state)
        }
        // A close tells its handlers at once, which come back here.
        for channel in tooLarge { channel.eventLoop.execute { channel.close(promise: nil) } }
    }

    private func closed(of state: inout State) -> [any Channel] {
        var closed: [any Channel] = []
        let still = NIODeadline.now() - Self.pause
        while state.total > limit {
            let waiting = state.backlogs.lazy.filter { $0.value.movedAt <= still }
            let largest =
                waiting.max { $0.value.bytes < $1.value.bytes }
                ?? state.backlogs.max { $0.value.bytes < $1.value.bytes }
            guard let largest, let backlog = state.remove(largest.key) else { break }
            closed.append(backlog.channel)
        }
        return closed
    }

    /// For `/metrics`.
    package var readings: [MetricRegistry.Reading] {
        let backlogs = state.withLock { Array($0.backlogs.values) }
        let ports = Dictionary(grouping: backlogs, by: \.port).mapValues { $0.reduce(0) { $0 + $1.bytes } }
        let totals = [PortRole.admin, .ops, .public].map { port in
            MetricRegistry.Reading.gauge(
                "fingerpost_unsent_bytes",
                Double(ports[port] ?? 0),
                [("port", port.rawValue)]
            )
        }
        let largest = backlogs.reduce(0) { max($0, $1.bytes) }
        return totals + [
            .gauge("fingerpost_unsent_bytes_largest", Double(largest)),
            .gauge("fingerpost_unsent_bytes_limit", Double(limit)),
        ]
    }
}
