import HTTPTypes
import NIOCore
import NIOHTTP1

/// The status line and the fields of a response, as HTTP/1.1 sends them (RFC 9112 §4, §5).
struct HTTP1Head {
    private let status: HTTPResponse.Status
    private let fields: BufferedResponse.Fields
    /// Sent after the fields, unless they contain it.
    private let contentLength: Int?

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        self.status = status
        self.fields = .list(fields)
        contentLength = nil
    }

    init(_ answer: BufferedResponse) {
        status = answer.status
        fields = answer.fields
        contentLength = answer.status.mayHaveBody ? answer.contentLength : nil
    }

    /// The head as bytes, to be sent often.
    var written: ByteBuffer {
        var lines = ByteBuffer()
        lines.writeText(ofAtMost: bytes) { write(to: &$0) }
        return lines
    }

    private static let json: StaticString =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
    private static let lengthName: StaticString = "Content-Length: "

    /// The maximum size.
    var bytes: Int {
        let length = Self.lengthName.utf8CodeUnitCount + "18446744073709551615\r\n".utf8.count
        switch fields {
        case .json: return Self.json.utf8CodeUnitCount + length
        case .prepared(_, let lines): return lines.readableBytes + length
        case .list(let list):
            let line = "HTTP/1.1 000 \r\n".utf8.count + status.sentReason.utf8.count
            return list.reduce(line + length) { $0 + $1.lineBytes }
        }
    }

    func write(to text: inout ReservedText) {
        switch fields {
        case .json: text.append(Self.json)
        case .prepared(_, let lines): text.append(lines)
        case .list(let list):
            text.append("HTTP/1.1 ")
            text.append(String(status.code))
            text.append(" ")
            text.append(status.sentReason)
            text.append("\r\n")
            for field in list { text.append(field) }
        }
        guard let contentLength else { return }
        text.append(Self.lengthName)
        text.append(String(contentLength))
        text.append("\r\n")
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

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: ByteBuffer) { text.withUnsafeReadableBytes { append($0) } }

    mutating func append(_ content: BufferedResponse.Content) {
        switch content {
        case .buffer(let buffer): append(buffer)
        case .bytes(let bytes): bytes.withUnsafeBytes { append($0) }
        }
    }

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
