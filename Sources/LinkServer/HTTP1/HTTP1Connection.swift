import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// How a connection of HTTP/1 is read and answered: the limits before everything else, then Hummingbird.
///
/// Hummingbird's own `HTTP1Channel` has neither a deadline for heads and bodies nor a bound on what it reads of a body that
/// was refused, and makes of a target that is a URL whatever Foundation takes it for.
struct HTTP1Connection: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let refusals: RefusalAnswers
    let crowd: ConnectionCrowd

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
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: .seconds(limits.idleSeconds), logger: logger)
            )
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
