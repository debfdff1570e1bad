package import NIOCore
package import NIOHTTP2

/// The limits of one HTTP/2 connection. A client that exceeds them gets GOAWAY, with the code ENHANCE_YOUR_CALM if the
/// frames themselves were valid.
package struct HTTP2Limits: Sendable {
    /// Maximum time without an open stream.
    let idle: TimeAmount
    /// Maximum time without progress while response bytes wait for the client, and for its streams to end after GOAWAY.
    package let stalled: TimeAmount
    /// Maximum time from the beginning of a stream to the last byte of its response. A client that leaves its window at
    /// zero keeps a response from being written at all.
    let stream: TimeAmount
    /// Maximum size of a request's header fields and target, with 32 bytes more for each of them (RFC 9113 §6.5.2). A
    /// head below this but above ``ConnectionLimits`` is answered with 414 or 431.
    private let headerBytes: Int

    private static let concurrentStreams = 100

    package init(_ limits: ConnectionLimits) {
        idle = .seconds(Int64(limits.idleSeconds))
        stalled = .seconds(Int64(limits.stalledSeconds))
        stream = .seconds(Int64(limits.bodySeconds + limits.stalledSeconds))
        headerBytes = limits.uriBytes + limits.headerBytes
    }

    /// Interval at which a connection checks its own deadline and those of its streams.
    var checkInterval: TimeAmount { .nanoseconds(min(idle, stream).nanoseconds / 4) }

    /// Mostly the library's defaults, spelled out so that an update of the library changes nothing unnoticed.
    package var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.concurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: headerBytes),
        ]
        // CONTINUATION flood (CVE-2024-27316): a valid head fits into two frames.
        configuration.connection.maximumSequentialContinuationFrames = 5
        // Frames that cost a client nothing: empty DATA (CVE-2019-9518), PING, SETTINGS and PRIORITY (-9512, -9515).
        configuration.connection.maximumSequentialEmptyDataFrames = 1
        configuration.connection.controlFrameRateLimit.maximumCount = 200
        configuration.connection.controlFrameRateLimit.windowLength = .seconds(30)
        // Replies to control frames must not pile up for a client that does not read.
        configuration.connection.maximumBufferedControlFrames = 1_000
        // Reset streams that are remembered, so that their late frames are recognized: as many as can be open.
        configuration.connection.maximumRecentlyResetStreams = Self.concurrentStreams
        // Rapid reset by the client (CVE-2023-44487), and by the server after frames that are invalid on purpose
        // (CVE-2025-8671).
        configuration.stream.streamResetFrameRateLimit.maximumCount = 200
        configuration.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
        configuration.stream.streamErrorRateLimit.maximumCount = 200
        configuration.stream.streamErrorRateLimit.windowLength = .seconds(30)
        configuration.connection.maximumConnectionGlitches = 200
        // Flow-control windows: unread bytes of bodies, of all streams together and of one stream.
        configuration.connection.targetWindowSize = 65_535
        configuration.stream.targetWindowSize = 65_535
        return configuration
    }
}
