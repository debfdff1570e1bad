import NIOCore
import NIOHTTP1
import StubMatching

/// The bytes of an answer.
struct ResponseBytes {
    private let answer: StubAnswer
    private let method: HTTPMethod
    private let isClosing: Bool
    private let isHTTP10: Bool

    init(_ answer: StubAnswer, to method: HTTPMethod, closing: Bool, isHTTP10: Bool) {
        self.answer = answer
        self.method = method
        isClosing = closing
        self.isHTTP10 = isHTTP10
    }

    /// Whether the status and the method allow a body.
    var hasBody: Bool { method != .HEAD && allowsLength }

    private var allowsLength: Bool { answer.status >= 200 && answer.status != 204 && answer.status != 304 }

    private var isChunked: Bool { answer.dribble != nil && hasBody && !answer.body.isEmpty && !isHTTP10 }

    func head(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 256)
        writeHead(to: &buffer)
        return buffer
    }

    func whole(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 256 + answer.body.count)
        writeHead(to: &buffer)
        if hasBody { buffer.writeBytes(answer.body) }
        return buffer
    }

    private func writeHead(to buffer: inout ByteBuffer) {
        let reason = answer.reason ?? HTTPResponseStatus(statusCode: answer.status).reasonPhrase
        buffer.writeString("HTTP/1.1 \(answer.status) \(reason)\r\n")
        for header in answer.headers where !isFraming(header) {
            buffer.writeString("\(header.name): \(header.value)\r\n")
        }
        if isChunked {
            buffer.writeString("Transfer-Encoding: chunked\r\n")
        } else if allowsLength {
            // The answer to HEAD may state the length of the body that GET would get.
            let stated = method == .HEAD ? answer.header("content-length") : nil
            buffer.writeString("Content-Length: \(stated ?? String(answer.body.count))\r\n")
        }
        if isClosing { buffer.writeString("Connection: close\r\n") }
        buffer.writeString("\r\n")
    }

    /// The server decides about the framing; a wrong length from a mapping would break the connection.
    private func isFraming(_ header: HeaderField) -> Bool {
        header.has(name: "content-length") || header.has(name: "transfer-encoding") || header.has(name: "connection")
    }

    /// One piece of a body that is sent in pieces: a chunk, or its bytes alone for HTTP/1.0, which has no chunks.
    func piece(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> ByteBuffer {
        guard isChunked else { return ByteBuffer(bytes: bytes) }
        var buffer = ByteBuffer()
        buffer.writeString("\(String(bytes.count, radix: 16))\r\n")
        buffer.writeBytes(bytes)
        buffer.writeString(isLast ? "\r\n0\r\n\r\n" : "\r\n")
        return buffer
    }
}
