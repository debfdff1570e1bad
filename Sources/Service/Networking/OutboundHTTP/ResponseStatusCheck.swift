package import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Ends a connection on which a response has a status below 100.
///
/// AsyncHTTPClient 1.37 takes such a response for an informational one, and traps when its body follows.
private final class ResponseStatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            return context.fireErrorCaught(InvalidStatus(status: Int(head.status.code)))
        }
        context.fireChannelRead(data)
    }
}

private struct InvalidStatus: Error, CustomStringConvertible {
    let status: Int
    var description: String { "the server answered with the status \(status), which HTTP does not have" }
}

extension HTTPClient.Configuration {
    /// Makes responses with a status below 100 fail. It also turns off HTTP/2, which the check does not cover.
    package mutating func refuseInvalidStatus() {
        httpVersion = .http1Only
        http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseStatusCheck(), position: .after(decoder))
            }
        }
    }
}
