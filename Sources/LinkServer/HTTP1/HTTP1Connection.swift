import HTTPTypes
import HummingbirdCore
import LinkCatalog
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
        fileprivate let presence: ClientPresence?
    }

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let refusals: TransportErrorResponses
    let crowd: ConnectionRegistry
    let unsent: UnsentAnswers
    let port: PortRole
    /// Answers what it can on the event loop; nil where Hummingbird answers everything.
    let lane: Lane?
    let turns = LoopTurns.OfPort()

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try limitReads(of: channel)
            let outflow = Outflow(unsent, port: port, stalledAfter: .seconds(Int64(limits.stalledSeconds)))
            let gate = HTTP1ConnectionHandler(limits: limits, refusals: refusals, crowd: crowd, outflow: outflow)
            let turns = turns.on(channel.eventLoop)
            let pipeline = channel.pipeline.syncOperations
            // At the socket: what stands behind it makes other bytes of what is answered.
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
            // In front of who makes events wait.
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
            // The lane answers the requests of one read before its event loop reads the next connection.
            try options?.setOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: ConnectionLimits.readBytes)
            )
            try options?.setOption(.maxMessagesPerRead, value: 1)
            return
        }
        // A body may wait in ten reads of this size until it is asked for: 64 KiB, the default, let each such
        // connection cost two megabytes.
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

    /// Returns at once for a connection that the lane answers: `ConnectedApplication` waits for its end.
    func handle(value: Value, logger: Logger) async {
        guard let ordinary = value.ordinary else { return }
        await ClientPresence.$current.withValue(value.presence) {
            await handleHTTP(asyncChannel: ordinary, logger: logger)
        }
    }
}
