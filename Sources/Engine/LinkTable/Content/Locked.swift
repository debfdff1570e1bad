#if canImport(Darwin)
    import os

    /// State behind a lock. On Apple platforms the lock is an `OSAllocatedUnfairLock`, because iOS 16 has no `Mutex`.
    package final class Locked<State: Sendable>: Sendable {
        private let lock: OSAllocatedUnfairLock<State>

        package init(_ state: State) { lock = OSAllocatedUnfairLock(initialState: state) }

        package func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
            try lock.withLock(body)
        }
    }
#else
    import Synchronization

    /// State behind a lock. On Apple platforms the lock is an `OSAllocatedUnfairLock`, because iOS 16 has no `Mutex`.
    package final class Locked<State: Sendable>: Sendable {
        private let mutex: Mutex<State>

        package init(_ state: State) { mutex = Mutex(state) }

        package func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
            try mutex.withLock { state in try body(&state) }
        }
    }
#endif
