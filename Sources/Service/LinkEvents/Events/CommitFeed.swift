package import LinkRouting
import Synchronization

/// Notifies listeners after commits of a tenant's events. It carries no events: a listener reads them from the log, so
/// that a slow reader costs no memory and misses nothing.
package final class CommitFeed: Sendable {
    private let state = Mutex(State())
    private let limits: Limits

    package struct Limits: Sendable {
        package var listeners = 64
        package var listenersOfOneTenant = 16
        package var listenersOfOneKey = 8

        package init() {}
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastID = 0
    }

    private struct Listener {
        let tenant: TenantID
        let key: String
        let continuation: AsyncStream<Void>.Continuation
    }

    /// A registration; it ends when it is deallocated.
    package struct Listening: Sendable {
        /// Signals one or more commits since the last signal. At most one signal is buffered.
        package let signals: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        fileprivate init(_ signals: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation) {
            self.signals = signals
            self.continuation = continuation
        }

        /// Sends a signal without a commit.
        package func wake() { continuation.yield() }

        /// Ends the signals after the buffered one.
        package func end() { continuation.finish() }
    }

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Registers a listener; nil if a limit is reached.
    ///
    /// - Parameter key: The id of the listener's API key.
    package func listen(to tenant: TenantID, with key: String) -> Listening? {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard state.listeners.count < limits.listeners,
                state.listeners.values.count(where: { $0.tenant == tenant }) < limits.listenersOfOneTenant,
                state.listeners.values.count(where: { $0.key == key }) < limits.listenersOfOneKey
            else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = Listener(tenant: tenant, key: key, continuation: continuation)
            return state.lastID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return Listening(signals, continuation)
    }

    /// Notifies the tenants' listeners. Called by the recorder after a commit.
    func note(_ events: [Event]) {
        let woken = state.withLock { state in
            state.listeners.isEmpty
                ? [] : state.listeners.values.filter { listener in events.contains { $0.tenant == listener.tenant } }
        }
        for listener in woken { listener.continuation.yield() }
    }

    /// The number of listeners, for the metrics.
    package var listenerCount: Int { state.withLock { $0.listeners.count } }
}
