import NIOHTTP1

/// The limits of one connection before a handler sees its request.
package struct ConnectionLimits: Sendable {
    /// Maximum length of a request's target.
    var uriBytes: Int
    /// Maximum size of all header field names and values of a request together.
    var headerBytes: Int
    var headerFields: Int
    /// Maximum time from the first byte of a head to its last.
    var headSeconds: Int
    /// Maximum time from the head to the last byte of the body.
    var bodySeconds: Int
    var idleSeconds: Int
    var stalledSeconds: Int
    /// Maximum time from the setup of a connection to the last byte of its PROXY header.
    package var proxyHeaderSeconds: Int

    /// Limits of the lingering close: after answering a request before its end, the connection reads and discards up to
    /// this much, so that the client gets to read the response. The system discards sent data if a socket is closed
    /// with unread bytes.
    static let lingerBytes = 1 << 20
    static let lingerSeconds: Int64 = 2

    /// Maximum number of bytes that belong neither to a head nor to the data of a body, such as blanks and the framing of
    /// chunks. Each byte of a body allows `overheadPerBodyByte` of them: chunks of one byte each, with five bytes of
    /// framing, pass.
    static let overheadBytes = 1 << 16
    static let overheadPerBodyByte = 16

    /// Maximum number of pipelined requests without a response; the connection ends after them. A read of 16 KiB can
    /// hold 600 requests, and each takes kilobytes once it is decoded.
    static let pipelined = 64

    /// Size of one read on a connection of the public port. After it, the event loop turns to its next connection.
    package static let readBytes = 4_096

    package init(
        uriBytes: Int,
        headerBytes: Int,
        headerFields: Int,
        headSeconds: Int,
        bodySeconds: Int,
        idleSeconds: Int,
        stalledSeconds: Int,
        proxyHeaderSeconds: Int
    ) {
        self.uriBytes = uriBytes
        self.headerBytes = headerBytes
        self.headerFields = headerFields
        self.headSeconds = headSeconds
        self.bodySeconds = bodySeconds
        self.idleSeconds = idleSeconds
        self.stalledSeconds = stalledSeconds
        self.proxyHeaderSeconds = proxyHeaderSeconds
    }

    /// NIO's decoder treats the target as a header field, so its bound for one field is the larger of both limits.
    /// `HTTPRequest.init(_:limits:)` checks the target's own limit.
    var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = max(uriBytes, headerBytes)
        decoder.maxHeaderListSize = uriBytes + headerBytes
        decoder.maxHeaderFieldCount = headerFields
        return decoder
    }
}
