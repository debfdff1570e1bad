import HTTPTypes
import NIOCore
import NIOHTTP1
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
        let head = Head(answer.status, answer.headers, lines: answer.lines, hasLength: answer.status.mayHaveBody)
        append(head, answer.common, isLast: isLast)
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
        append(Head(response.status, fields))
    }

    /// The status line and the fields of a response.
    static func lines(of answer: BufferedResponse) -> ByteBuffer {
        let head = Head(answer.status, answer.headers, hasLength: answer.status.mayHaveBody)
        var lines = ByteBuffer()
        lines.writeText(ofAtMost: head.bytes) { head.write(to: &$0) }
        return lines
    }

    /// Appends a head with `common` and, if `isLast`, with `Connection: close`.
    private mutating func append(_ head: Head, _ common: CommonHeaders? = nil, isLast: Bool = false) {
        var bytes = head.bytes + Self.fixedBytes
        common?.forEach { bytes += HTTPField.lineBytes($0, $1) }
        pending.writeText(ofAtMost: bytes) { text in
            head.write(to: &text)
            common?.forEach { text.append($0, $1) }
            if isLast { text.append("Connection: close\r\n") }
            text.append("\r\n")
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

/// The status line and the fields of a response.
private struct Head {
    private let status: HTTPResponse.Status
    private let fields: HTTPFields
    /// Both as they are sent, if they were written in advance.
    private let lines: ByteBuffer?
    /// Whether the fields include `Content-Length`.
    private let hasLength: Bool

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, lines: ByteBuffer? = nil, hasLength: Bool = true) {
        (self.status, self.fields, self.lines, self.hasLength) = (status, fields, lines, hasLength)
    }

    /// The maximum size.
    var bytes: Int {
        if let lines { return lines.readableBytes }
        var bytes = "HTTP/1.1 000 \r\n".utf8.count + status.sentReason.utf8.count
        for field in fields { bytes += field.lineBytes }
        return bytes
    }

    func write(to text: inout ReservedText) {
        if let lines { return text.append(lines) }
        text.append("HTTP/1.1 ")
        text.append(String(status.code))
        text.append(" ")
        text.append(status.sentReason)
        text.append("\r\n")
        for field in fields where hasLength || field.name != .contentLength { text.append(field) }
    }
}

extension HTTPField {
    /// The size of the field's line.
    fileprivate var lineBytes: Int { Self.lineBytes(name, value) }

    fileprivate static func lineBytes(_ name: Name, _ value: String) -> Int {
        name.rawName.utf8.count + value.utf8.count + ": \r\n".utf8.count
    }
}

extension ByteBuffer {
    /// Appends text in one piece: each write to a `ByteBuffer` costs more than copying a short text.
    fileprivate mutating func writeText(ofAtMost bytes: Int, _ body: (inout ReservedText) -> Void) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: bytes) { memory in
            var text = ReservedText(memory: memory)
            body(&text)
            return text.count
        }
    }
}

/// Text in memory of a fixed size.
private struct ReservedText {
    let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ text: ByteBuffer) { text.withUnsafeReadableBytes { append($0) } }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= memory.count - count, "the size of the text was computed before")
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func append(_ field: HTTPField) { append(field.name, field.value) }

    mutating func append(_ name: HTTPField.Name, _ value: String) {
        append(name.rawName)
        append(": ")
        append(value)
        append("\r\n")
    }
}

extension HTTPResponse.Status {
    /// The reason phrase; the standard one if the status was made of its code alone.
    fileprivate var sentReason: String {
        reasonPhrase.isEmpty ? HTTPResponseStatus(statusCode: code).reasonPhrase : reasonPhrase
    }

    fileprivate var mayHaveBody: Bool { kind != .informational && self != .noContent && self != .notModified }
}
