import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes answers as HTTP/1.1 (RFC 9112 §4, §6): a head and what comes of its body before the next flush leave in one piece,
/// where NIO's encoder makes a buffer, and a part of a system call, of each.
struct HTTP1ResponseWriter {
    private var isChunked = false
    /// The answer to a HEAD, whose fields are those of a GET.
    private var isBodiless = false
    /// What waits for more, or for a flush.
    private var pending = ByteBuffer()

    /// What is longer is not copied.
    private static let joinedBytes = 16 << 10

    mutating func write(
        _ part: HTTPResponsePart,
        to asked: Asked,
        promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        switch part {
        case .head(let response): append(response, to: asked)
        case .body where isBodiless: break
        case .body(let bytes) where isChunked:
            // An empty chunk would be the last.
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

    /// A whole answer, of which nothing comes in chunks, to a request that is no HEAD.
    mutating func write(_ answer: BufferedResponse, isLast: Bool, to context: ChannelHandlerContext) {
        begin(answer.status)
        append(answer.headers, butLength: !answer.status.mayHaveBody)
        if isLast { pending.writeStaticString("Connection: close\r\n") }
        pending.writeStaticString("\r\n")
        append(answer.body, to: context)
        if pending.readableBytes > Self.joinedBytes { send(promise: nil, to: context) }
    }

    /// What has been written leaves with the next flush.
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

    private mutating func append(_ response: HTTPResponse, to asked: Asked) {
        var fields = response.headerFields
        isChunked = false
        isBodiless = asked.isHead
        if response.status.mayHaveBody {
            // The end of a connection is an end that nobody can tell from a failure; only old clients have no other.
            isChunked = asked.takesChunks && !fields.contains(.contentLength)
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
