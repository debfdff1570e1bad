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
        begin(answer.status)
        append(answer.headers, butLength: !answer.status.mayHaveBody)
        if isLast { pending.writeStaticString("Connection: close\r\n") }
        pending.writeStaticString("\r\n")
        append(answer.body, to: context)
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
        begin(response.status)
        append(fields)
        pending.writeStaticString("\r\n")
    }

    private mutating func begin(_ status: HTTPResponse.Status) {
        pending.reserveCapacity(minimumWritableBytes: 1_024)
        guard status != .ok else {
            pending.writeStaticString("HTTP/1.1 200 OK\r\n")
            return
        }
        pending.writeStaticString("HTTP/1.1 ")
        pending.writeString(String(status.code))
        pending.writeStaticString(" ")
        pending.writeString(status.reasonPhrase)
        pending.writeStaticString("\r\n")
    }

    private mutating func append(_ fields: HTTPFields, butLength: Bool = false) {
        for field in fields where !butLength || field.name != .contentLength {
            pending.writeString(field.name.rawName)
            pending.writeStaticString(": ")
            pending.writeString(field.value)
            pending.writeStaticString("\r\n")
        }
    }
}

extension HTTPResponse.Status {
    fileprivate var mayHaveBody: Bool { kind != .informational && self != .noContent && self != .notModified }
}
