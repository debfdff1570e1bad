import Synchronization

/// A request to stop. Several tasks may wait for it.
final class StopRequest: Sendable {
    private struct State {
        var isFulfilled = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func fulfil() {
        let waiting = state.withLock { state in
            state.isFulfilled = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFulfilled = state.withLock { state in
                if !state.isFulfilled { state.waiting.append(continuation) }
                return state.isFulfilled
            }
            if isFulfilled { continuation.resume() }
        }
    }
}

/// The port that the listener got, for URLs in answers. It is known only after the parts that show it are made.
final class SharedPort: Sendable {
    private let port = Mutex(0)

    var value: Int {
        get { port.withLock { $0 } }
        set { port.withLock { $0 = newValue } }
    }
}
