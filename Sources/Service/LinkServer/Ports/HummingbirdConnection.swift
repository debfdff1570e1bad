import HTTPTransport
import HTTPTypes
import HummingbirdCore
import LinkCatalog
import Logging
import NIOCore
import NIOHTTPTypes

/// The channel pipeline of a connection of the admin or the ops port: our limits first, then Hummingbird.
///
/// Hummingbird's own `HTTP1Channel` has no deadline for heads and bodies, does not limit what it reads of a refused
/// body, and leaves the interpretation of a target in absolute form to Foundation.
struct HummingbirdConnection: ServerChildChannel, HTTPChannelHandler {
    struct Value: ServerChildChannelValue {
        let requests: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
        let presence: ClientPresence

        var channel: any Channel { requests.channel }
    }

    let responder: HTTPChannelHandler.Responder
    let pipeline: HTTP1Pipeline
    /// For all connections of the port.
    private let buffers = RequestBufferBudget()

    init(responder: @escaping HTTPChannelHandler.Responder, pipeline: HTTP1Pipeline) {
        self.responder = responder
        self.pipeline = pipeline
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // Up to ten reads of a body are buffered until it is consumed. With the default maximum of 64 KiB, such a
            // connection took two megabytes.
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 16_384)
            )
            _ = try pipeline.addHandlers(to: channel, turns: nil, buffers: buffers)
            let presence = ClientPresence()
            try channel.pipeline.syncOperations.addHandler(PresenceHandler(presence))
            let requests = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
            return Value(requests: requests, presence: presence)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await ClientPresence.$current.withValue(value.presence) {
            await handleHTTP(asyncChannel: value.requests, logger: logger)
        }
    }
}
