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
        var bytes = unwrapInboundIn(data)
        if let take {
            while gate.mayTakeWhole, takesRequest(from: &bytes, take) {}
            if bytes.readableBytes == 0 { return }
        }
        guard gate.takes(bytes, context) else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
        gate.settle()
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
