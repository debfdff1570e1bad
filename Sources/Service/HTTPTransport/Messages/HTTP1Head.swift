import HTTPTypes
import NIOCore
import NIOHTTP1

/// The status line and the fields of a response, as HTTP/1.1 sends them (RFC 9112 §4, §5).
struct HTTP1Head {
    private let status: HTTPResponse.Status
    private let fields: HTTPFields
    /// Both as they are sent, if they were written in advance.
    private let lines: ByteBuffer?
    /// Whether the fields include `Content-Length`.
    private let hasLength: Bool

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, lines: ByteBuffer? = nil, hasLength: Bool = true) {
        (self.status, self.fields, self.lines, self.hasLength) = (status, fields, lines, hasLength)
    }

    init(_ answer: BufferedResponse) {
        self.init(answer.status, answer.headers, lines: answer.lines, hasLength: answer.status.mayHaveBody)
    }

    /// The head as bytes, to be sent often.
    var written: ByteBuffer {
        var lines = ByteBuffer()
        lines.writeText(ofAtMost: bytes) { write(to: &$0) }
        return lines
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
    var lineBytes: Int { Self.lineBytes(name, value) }

    static func lineBytes(_ name: Name, _ value: String) -> Int {
        name.rawName.utf8.count + value.utf8.count + ": \r\n".utf8.count
    }
}

extension ByteBuffer {
    /// Appends text in one piece: each write to a `ByteBuffer` costs more than copying a short text.
    mutating func writeText(ofAtMost bytes: Int, _ body: (inout ReservedText) -> Void) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: bytes) { memory in
            var text = ReservedText(memory: memory)
            body(&text)
            return text.count
        }
    }
}

/// Text in memory of a fixed size.
struct ReservedText {
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
    var sentReason: String {
        reasonPhrase.isEmpty ? HTTPResponseStatus(statusCode: code).reasonPhrase : reasonPhrase
    }

    var mayHaveBody: Bool { kind != .informational && self != .noContent && self != .notModified }
}
