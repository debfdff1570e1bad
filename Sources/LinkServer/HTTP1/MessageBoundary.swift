import NIOCore

/// Whether the decoder stands between two requests. It tells what it has read, but not whether it holds the beginning of a
/// further one; that follows from counting: all that went in is one head, up to its empty line, and a body as long as what came
/// out.
struct MessageBoundary {
    /// Nothing of a request is in the decoder. Where that cannot be told, it is not, for the rest of the connection: another
    /// reader that began within a request would take what its client wrote for a request of somebody else (RFC 9112 §11.2).
    private(set) var isReached = true
    /// How much of the CR LF CR LF that ends a head has been seen.
    private var headEnd = 0
    private var bytesAfterHead = 0
    private var bodyBytes = 0
    private var hasEnded = false
    /// A decoder may take a line feed alone for the end of a line, and so end the head elsewhere.
    private var isAmbiguous = false

    /// What goes into the decoder.
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

    /// What the decoder has read.
    mutating func foundBody(_ bytes: Int) { bodyBytes += bytes }
    mutating func foundEnd() { hasEnded = true }

    /// The decoder has read all that went in.
    mutating func settle() {
        guard hasEnded, !isAmbiguous else { return }
        if headEnd == 4, bytesAfterHead == bodyBytes { self = MessageBoundary() } else { isAmbiguous = true }
    }
}
