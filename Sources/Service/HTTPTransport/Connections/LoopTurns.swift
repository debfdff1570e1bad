package import NIOCore
import Synchronization

/// Lets the connections of an event loop continue one after the other; the loop polls all sockets between two of them.
///
/// NIO runs immediate tasks, including those that they add, until none is left. Connections that continued with
/// `execute` would keep all others from being read until they are done.
package final class LoopTurns {
    private let loop: any EventLoop
    private var waiting = CircularBuffer<() -> Void>()

    /// Maximum number of requests that a connection processes in one turn.
    static let requests = 16
    /// A task with a delay makes the loop poll its sockets first.
    static let pause = TimeAmount.microseconds(50)

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Runs `body` after the closures that are already in the queue.
    func enqueue(_ body: @escaping () -> Void) {
        waiting.append(body)
        if waiting.count == 1 { schedule() }
    }

    private func schedule() {
        loop.assumeIsolated().scheduleTask(in: Self.pause) {
            // Removed after the call: a body that is added during it is scheduled below.
            self.waiting.first?()
            _ = self.waiting.popFirst()
            if !self.waiting.isEmpty { self.schedule() }
        }
    }

    /// The turns of all event loops of a port.
    package final class OfPort: Sendable {
        private let turns = Mutex<[ObjectIdentifier: NIOLoopBound<LoopTurns>]>([:])

        package init() {}

        /// - Parameter loop: The event loop of the caller.
        package func on(_ loop: any EventLoop) -> LoopTurns {
            turns.withLock { turns in
                if let known = turns[ObjectIdentifier(loop)] { return known }
                let new = NIOLoopBound(LoopTurns(loop), eventLoop: loop)
                turns[ObjectIdentifier(loop)] = new
                return new
            }.value
        }
    }
}
