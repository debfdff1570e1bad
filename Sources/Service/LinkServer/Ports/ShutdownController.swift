import ServiceLifecycle
import Synchronization

/// Controls whether a shutdown is graceful. A forced shutdown does not wait for load balancers and slow clients.
/// Accepted events are written in both cases.
package final class ShutdownController: Sendable {
    private struct State {
        var isForced = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the shutdown is forced.
    package var isForced: Bool { state.withLock(\.isForced) }

    /// Forces the shutdown.
    package func force() {
        let waiters = state.withLock { state in
            state.isForced = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the shutdown is forced or the task is cancelled.
    package func untilForced() async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // An earlier cancellation is seen here; a later one finds the waiter.
                    guard !state.isForced, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Runs `body` to its end. If the shutdown is forced, cancels it, but not before its graceful shutdown has begun,
    /// so that services still stop one after the other.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await body() }
            tasks.addTask {
                try await gracefulShutdown()
                await self.untilForced()
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }
}
