import Synchronization

/// The open engines by handle. A handle is a number, because a pointer that is closed twice would crash the app. It is
/// never used again, so a closed one cannot become that of another engine.
final class EngineRegistry: Sendable {
    static let shared = EngineRegistry()
    static let maximumEngines = 1_024

    private struct State {
        var engines: [UInt64: Engine] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Returns the handle of the engine; nil if too many engines are open.
    func add(_ engine: Engine) -> UInt64? {
        state.withLock { state in
            guard state.engines.count < Self.maximumEngines else { return nil }
            state.last += 1
            state.engines[state.last] = engine
            return state.last
        }
    }

    func engine(_ handle: UInt64) -> Engine? { state.withLock { $0.engines[handle] } }
    func remove(_ handle: UInt64) { _ = state.withLock { $0.engines.removeValue(forKey: handle) } }
    var count: Int { state.withLock { $0.engines.count } }
}
