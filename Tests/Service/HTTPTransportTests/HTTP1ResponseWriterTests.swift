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
        #expect(try written(response, isLast) == expected)
        #expect(try written(response.prepared, isLast) == expected)
        var changed = response.prepared
        changed.headers[.eTag] = "\"1\""
        #expect(try written(changed, isLast)?.contains("\r\nETag: \"1\"\r\n") == true)
    }

    @Test func commonFieldsFollowThoseOfTheResponse() throws {
        var response = BufferedResponse(.ok, headers: [.eTag: "\"1\""], body: ByteBuffer(string: "hi")).prepared
        response.common = CommonHeaders(requestID: "r1", trace: "00-t", date: "Sun, 06 Nov 1994 08:49:37 GMT")
        let expected = """
            HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 2\r\nX-Request-ID: r1\r\nX-Content-Type-Options: nosniff\r\n\
            traceresponse: 00-t\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\n\r\nhi
            """
        #expect(try written(response, true) == expected)
        #expect(response.allHeaders.map(\.name.rawName).suffix(2) == ["traceresponse", "Date"])
    }

    /// Returns the only buffer that is written.
    private func written(_ response: BufferedResponse, _ isLast: Bool) throws -> String? {
        let channel = EmbeddedChannel(handler: Writing(response, isLast))
        var bytes = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        _ = try channel.finish()
        return bytes.readString(length: bytes.readableBytes)
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
