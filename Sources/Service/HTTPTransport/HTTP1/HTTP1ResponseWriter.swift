import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes HTTP/1.1 responses (RFC 9112 §4, §6). A head and the parts of its body before the next flush leave in one
/// buffer. NIO's encoder makes a buffer, and an element of the gathering write, of each part.
struct HTTP1ResponseWriter {
    private var isChunked = false
    /// Whether the request was a HEAD: the response has the fields of a GET and no body.
    private var isBodiless = false
    /// Bytes that wait for more output or for a flush.
    private var pending = ByteBuffer()

    /// Longer parts are not copied into `pending`.
    private static let joinedBytes = 16 << 10

    mutating func write(
        _ part: HTTPResponsePart,
        to form: RequestForm,
        promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        switch part {
        case .head(let response): append(response, to: form)
        case .body where isBodiless: break
        case .body(let bytes) where isChunked:
            // An empty chunk would end the body.
            guard bytes.readableBytes > 0 else { break }
            pending.writeString(String(bytes.readableBytes, radix: 16))
            pending.writeStaticString("\r\n")
            append(bytes, to: context)
            pending.writeStaticString("\r\n")
        case .body(let bytes): append(bytes, to: context)
        case .end(let trailers):
            guard isChunked, !isBodiless else { break }
            pending.writeStaticString("0\r\n")
            if let trailers { append(trailers) }
            pending.writeStaticString("\r\n")
        }
        if promise != nil || pending.readableBytes > Self.joinedBytes { send(promise: promise, to: context) }
    }

    /// Writes a whole response.
    mutating func write(_ answer: BufferedResponse, isLast: Bool, to context: ChannelHandlerContext) {
        let isJoined = answer.content.count <= Self.joinedBytes
        append(HTTP1Head(answer), answer.common, isLast: isLast, before: isJoined ? answer.content : nil)
        if !isJoined { append(answer.body, to: context) }
        if pending.readableBytes > Self.joinedBytes { send(promise: nil, to: context) }
    }

    /// Writes the pending bytes to `context`, which the caller flushes.
    mutating func flush(to context: ChannelHandlerContext) {
        if pending.readableBytes > 0 { send(promise: nil, to: context) }
    }

    private mutating func send(promise: EventLoopPromise<Void>?, to context: ChannelHandlerContext) {
        let bytes = pending
        pending = ByteBuffer()
        context.write(NIOAny(bytes), promise: promise)
    }

    private mutating func append(_ bytes: ByteBuffer, to context: ChannelHandlerContext) {
        if bytes.readableBytes > Self.joinedBytes {
            flush(to: context)
            context.write(NIOAny(bytes), promise: nil)
        } else {
            pending.writeImmutableBuffer(bytes)
        }
    }

    private mutating func append(_ response: HTTPResponse, to form: RequestForm) {
        var fields = response.headerFields
        isChunked = false
        isBodiless = form.isHead
        if response.status.mayHaveBody {
            // A body that ends with the connection cannot be told from a truncated one, so only HTTP/1.0 clients get
            // one.
            isChunked = form.takesChunks && !fields.contains(.contentLength)
            if isChunked { fields[.transferEncoding] = "chunked" }
        } else {
            fields[.contentLength] = nil
        }
        append(HTTP1Head(response.status, fields))
    }

    /// Appends a head with `common` and, if `isLast`, with `Connection: close`, and then `content`.
    private mutating func append(
        _ head: HTTP1Head,
        _ common: CommonHeaders? = nil,
        isLast: Bool = false,
        before content: BufferedResponse.Content? = nil
    ) {
        var bytes = head.bytes + Self.fixedBytes + (content?.count ?? 0)
        common?.forEach { bytes += HTTPField.lineBytes($0, $1) }
        pending.writeText(ofAtMost: bytes) { text in
            head.write(to: &text)
            common?.forEach { text.append($0, $1) }
            if isLast { text.append("Connection: close\r\n") }
            text.append("\r\n")
            if let content { text.append(content) }
        }
    }

    /// Maximum number of bytes of a head besides its status and its fields.
    private static let fixedBytes = "Connection: close\r\n\r\n".utf8.count

    private mutating func append(_ trailers: HTTPFields) {
        pending.writeText(ofAtMost: trailers.reduce(0) { $0 + $1.lineBytes }) { text in
            for field in trailers { text.append(field) }
        }
    }
}
