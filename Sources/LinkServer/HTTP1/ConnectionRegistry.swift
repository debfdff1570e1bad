import HummingbirdCore
import Metrics
import NIOCore
import Synchronization

/// The open connections of a port, or its open streams of HTTP/2. When nearly as many are open as may be, each further one takes the place of one that keeps
/// us waiting: idle connections and slow requests cannot lock out those who ask and go.
final class ConnectionRegistry: Sendable {
    /// Above this many, others give way; the tenth above it is for those that come meanwhile.
    private let comfortable: Int
    private let limit: Int
    private let state = Mutex(State())
    private let open: Meter
    /// No further one is let in.
    private let isFull = Atomic(false)

    private struct State {
        var seats: [Registration] = []
        /// Wait for the last one to leave.
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Of xorshift64: which seats are looked at need not be a secret, and asking the system sixteen times takes longer than the rest.
        var random = UInt64.random(in: 1 ... .max)

        /// The one of a few that has kept us waiting longest; the newest is not among them.
        mutating func slowest() -> Registration? {
            let slowest = (0..<ConnectionRegistry.sample).map { _ in
                random ^= random << 13
                random ^= random >> 7
                random ^= random << 17
                return seats[Int(random % UInt64(seats.count - 1))]
            }.min { $0.age < $1.age }
            // One that gives way already makes no room for a second one.
            return slowest?.mayBeEvicted() == true ? slowest : nil
        }
    }

    /// How many are looked at for the one that has kept us waiting longest.
    private static let sample = 16

    /// A connection, and since when we wait for its client.
    final class Registration: Sendable {
        private let channel: any Channel
        /// Nanoseconds of uptime; `busy` while its client waits for us.
        private let waitingSince: Atomic<UInt64>
        private let isEvicted = Atomic(false)
        /// In the list; changed under the lock only.
        fileprivate let index = Atomic(0)

        private static let busy = UInt64.max

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
            waitingSince = Atomic(NIODeadline.now().uptimeNanoseconds)
        }

        func startWaiting() { waitingSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
        func stopWaiting() { waitingSince.store(Self.busy, ordering: .relaxed) }

        /// The longest wait is the smallest; who gives way already comes last.
        fileprivate var age: UInt64 {
            isEvicted.load(ordering: .relaxed) ? Self.busy : waitingSince.load(ordering: .relaxed)
        }

        /// False for one that does, or that waits for us.
        fileprivate func mayBeEvicted() -> Bool {
            guard age != Self.busy else { return false }
            isEvicted.store(true, ordering: .relaxed)
            return true
        }

        /// Reads nothing more; what was asked is still answered, where that does not take long. Half of a connection that has not
        /// begun cannot be closed.
        fileprivate func endInput() {
            channel.eventLoop.execute { [channel] in
                channel.close(mode: channel.isActive ? .input : .all, promise: nil)
                channel.eventLoop.scheduleTask(in: .seconds(ConnectionLimits.lingerSeconds)) {
                    channel.close(promise: nil)
                }
            }
        }

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
    ///   - limit: How many the port holds open at most.
    ///   - metric: What tells how many are open.
    init(limit: Int, of metric: String = "fingerpost_connections", port: PortRole, metrics: MetricRegistry) {
        self.limit = limit
        comfortable = limit - max(1, limit / 10)
        open = Meter(label: metric, dimensions: [("port", port.rawValue)], factory: metrics)
    }

    func enter(_ channel: any Channel) -> Registration {
        let seat = Registration(channel)
        let slowest = state.withLock { state in
            seat.index.store(state.seats.count, ordering: .relaxed)
            state.seats.append(seat)
            isFull.store(state.seats.count >= limit, ordering: .relaxed)
            return state.seats.count > max(comfortable, 1) ? state.slowest() : nil
        }
        open.increment()
        slowest?.evict()
        return seat
    }

    /// One that keeps us waiting ends, however few there are.
    func makeRoom() {
        state.withLock { $0.seats.count > 1 ? $0.slowest() : nil }?.evict()
    }

    /// One of those that keep us waiting ends where no further one is let in. Who asked for room before there was such a one does not
    /// ask again.
    func makeRoomIfFull() {
        if isFull.load(ordering: .relaxed) { makeRoom() }
    }

    /// Room for as many as the port holds open at most, and at the limit one that keeps us waiting ends.
    struct Room: AvailableConnectionsDelegate {
        fileprivate let crowd: ConnectionRegistry
        fileprivate let limit: Int
        private var count = 0

        fileprivate init(_ crowd: ConnectionRegistry, limit: Int) {
            self.crowd = crowd
            self.limit = limit
        }

        mutating func connectionOpened() { count += 1 }
        mutating func connectionClosed() { count -= 1 }

        func isAcceptingNewConnections() -> Bool {
            if count >= limit { crowd.makeRoom() }
            return count < limit
        }
    }

    var room: Room { Room(self, limit: limit) }

    func leave(_ seat: Registration) {
        open.decrement()
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let last = state.seats.popLast(), last !== seat {
                let index = seat.index.load(ordering: .relaxed)
                last.index.store(index, ordering: .relaxed)
                state.seats[index] = last
            }
            isFull.store(state.seats.count >= limit, ordering: .relaxed)
            guard state.seats.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when nobody is left.
    func untilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.seats.isEmpty { state.waiters.append(continuation) }
                return state.seats.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Each connection ends when what was asked on it is answered, or a moment later.
    func endInputs() {
        for seat in state.withLock(\.seats) { seat.endInput() }
    }
}
