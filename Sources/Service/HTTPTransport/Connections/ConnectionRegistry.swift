package import CoreMetrics
import Metrics
import NIOCore
import Synchronization

/// The open connections of a port, or its open HTTP/2 streams. Near the limit, each new one evicts another that waits
/// for its client, so idle connections and slow requests cannot lock out other clients.
package final class ConnectionRegistry: Sendable {
    /// Above this number, each new connection evicts another. The remaining tenth of the limit is headroom for
    /// connections that arrive before the evicted ones are closed.
    private let comfortable: Int
    private let limit: Int
    private let state = Mutex(State())
    private let open: Meter
    /// Whether the limit is reached and no further connection is accepted.
    private let isFull = Atomic(false)

    private struct State {
        var registrations: [Registration] = []
        /// Callers of ``untilEmpty()``.
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// State of an xorshift64 generator. The sample need not be secret, and sixteen calls to the system's generator
        /// take longer than the rest.
        var random = UInt64.random(in: 1 ... .max)

        /// Returns the registration of a random sample that has waited longest for its client, or nil if none may be
        /// evicted. The newest is not in the sample.
        mutating func slowest() -> Registration? {
            let slowest = (0..<ConnectionRegistry.sample).map { _ in
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                return registrations[Int(random % UInt64(registrations.count - 1))]
            }.min { $0.age < $1.age }
            // A registration that is already being evicted makes no room for a second connection.
            return slowest?.mayBeEvicted() == true ? slowest : nil
        }
    }

    /// Size of the random sample in which the longest wait is searched.
    private static let sample = 16

    /// A connection or stream, and since when the server waits for its client.
    final class Registration: Sendable {
        private let channel: any Channel
        /// Uptime in nanoseconds at which the wait began; `busy` while the client waits for the server.
        private let waitingSince: Atomic<UInt64>
        private let isEvicted = Atomic(false)
        /// Position in `State.registrations`; changed under the lock only.
        fileprivate let index = Atomic(0)

        private static let busy = UInt64.max

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
            waitingSince = Atomic(NIODeadline.now().uptimeNanoseconds)
        }

        func startWaiting() { waitingSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
        func stopWaiting() { waitingSince.store(Self.busy, ordering: .relaxed) }

        /// The start of the wait, so the smallest value is the longest wait; `busy` if an eviction is under way.
        fileprivate var age: UInt64 {
            isEvicted.load(ordering: .relaxed) ? Self.busy : waitingSince.load(ordering: .relaxed)
        }

        /// Marks the registration for eviction; returns false if it is already marked or the client waits for the
        /// server.
        fileprivate func mayBeEvicted() -> Bool {
            guard age != Self.busy else { return false }
            isEvicted.store(true, ordering: .relaxed)
            return true
        }

        /// Stops reading. Requests received before are answered if that takes no longer than
        /// ``ConnectionLimits/lingerSeconds``. A channel that is not active yet cannot be half-closed and is closed
        /// instead.
        fileprivate func endInput() {
            channel.eventLoop.execute { [channel] in
                channel.close(mode: channel.isActive ? .input : .all, promise: nil)
                channel.eventLoop.scheduleTask(in: .seconds(ConnectionLimits.lingerSeconds)) {
                    channel.close(promise: nil)
                }
            }
        }

        /// Closes the channel, unless the client waits for the server by now.
        fileprivate func evict() {
            channel.eventLoop.execute { [self] in
                isEvicted.store(false, ordering: .relaxed)
                guard age != Self.busy else { return }
                isEvicted.store(true, ordering: .relaxed)
                channel.close(promise: nil)
            }
        }
    }

    /// - Parameters:
    ///   - limit: Maximum number of open connections of the port.
    ///   - metric: Name of the metric that reports the number of open connections.
    package init(limit: Int, of metric: String = "fingerpost_connections", port: PortRole, metrics: any MetricsFactory)
    {
        self.limit = limit
        comfortable = limit - max(1, limit / 10)
        open = Meter(label: metric, dimensions: [("port", port.rawValue)], factory: metrics)
    }

    func enter(_ channel: any Channel) -> Registration {
        let registration = Registration(channel)
        let slowest = state.withLock { state in
            registration.index.store(state.registrations.count, ordering: .relaxed)
            state.registrations.append(registration)
            isFull.store(state.registrations.count >= limit, ordering: .relaxed)
            return state.registrations.count > max(comfortable, 1) ? state.slowest() : nil
        }
        open.increment()
        slowest?.evict()
        return registration
    }

    /// Evicts a connection that waits for its client, even below the limit.
    func makeRoom() {
        state.withLock { $0.registrations.count > 1 ? $0.slowest() : nil }?.evict()
    }

    /// Evicts a connection that waits for its client if the limit is reached. Called when a connection begins to wait:
    /// a caller of ``makeRoom()`` that found none to evict does not call again.
    func makeRoomIfFull() {
        if isFull.load(ordering: .relaxed) { makeRoom() }
    }

    /// Accepts connections up to the port's limit; at the limit, evicts one that waits for its client.
    package struct Room {
        fileprivate let registry: ConnectionRegistry
        fileprivate let limit: Int
        private var count = 0

        fileprivate init(_ registry: ConnectionRegistry, limit: Int) {
            self.registry = registry
            self.limit = limit
        }

        package mutating func connectionOpened() { count += 1 }
        package mutating func connectionClosed() { count -= 1 }

        package func isAcceptingNewConnections() -> Bool {
            if count >= limit { registry.makeRoom() }
            return count < limit
        }
    }

    package var room: Room { Room(self, limit: limit) }

    func leave(_ registration: Registration) {
        open.decrement()
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let last = state.registrations.popLast(), last !== registration {
                let index = registration.index.load(ordering: .relaxed)
                last.index.store(index, ordering: .relaxed)
                state.registrations[index] = last
            }
            isFull.store(state.registrations.count >= limit, ordering: .relaxed)
            guard state.registrations.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no registration is left.
    package func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.registrations.isEmpty { state.waiters.append(continuation) }
                return state.registrations.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Stops reading from all connections. Each ends when its requests are answered, or after
    /// ``ConnectionLimits/lingerSeconds``.
    package func endInputs() {
        for registration in state.withLock(\.registrations) { registration.endInput() }
    }
}
