import NIOCore
import NIOHTTP2

/// What one connection of HTTP/2 may cost. Where a client goes beyond, the connection ends with GOAWAY, and the code
/// ENHANCE_YOUR_CALM where the frames as such were proper.
struct HTTP2Limits: Sendable {
    /// Without an open stream.
    let idle: TimeAmount
    /// For which a client may take nothing of what waits for it; and to finish its streams once the connection ends.
    let stalled: TimeAmount
    /// From a stream's beginning to the last byte of its answer. A window of zero keeps an answer from being written at all.
    let stream: TimeAmount
    /// Of the names and values of a request's header fields and its target, with 32 bytes more for each (RFC 9113, 6.5.2).
    /// What is above the limits but below this is answered with 414 or 431.
    private let headerBytes: Int

    private static let concurrentStreams = 100

    init(_ limits: ConnectionLimits) {
        idle = .seconds(Int64(limits.idleSeconds))
        stalled = .seconds(Int64(limits.stalledSeconds))
        stream = .seconds(Int64(limits.bodySeconds + limits.stalledSeconds))
        headerBytes = limits.uriBytes + limits.headerBytes
    }

    /// How often a connection looks whether it or a stream is due.
    var look: TimeAmount { .nanoseconds(min(idle, stream).nanoseconds / 4) }

    /// Most of it are the library's defaults, written down so that an update of it changes nothing unseen.
    var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.concurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: headerBytes),
        ]
        // CONTINUATION flood (CVE-2024-27316): a proper head fits into two frames.
        configuration.connection.maximumSequentialContinuationFrames = 5
        // Frames that cost a client nothing: DATA without bytes (CVE-2019-9518), PING, SETTINGS and PRIORITY (-9512, -9515).
        configuration.connection.maximumSequentialEmptyDataFrames = 1
        configuration.connection.controlFrameRateLimit.maximumCount = 200
        configuration.connection.controlFrameRateLimit.windowLength = .seconds(30)
        // What answers them must not pile up for a client that does not read.
        configuration.connection.maximumBufferedControlFrames = 1_000
        // Streams whose late frames are known to belong to something that we reset: all that were open.
        configuration.connection.maximumRecentlyResetStreams = Self.concurrentStreams
        // Rapid reset by the client (CVE-2023-44487), and by us when its frames are wrong on purpose (CVE-2025-8671).
        configuration.stream.streamResetFrameRateLimit.maximumCount = 200
        configuration.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
        configuration.stream.streamErrorRateLimit.maximumCount = 200
        configuration.stream.streamErrorRateLimit.windowLength = .seconds(30)
        configuration.connection.maximumConnectionGlitches = 200
        // What of bodies waits unread, of all streams together.
        configuration.connection.targetWindowSize = 65_535
        configuration.stream.targetWindowSize = 65_535
        return configuration
    }
}
