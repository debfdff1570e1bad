import HTTPTypes
import NIOCore

/// Limits bytes before NIO's decoder sees them: the decoder reports nothing until a head is complete. The decoder also
/// takes most of the time of reading an ordinary request, so requests for ``Lane`` bypass it where possible.
///
/// With a ``Lane``, the requests of one read are processed a few at a time, and the rest waits for its turn
/// (``LoopTurns``): the fast path answers most requests synchronously, and all connections of an event loop wait
/// meanwhile. While input is held, nothing more is read.
final class HTTP1InputLimiter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Any
    typealias OutboundOut = Any

    /// Answers a complete request; returns false if it does not, and the decoder then reads the request.
    typealias WholeRequests = (_ request: HTTPRequest, _ body: ByteBuffer) -> Bool

    private let gate: HTTP1ConnectionHandler
    private let limits: ConnectionLimits
    private let turns: LoopTurns
    private let buffers: RequestBufferBudget
    private let longestBody: Int
    private let take: WholeRequests?
    /// Input that is not processed yet.
    private var held = ByteBuffer()
    /// Reserved bytes: those that arrived while others were held. The remainder of a single read is not counted.
    private var reserved = 0
    private var isHandling = false
    private var isTooMuch = false
    /// Requests, or parts of one, processed in this turn.
    private var steps = 0
    private var waitsForTurn = false
    private var wantsRead = false
    /// Events that arrived after the held input, such as the end of the input.
    private var events: [Any] = []
    private var context: ChannelHandlerContext?

    /// Maximum of `held` in bytes: twice what one event of the system brings.
    private static let mostHeld = 1 << 17
    /// Minimum size of a part for the decoder, in bytes; the shortest request is longer.
    private static let leastPart = 16

    /// - Parameters:
    ///   - longestBody: Maximum body size, in bytes, of a request that is offered to `take`.
    ///   - take: Calls ``HTTP1ConnectionHandler/tookWhole()`` before it answers; nil where the decoder reads
    ///     everything.
    init(
        _ gate: HTTP1ConnectionHandler,
        _ limits: ConnectionLimits,
        _ turns: LoopTurns,
        _ buffers: RequestBufferBudget,
        longestBody: Int = 0,
        take: WholeRequests? = nil
    ) {
        self.gate = gate
        self.limits = limits
        self.turns = turns
        self.buffers = buffers
        self.longestBody = longestBody
        self.take = take
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        holdNothing()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard held.readableBytes == 0, !isHandling else { return hold(bytes) }
        held = bytes
        handle(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if held.readableBytes == 0 { steps = 0 }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        wantsRead = held.readableBytes > 0
        if !wantsRead { context.read() }
    }

    private func handle(_ context: ChannelHandlerContext) {
        isHandling = true
        gate.flushingOnce {
            while held.readableBytes > 0, gate.isEnding || (!isTurnOver && !gate.mustWait(context)) {
                steps += 1
                if let take, gate.mayTakeWhole, takesRequest(take) { continue }
                let part = nextPart()
                guard gate.takes(part, context) else { continue }
                context.fireChannelRead(wrapInboundOut(part))
                gate.settle()
            }
            isHandling = false
        }
        if held.readableBytes == 0 { holdNothing() } else if isTurnOver { waitForTurn() }
    }

    private func holdNothing() {
        held = ByteBuffer()
        buffers.release(reserved)
        reserved = 0
    }

    private func takesRequest(_ take: WholeRequests) -> Bool {
        guard let found = HTTP1RequestScanner.scan(held, limits, bodyBytes: longestBody),
            let body = held.getSlice(at: held.readerIndex + found.headBytes, length: found.bodyBytes),
            take(found.request, body)
        else { return false }
        held.moveReaderIndex(forwardBy: found.headBytes + found.bodyBytes)
        return true
    }

    /// Returns the next part for the decoder. With a ``Lane``, it ends with the first head, so that it never contains
    /// two complete requests.
    private func nextPart() -> ByteBuffer {
        let all = held.readableBytes
        let count =
            take == nil || gate.isEnding
            ? all
            : held.withUnsafeReadableBytes { bytes in
                // Empty lines before a request do not end a head.
                var end = Self.leastPart + bytes.prefix { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }.count
                while end <= bytes.count {
                    if bytes[end - 1] == UInt8(ascii: "\n"), bytes[end - 2] == UInt8(ascii: "\r"),
                        bytes[end - 3] == UInt8(ascii: "\n"), bytes[end - 4] == UInt8(ascii: "\r")
                    {
                        return end
                    }
                    end += 1
                }
                return all
            }
        return held.readSlice(length: count) ?? ByteBuffer()
    }

    // MARK: Backpressure

    private var isTurnOver: Bool { take != nil && steps >= LoopTurns.requests }

    private func waitForTurn() {
        guard !waitsForTurn else { return }
        waitsForTurn = true
        turns.wait {
            self.waitsForTurn = false
            self.steps = 0
            if let context = self.context { self.goOn(context) }
        }
    }

    private func hold(_ bytes: ByteBuffer) {
        // When a client closes its output, NIO reads all remaining input, whether or not a read was requested.
        guard held.readableBytes + bytes.readableBytes <= Self.mostHeld,
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
        if !isHandling, !waitsForTurn, held.readableBytes > 0 { goOn(context) }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        handle(context)
        context.fireChannelReadComplete()
        guard held.readableBytes == 0 else { return }
        if isTooMuch { gate.endAfterAnswers(context) }
        let events = events
        self.events = []
        for event in events { context.fireUserInboundEventTriggered(event) }
        if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A shutdown does not wait for a client that does not take its responses.
        let waits = event as? ChannelEvent == .inputClosed || (event is ChannelShouldQuiesceEvent && waitsForTurn)
        if held.readableBytes > 0, waits { events.append(event) } else { context.fireUserInboundEventTriggered(event) }
    }
}
