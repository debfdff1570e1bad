import ServiceLifecycle
import Synchronization

/// The pace of a shutdown: graceful or, once it is hurried, without waiting for load balancers and slow clients.
/// Accepted events are written either way.
package final class ShutdownController: Sendable {
    private struct State {
        var isHurried = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the shutdown is hurried.
    package var isHurried: Bool { state.withLock(\.isHurried) }

    /// Hurries the shutdown.
    package func force() {
        let waiters = state.withLock { state in
            state.isHurried = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the shutdown is hurried or the task is cancelled.
    package func untilHurried() async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // An earlier cancellation is seen here; a later one finds the waiter.
                    guard !state.isHurried, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Runs `body` to its end. Cancels it if its graceful shutdown has begun and the shutdown is hurried; not earlier,
    /// so that services still stop one after the other.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await body() }
            tasks.addTask {
                try await gracefulShutdown()
                await self.untilHurried()
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }
}
