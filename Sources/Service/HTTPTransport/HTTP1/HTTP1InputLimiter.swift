import NIOCore

/// Passes input to NIO's decoder when ``HTTP1ConnectionHandler`` is ready for it, and limits bytes before the decoder
/// sees them: the decoder reports nothing until a head is complete.
///
/// While a request is answered, or its client does not read the response, further input is held and nothing more is
/// read. With ``LoopTurns``, the requests of one read are passed on a few at a time, and the rest waits for its turn,
/// because all other connections of the event loop wait meanwhile.
final class HTTP1InputLimiter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    private let connection: HTTP1ConnectionHandler
    private let turns: LoopTurns?
    private let buffers: RequestBufferBudget
    /// Input that is not processed yet.
    private var held = ByteBuffer()
    /// Reserved bytes: those that arrived while others were held. The remainder of a single read is not counted.
    private var reserved = 0
    private var isHandling = false
    private var isTooMuch = false
    /// ``HTTP1ConnectionHandler/requests`` when this turn began.
    private var requestsBefore = 0
    private var waitsForTurn = false
    private var wantsRead = false
    /// Events that arrived after the held input, such as the end of the input.
    private var events: [Any] = []
    private var context: ChannelHandlerContext?

    /// Maximum of `held` in bytes: twice what one event of the system brings.
    private static let mostHeld = 1 << 17
    /// Maximum size of a part for the decoder, in bytes, if connections take turns: it can hold 19 requests.
    private static let partBytes = 512

    /// - Parameter turns: Nil if the requests are not answered on the event loop.
    init(_ connection: HTTP1ConnectionHandler, _ turns: LoopTurns?, _ buffers: RequestBufferBudget) {
        self.connection = connection
        self.turns = turns
        self.buffers = buffers
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.onReadyForInput = { [unowned self] in resume() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection.onReadyForInput = {}
        held = ByteBuffer()
        releaseHeld()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard held.readableBytes == 0, !isHandling else { return hold(bytes) }
        let isOnePart = turns == nil || bytes.readableBytes <= Self.partBytes
        if isOnePart, !isTurnOver, connection.takesInput { return handle(bytes, context) }
        held = bytes
        handle(nil, context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if held.readableBytes == 0 { requestsBefore = connection.requests }
        completeRead(context)
    }

    /// Passes the end of a read on. `RequestHandler` answers a request before its end if the rest of it did not arrive in
    /// the same read, so it must not see the end while input is held. Hummingbird's channel passes requests on at the end of a
    /// read only, so there it is passed on at once.
    private func completeRead(_ context: ChannelHandlerContext) {
        if held.readableBytes == 0 || turns == nil { context.fireChannelReadComplete() }
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = held.readableBytes > 0
        if !wantsRead { context.read() }
    }

    /// Passes `first` and held input to the decoder, as long as the connection takes it.
    private func handle(_ first: ByteBuffer?, _ context: ChannelHandlerContext) {
        isHandling = true
        connection.flushingOnce {
            var next = first ?? nextPart(context)
            while let part = next {
                if connection.receive(part, context) { context.fireChannelRead(wrapInboundOut(part)) }
                next = nextPart(context)
            }
            isHandling = false
        }
        if held.readableBytes == 0 { releaseHeld() } else if isTurnOver { waitForTurn() }
    }

    private func nextPart(_ context: ChannelHandlerContext) -> ByteBuffer? {
        guard held.readableBytes > 0, !isTurnOver, connection.takesInput else { return nil }
        if turns != nil, held.readableBytes > Self.partBytes { return held.readSlice(length: Self.partBytes) }
        defer { held = ByteBuffer() }
        return held
    }

    private func releaseHeld() {
        guard reserved > 0 else { return }
        buffers.release(reserved)
        reserved = 0
    }

    // MARK: Backpressure

    private var isTurnOver: Bool { turns != nil && connection.requests - requestsBefore >= LoopTurns.requests }

    private func waitForTurn() {
        guard let turns, !waitsForTurn else { return }
        waitsForTurn = true
        turns.enqueue {
            self.waitsForTurn = false
            self.requestsBefore = self.connection.requests
            self.resume()
        }
    }

    private func hold(_ bytes: ByteBuffer) {
        // When a client closes its output, NIO reads all remaining input, whether or not a read was requested.
        // Nothing is held behind input that was dropped.
        guard !isTooMuch, held.readableBytes + bytes.readableBytes <= Self.mostHeld,
            (try? buffers.reserve(bytes.readableBytes)) != nil
        else {
            isTooMuch = true
            return
        }
        reserved += bytes.readableBytes
        held.writeImmutableBuffer(bytes)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        resume()
    }

    private func resume() {
        guard let context, !isHandling, !waitsForTurn, held.readableBytes > 0 else { return }
        handle(nil, context)
        // The read that brought this input is over.
        completeRead(context)
        guard held.readableBytes == 0 else { return }
        requestsBefore = connection.requests
        if isTooMuch { connection.endAfterResponses(context) }
        let events = events
        self.events = []
        for event in events { context.fireUserInboundEventTriggered(event) }
        if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Requests that were read before a shutdown are answered, even if their client reads slowly. A client that
        // stops reading is closed by `SlowReaderHandler`.
        let waits = event as? ChannelEvent == .inputClosed || event is ChannelShouldQuiesceEvent
        if held.readableBytes > 0, waits { events.append(event) } else { context.fireUserInboundEventTriggered(event) }
    }
}
