import NIOHTTP2

/// How a connection of HTTP/2 ends without cutting a request short (RFC 9113, 6.8): it announces the end, waits until the
/// client has heard it, refuses what comes after, and closes when the last stream has.
struct HTTP2ShutdownStateMachine {
    private enum Phase {
        case open, announced, refusing
    }

    private var phase = Phase.open
    private var newest = HTTP2StreamID.rootStream
    private var streams = 0

    enum Step: Equatable {
        /// GOAWAY for nothing yet, and a PING whose answer tells that it was read.
        case announce
        /// GOAWAY for every stream after this one.
        case refuse(after: HTTP2StreamID)
    }

    /// Whether the connection may be closed now.
    var isDone: Bool { phase == .refusing && streams == 0 }

    mutating func streamBegan(_ id: HTTP2StreamID) {
        newest = max(newest, id)
        streams += 1
    }

    mutating func streamEnded() { streams -= 1 }

    /// The server stops, or nothing was asked for long.
    mutating func begin() -> Step? {
        guard phase == .open else { return nil }
        phase = .announced
        return .announce
    }

    /// The client has read the announcement, or will send nothing more anyway.
    mutating func wasHeard() -> Step? {
        guard phase != .refusing else { return nil }
        phase = .refusing
        return .refuse(after: newest)
    }
}
