import HTTPTypes
import HummingbirdCore
import LinkCatalog
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import OutboundHTTP

/// The channel pipeline of an HTTP/1 connection: the limits first, then ``LaneHandler``, then Hummingbird.
///
/// Hummingbird's own `HTTP1Channel` has no deadline for heads and bodies, does not limit what it reads of a refused
/// body, and leaves the interpretation of a target in absolute form to Foundation.
struct HTTP1Connection: ServerChildChannel, HTTPChannelHandler {
    typealias Ordinary = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// Hummingbird's channel; nil where ``LaneHandler`` adds it for the first request that needs it.
        fileprivate let ordinary: Ordinary?
        fileprivate let presence: ClientPresence?
    }

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let refusals: TransportErrorResponses
    let crowd: ConnectionRegistry
    let unsent: UnsentAnswers
    let port: PortRole
    /// The fast path on the event loop; nil where Hummingbird answers everything.
    let lane: Lane?
    let turns = LoopTurns.OfPort()

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try limitReads(of: channel)
            let outflow = Outflow(unsent, port: port, stalledAfter: .seconds(Int64(limits.stalledSeconds)))
            let gate = HTTP1ConnectionHandler(limits: limits, refusals: refusals, crowd: crowd, outflow: outflow)
            let turns = turns.on(channel.eventLoop)
            let pipeline = channel.pipeline.syncOperations
            // Directly at the socket, because the handlers after it transform the bytes of a response.
            try pipeline.addHandler(outflow, position: .first)
            let handler = LaneHandler(
                lane,
                gate,
                turns,
                client: ClientAddress(NetworkAddress(channel.remoteAddress)),
                addOrdinary: lane == nil ? nil : { try answerOrdinarily(on: channel, for: $0, logger) }
            )
            try pipeline.addHandler(
                HTTP1InputLimiter(
                    gate,
                    limits,
                    turns,
                    lane?.resolve.buffers ?? RequestBufferBudget(),
                    longestBody: lane?.bodyBytes ?? 0,
                    take: lane == nil ? nil : handler.takeWhole
                )
            )
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits.decoderLimits)))
            try pipeline.addHandler(gate)
            // Before LaneHandler, which queues events.
            let presence = lane == nil ? ClientPresence() : nil
            if let presence { try pipeline.addHandler(PresenceHandler(presence)) }
            try pipeline.addHandler(handler)
            let ordinary = lane == nil ? try Self.ordinary(on: channel) : nil
            return Value(channel: channel, ordinary: ordinary, presence: presence)
        }
    }

    private func limitReads(of channel: any Channel) throws {
        let options = channel.syncOptions
        guard lane == nil else {
            // The fast path answers all requests of one read before the event loop reads the next connection.
            try options?.setOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: ConnectionLimits.readBytes)
            )
            try options?.setOption(.maxMessagesPerRead, value: 1)
            return
        }
        // Up to ten reads of a body are buffered until it is consumed. With the default maximum of 64 KiB, such a
        // connection took two megabytes.
        try options?.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 16_384)
        )
    }

    private func answerOrdinarily(on channel: any Channel, for source: NetworkAddress?, _ logger: Logger) throws {
        let ordinary = try Self.ordinary(on: channel)
        Task {
            await ProxyProtocol.$source.withValue(source) {
                await handleHTTP(asyncChannel: ordinary, logger: logger)
            }
        }
    }

    private static func ordinary(on channel: any Channel) throws -> Ordinary {
        try Ordinary(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    /// Returns at once for a connection with a ``Lane``: ``ConnectedApplication`` waits for its end.
    func handle(value: Value, logger: Logger) async {
        guard let ordinary = value.ordinary else { return }
        await ClientPresence.$current.withValue(value.presence) {
            await handleHTTP(asyncChannel: ordinary, logger: logger)
        }
    }
}
