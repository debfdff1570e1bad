import NIOCore
import Synchronization

/// Limits the memory for response bytes that clients have not received yet, on all ports together. Without a limit,
/// slow clients would decide how much memory the process uses.
///
/// One connection holds about ``perConnection`` bytes and one response, because it answers no further request until its
/// client has received these bytes. All connections together hold at most `limit` bytes. Above it, the connections with
/// the most bytes are closed, first those whose clients have received nothing for a second.
package final class UnsentResponses: Sendable {
    /// Number of bytes above which a connection reads and answers no further requests.
    static let perConnection = 64 << 10
    /// The maximum pause of a client; after it, the client counts as one that does not read its responses.
    private static let pause = TimeAmount.seconds(1)

    package let limit: Int
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

    /// Records how many bytes wait for a connection's client; 0 also when the connection is closed.
    ///
    /// - Parameter hasMoved: Whether the client has received some bytes since the last call.
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
        // Closing a channel calls its handlers synchronously, and those call this method again.
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

    /// The numbers of waiting bytes by port, and that of the connection with the most.
    package var waiting: (byPort: [PortRole: Int], largest: Int) {
        let backlogs = state.withLock { Array($0.backlogs.values) }
        let ports = Dictionary(grouping: backlogs, by: \.port).mapValues { $0.reduce(0) { $0 + $1.bytes } }
        return (ports, backlogs.reduce(0) { max($0, $1.bytes) })
    }
}
