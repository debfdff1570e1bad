import NIOCore

/// Tracks whether the decoder is between two requests. The decoder reports what it has read, but not whether it holds
/// the beginning of another request. Counting tells: its input must be one head, up to the empty line, and a body as
/// long as the decoded one.
struct MessageBoundary {
    /// Whether the decoder holds no part of a request. If that cannot be told, it stays false for the rest of the
    /// connection: a second parser that began within a request would take the client's bytes for another client's
    /// request (request smuggling, RFC 9112 §11.2).
    private(set) var isReached = true
    /// Number of bytes seen of the CR LF CR LF that ends a head.
    private var headEnd = 0
    private var bytesAfterHead = 0
    private var bodyBytes = 0
    private var hasEnded = false
    /// Whether the boundary is unknown, as after a bare line feed: the decoder may accept it as the end of a line and
    /// so end the head elsewhere.
    private var isAmbiguous = false

    /// Counts bytes that go to the decoder.
    mutating func enter(_ bytes: ByteBufferView) {
        isReached = false
        var rest = bytes[...]
        while headEnd < 4, let byte = rest.popFirst() {
            switch (headEnd, byte) {
            case (_, UInt8(ascii: "\r")): headEnd = headEnd == 2 ? 3 : 1
            case (1, UInt8(ascii: "\n")), (3, UInt8(ascii: "\n")): headEnd += 1
            case (_, UInt8(ascii: "\n")): isAmbiguous = true
            default: headEnd = 0
            }
        }
        bytesAfterHead += rest.count
    }

    /// Counts bytes of a decoded body.
    mutating func foundBody(_ bytes: Int) { bodyBytes += bytes }
    mutating func foundEnd() { hasEnded = true }

    /// Called when the decoder has consumed all of its input.
    mutating func settle() {
        guard hasEnded, !isAmbiguous else { return }
        if headEnd == 4, bytesAfterHead == bodyBytes { self = MessageBoundary() } else { isAmbiguous = true }
    }
}
