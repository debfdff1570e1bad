import HTTPTypes
import NIOCore

/// Stands before the decoder, which says nothing of bytes that are no whole head yet, and costs most of what reading a usual
/// request does: such a one passes it by where the lane answers it.
final class HTTP1Entrance: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Answers a request with its body; false where it does not, and the decoder reads the request.
    typealias WholeRequests = (_ request: HTTPRequest, _ body: ByteBuffer) -> Bool

    private let gate: HTTP1Gate
    private let limits: ConnectionLimits
    private let longestBody: Int
    private let take: WholeRequests?
    private var held = ByteBuffer()
    private var isHandling = false
    private var isTooMuch = false
    /// That the client sends no more, which it said after what is held.
    private var end: ChannelEvent?

    /// Twice what one event of the system brings.
    private static let mostHeld = 1 << 17

    /// - Parameters:
    ///   - longestBody: In bytes, of a request that `take` is asked for.
    ///   - take: Calls ``HTTP1Gate/tookWhole()`` before it answers; nil where the decoder reads everything.
    init(_ gate: HTTP1Gate, _ limits: ConnectionLimits, longestBody: Int = 0, take: WholeRequests? = nil) {
        self.gate = gate
        self.limits = limits
        self.longestBody = longestBody
        self.take = take
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if held.readableBytes > 0 || isHandling || gate.mustWait(context) {
            hold(bytes)
        } else {
            handle(bytes, context)
        }
    }

    private func handle(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        var bytes = bytes
        isHandling = true
        defer { isHandling = false }
        if let take {
            while gate.mayTakeWhole, !gate.mustWait(context), takesRequest(from: &bytes, take) {}
            if bytes.readableBytes == 0 { return }
        }
        guard !gate.mustWait(context) else { return hold(bytes) }
        guard gate.takes(bytes, context) else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
        gate.settle()
    }

    // MARK: What waits until the client takes what was answered

    private func hold(_ bytes: ByteBuffer) {
        // A client that ends what it sends has all of it read at once, whether or not we want to.
        guard held.readableBytes + bytes.readableBytes <= Self.mostHeld else {
            isTooMuch = true
            return
        }
        held.writeImmutableBuffer(bytes)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        guard !isHandling, held.readableBytes > 0 else { return }
        while held.readableBytes > 0, !gate.mustWait(context) {
            let bytes = held
            held = ByteBuffer()
            handle(bytes, context)
        }
        context.fireChannelReadComplete()
        guard held.readableBytes == 0 else { return }
        if isTooMuch { gate.endAfterAnswers(context) }
        if let end {
            self.end = nil
            context.fireUserInboundEventTriggered(end)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if held.readableBytes > 0, event as? ChannelEvent == .inputClosed {
            end = event as? ChannelEvent
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func takesRequest(from bytes: inout ByteBuffer, _ take: WholeRequests) -> Bool {
        guard let found = HTTP1RequestScanner.scan(bytes, limits, bodyBytes: longestBody),
            let body = bytes.getSlice(at: bytes.readerIndex + found.headBytes, length: found.bodyBytes),
            take(found.request, body)
        else { return false }
        bytes.moveReaderIndex(forwardBy: found.headBytes + found.bodyBytes)
        return true
    }
}
