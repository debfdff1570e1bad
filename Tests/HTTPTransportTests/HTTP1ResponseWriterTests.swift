import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPTransport

/// The bytes of whole responses.
struct HTTP1ResponseWriterTests {
    private static let long = String(repeating: "é", count: 4_000)

    @Test(
        arguments: [
            (HTTPResponse.Status.ok, [:], false, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
            (
                .found, [.location: long], true,
                "HTTP/1.1 302 Found\r\nLocation: \(long)\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
            ),
            // A status that is restored from its code has the standard phrase, if there is one.
            (.init(code: 201), [.eTag: ""], false, "HTTP/1.1 201 Created\r\nETag: \r\nContent-Length: 2\r\n\r\nhi"),
            (.init(code: 299), [:], false, "HTTP/1.1 299 \r\nContent-Length: 2\r\n\r\nhi"),
            (.notModified, [:], false, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        ] as [(HTTPResponse.Status, HTTPFields, Bool, String)]
    )
    func responseIsWrittenInOnePiece(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ isLast: Bool,
        _ expected: String
    ) throws {
        let response = BufferedResponse(
            status,
            headers: headers,
            body: ByteBuffer(string: status == .notModified ? "" : "hi")
        )
        let channel = EmbeddedChannel(handler: Writing(response, isLast))
        var bytes = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(bytes.readString(length: bytes.readableBytes) == expected)
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try channel.finish()
    }

    private final class Writing: ChannelInboundHandler {
        typealias InboundIn = Never

        private let response: BufferedResponse
        private let isLast: Bool

        init(_ response: BufferedResponse, _ isLast: Bool) {
            self.response = response
            self.isLast = isLast
        }

        func handlerAdded(context: ChannelHandlerContext) {
            var writer = HTTP1ResponseWriter()
            writer.write(response, isLast: isLast, to: context)
            writer.flush(to: context)
            context.flush()
        }
    }
}
