import NIOHTTP1

/// What one connection may cost before a handler sees its request.
struct ConnectionLimits: Sendable {
    /// Of a request's target.
    var uriBytes: Int
    /// Of all names and values of a request's header fields together.
    var headerBytes: Int
    var headerFields: Int
    /// From a head's first byte to its last.
    var headSeconds: Int
    /// From a head to the last byte of its body.
    var bodySeconds: Int
    var idleSeconds: Int
    var stalledSeconds: Int

    /// What is read of a request that was answered before its end, so that the client comes to read the answer. A peer that
    /// is cut off at once loses it: the system discards what was sent when unread bytes are left.
    static let lingerBytes = 1 << 20
    static let lingerSeconds: Int64 = 2

    /// What is read of a head, or around a body, that comes to nothing. A body of single bytes in chunks of their own has five
    /// around each, and is let pass.
    static let undecodedBytes = 1 << 16
    static let wrapping = 16

    /// How many requests may wait for their answers; the connection ends after them. A read of 16 KiB can hold 600, of which
    /// each takes kilobytes once it is decoded.
    static let pipelined = 64

    /// What one read of a connection to the public port takes; after it, the next connection of the event loop has its turn.
    static let readBytes = 4_096

    init(_ limits: ServerLimits, bodySeconds: Int) {
        uriBytes = limits.uriBytes
        headerBytes = limits.headerBytes
        headerFields = limits.headerFields
        headSeconds = limits.headSeconds
        self.bodySeconds = bodySeconds
        idleSeconds = limits.idleSeconds
        stalledSeconds = limits.stalledSeconds
    }

    /// The decoder counts a target as a field, so the larger of the two is its bound for one, and we hold the other.
    var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = max(uriBytes, headerBytes)
        decoder.maxHeaderListSize = uriBytes + headerBytes
        decoder.maxHeaderFieldCount = headerFields
        return decoder
    }
}
