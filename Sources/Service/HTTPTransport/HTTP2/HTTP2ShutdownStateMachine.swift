import NIOHTTP2

/// The graceful shutdown of an HTTP/2 connection, which interrupts no request (RFC 9113 §6.8): it announces the end,
/// waits until the client knows, refuses later streams, and closes the connection after the last stream.
struct HTTP2ShutdownStateMachine {
    private enum Phase {
        case open, announced, refusing
    }

    private var phase = Phase.open
    private var newest = HTTP2StreamID.rootStream
    private var streams = 0

    enum Step: Equatable {
        /// GOAWAY that refuses no stream yet, and a PING whose acknowledgement shows that the client has read it.
        case announce
        /// GOAWAY that refuses every stream after this one.
        case refuse(after: HTTP2StreamID)
    }

    /// Whether the connection may be closed now.
    var isDone: Bool { phase == .refusing && streams == 0 }

    mutating func streamBegan(_ id: HTTP2StreamID) {
        newest = max(newest, id)
        streams += 1
    }

    mutating func streamEnded() { streams -= 1 }

    /// Called when the server stops or the connection was idle for too long.
    mutating func begin() -> Step? {
        guard phase == .open else { return nil }
        phase = .announced
        return .announce
    }

    /// Called when the client has acknowledged the announcement or has closed its sending side.
    mutating func acknowledged() -> Step? {
        guard phase != .refusing else { return nil }
        phase = .refusing
        return .refuse(after: newest)
    }
}
