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
        /// Where Hummingbird reads and answers; fails when the connection ends before it is wanted.
        fileprivate let ordinary: EventLoopFuture<Ordinary>
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
            try pipeline.addHandler(HTTP1Gate.Entrance(gate))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: limits.decoderLimits
            )
            try pipeline.addHandler(gate)
            try pipeline.addHandler(StalledWriteHandler(after: .seconds(Int64(limits.stalledSeconds))))
            let ordinary = channel.eventLoop.makePromise(of: Ordinary.self)
            if let lane {
                let client = ClientAddress(NetworkAddress(channel.remoteAddress))
                let handler = LaneHandler(lane, client: client) { wanted in
                    ordinary.completeWith(wanted.flatMap { Result { try Self.ordinary(on: channel) } })
                }
                try pipeline.addHandler(handler)
            } else {
                ordinary.succeed(try Self.ordinary(on: channel))
            }
            return Value(channel: channel, ordinary: ordinary.futureResult)
        }
    }

    private static func ordinary(on channel: any Channel) throws -> Ordinary {
        try Ordinary(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        let channel = value.channel
        let ordinary = try? await withTaskCancellationHandler {
            try await value.ordinary.get()
        } onCancel: {
            channel.close(mode: .input, promise: nil)
        }
        if let ordinary { await handleHTTP(asyncChannel: ordinary, logger: logger) }
    }
}
