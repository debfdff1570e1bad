import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The minimal cost of HTTP/1.1 in Swift on the network stack of this machine.
struct Hello: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "SwiftNIO's own HTTP handlers, and a constant answer to every request from `channelRead`.",
        discussion: """
            EXAMPLE
              Yardsticks hello
            """
    )

    func run() async throws {
        try await Greeting.serve(as: "hello") { Greeting() }
    }
}

/// Sends the same response to every request: at once, unless a subclass overrides ``requestEnded(_:)``.
class Greeting: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let text = #"{"outcome":"nothing"}"#
    private let body = ByteBuffer(string: text)
    private let head = HTTPResponseHead(
        version: .http1_1,
        status: .ok,
        headers: ["content-type": "application/json", "content-length": "\(text.utf8.count)"]
    )

    /// Listens on a free port, and prints it.
    static func serve(as name: String, _ makeHandler: @escaping @Sendable () -> Greeting) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(makeHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        print("\(name) http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        fflush(nil)
        try await channel.closeFuture.get()
    }

    /// The channel's context; nil once the channel is closed. A subclass cannot implement `handlerAdded` itself, because
    /// the conformance is this class's and would keep the protocol's default.
    private(set) final var context: ChannelHandlerContext?

    final func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    final func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    final func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { requestEnded(context) }
    }

    func requestEnded(_ context: ChannelHandlerContext) { answer(context) }

    final func answer(_ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
