import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import OutboundHTTP

/// How a connection of HTTP/1 is read and answered: the limits before everything else, then the lane, then Hummingbird.
///
/// Hummingbird's own `HTTP1Channel` has neither a deadline for heads and bodies nor a bound on what it reads of a body that
/// was refused, and makes of a target that is a URL whatever Foundation takes it for.
struct HTTP1Connection: ServerChildChannel, HTTPChannelHandler {
    typealias Ordinary = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// Where Hummingbird reads and answers; nil where the lane adds that when it is wanted.
        fileprivate let ordinary: Ordinary?
    }

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let refusals: RefusalAnswers
    let crowd: ConnectionCrowd
    /// Answers what it can on the event loop; nil where Hummingbird answers everything.
    let lane: Lane?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A body may wait in ten reads of this size until it is asked for: 64 KiB, the default, let each such
            // connection cost two megabytes.
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 16_384)
            )
            let gate = HTTP1Gate(limits: limits, refusals: refusals, crowd: crowd)
            let pipeline = channel.pipeline.syncOperations
            guard let lane else {
                try add(HTTP1Entrance(gate, limits), gate, to: pipeline)
                return Value(channel: channel, ordinary: try Self.ordinary(on: channel))
            }
            let client = ClientAddress(NetworkAddress(channel.remoteAddress))
            let handler = LaneHandler(lane, gate, client: client) { source in
                let ordinary = try Self.ordinary(on: channel)
                Task {
                    await ProxyProtocol.$source.withValue(source) {
                        await handleHTTP(asyncChannel: ordinary, logger: logger)
                    }
                }
            }
            let entrance = HTTP1Entrance(gate, limits, longestBody: lane.bodyBytes, take: handler.takeWhole)
            try add(entrance, gate, to: pipeline)
            try pipeline.addHandler(handler)
            return Value(channel: channel, ordinary: nil)
        }
    }

    private func add(
        _ entrance: HTTP1Entrance,
        _ gate: HTTP1Gate,
        to pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        try pipeline.addHandler(entrance)
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.decoderLimits)))
        try pipeline.addHandler(gate)
        try pipeline.addHandler(StalledWriteHandler(after: .seconds(Int64(limits.stalledSeconds))))
    }

    private static func ordinary(on channel: any Channel) throws -> Ordinary {
        try Ordinary(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    /// Returns at once for a connection that the lane answers: `ConnectedApplication` waits for its end.
    func handle(value: Value, logger: Logger) async {
        if let ordinary = value.ordinary { await handleHTTP(asyncChannel: ordinary, logger: logger) }
    }
}
