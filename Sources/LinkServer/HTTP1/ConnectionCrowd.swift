import Metrics
import NIOCore
import Synchronization

/// The open connections of a port, or its open streams of HTTP/2. When nearly as many are open as may be, each further one takes the place of one that keeps
/// us waiting: idle connections and slow requests cannot lock out those who ask and go.
final class ConnectionCrowd: Sendable {
    /// Above this many, others give way; the tenth above it is for those that come meanwhile.
    private let comfortable: Int
    private let seats = Mutex<[Seat]>([])
    private let open: Meter

    /// How many are looked at for the one that has kept us waiting longest.
    private static let sample = 16

    /// A connection, and since when we wait for its client.
    final class Seat: Sendable {
        private let channel: any Channel
        /// Nanoseconds of uptime; `busy` while its client waits for us.
        private let waitingSince: Atomic<UInt64>
        /// In the list; changed under the lock only.
        fileprivate let index = Atomic(0)

        private static let busy = UInt64.max

        fileprivate init(_ channel: any Channel) {
            self.channel = channel
            waitingSince = Atomic(NIODeadline.now().uptimeNanoseconds)
        }

        func startWaiting() { waitingSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }
        func stopWaiting() { waitingSince.store(Self.busy, ordering: .relaxed) }

        fileprivate var age: UInt64 { waitingSince.load(ordering: .relaxed) }

        fileprivate func giveWay() {
            channel.eventLoop.execute { [self] in
                if age != Self.busy { channel.close(promise: nil) }
            }
        }
    }

    /// - Parameters:
    ///   - limit: How many the port holds open at most.
    ///   - metric: What tells how many are open.
    init(limit: Int, of metric: String = "fingerpost_connections", port: PortRole, metrics: MetricRegistry) {
        comfortable = limit - max(1, limit / 10)
        open = Meter(label: metric, dimensions: [("port", port.rawValue)], factory: metrics)
    }

    func enter(_ channel: any Channel) -> Seat {
        let seat = Seat(channel)
        let slowest = seats.withLock { seats in
            seat.index.store(seats.count, ordering: .relaxed)
            seats.append(seat)
            return seats.count > comfortable ? Self.slowest(of: seats.dropLast()) : nil
        }
        open.increment()
        slowest?.giveWay()
        return seat
    }

    func leave(_ seat: Seat) {
        open.decrement()
        seats.withLock { seats in
            guard let last = seats.popLast(), last !== seat else { return }
            let index = seat.index.load(ordering: .relaxed)
            last.index.store(index, ordering: .relaxed)
            seats[index] = last
        }
    }

    private static func slowest(of seats: ArraySlice<Seat>) -> Seat? {
        (0..<sample).compactMap { _ in seats.randomElement() }.min { $0.age < $1.age }
    }
}
