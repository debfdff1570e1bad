import NIOCore
import Synchronization

/// Lets the connections of an event loop go on one after the other; all sockets are looked at between two of them.
///
/// NIO runs tasks until there are none, with those that they add: connections that went on with `execute` would let nobody else be
/// read before they are done.
final class LoopTurns {
    private let loop: any EventLoop
    private var waiting = CircularBuffer<() -> Void>()

    /// How much a connection does at once.
    static let requests = 16
    /// A task of a moment that is still to come makes the loop look at its sockets first.
    static let pause = TimeAmount.microseconds(50)

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs `body` when those that wait already have had their turn.
    func wait(_ body: @escaping () -> Void) {
        waiting.append(body)
        if waiting.count == 1 { schedule() }
    }

    private func schedule() {
        loop.assumeIsolated().scheduleTask(in: Self.pause) {
            // It is taken out afterwards: what waits meanwhile is scheduled here.
            self.waiting.first?()
            _ = self.waiting.popFirst()
            if !self.waiting.isEmpty { self.schedule() }
        }
    }

    /// Those of all event loops of a port.
    final class OfPort: Sendable {
        private let turns = Mutex<[ObjectIdentifier: NIOLoopBound<LoopTurns>]>([:])

        /// - Parameter loop: The one that this is called on.
        func on(_ loop: any EventLoop) -> LoopTurns {
            turns.withLock { turns in
                if let known = turns[ObjectIdentifier(loop)] { return known }
                let new = NIOLoopBound(LoopTurns(loop), eventLoop: loop)
                turns[ObjectIdentifier(loop)] = new
                return new
            }.value
        }
    }
}
