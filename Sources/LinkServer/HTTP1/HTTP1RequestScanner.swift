import HTTPTypes
import NIOCore

/// Parses a complete HTTP/1.1 request in the usual form: `GET` or `POST` of an ASCII path, one Host, one line for each
/// field, and a body with a Content-Length or none.
///
/// Returns nil for everything unusual, invalid, over a limit or incomplete. NIO's decoder then reads the same bytes,
/// and it alone decides what is valid. A request that is parsed here is parsed identically there.
struct HTTP1RequestScanner {
    struct Found {
        let request: HTTPRequest
        let headBytes: Int
        let bodyBytes: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    /// Index of the first unread byte.
    private var index = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the request at the start of `bytes`; nil if the decoder must read it.
    ///
    /// - Parameter bodyBytes: Maximum size of the body.
    static func scan(_ bytes: ByteBuffer, _ limits: ConnectionLimits, bodyBytes: Int) -> Found? {
        bytes.withUnsafeReadableBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                var scanner = HTTP1RequestScanner(bytes)
                return scanner.request(limits, longestBody: bodyBytes)
            }
        }
    }

    private mutating func request(_ limits: ConnectionLimits, longestBody: Int) -> Found? {
        guard let method = method(), let path = path(limits), skip(" HTTP/1.1\r\n") else { return nil }
        var host: String?
        var length: Int?
        var fields = HTTPFields()
        fields.reserveCapacity(8)
        while !skip("\r\n") {
            guard fields.count < limits.headerFields - 1, let name = name(), let value = value() else { return nil }
            switch name.canonicalName {
            case "host":
                guard host == nil, !value.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }) else {
                    return nil
                }
                host = text(value)
                continue
            case "content-length":
                guard length == nil, let number = number(value), number <= longestBody else { return nil }
                length = number
            case "connection":
                guard isKeepAlive(value) else { return nil }
            case "transfer-encoding", "expect", "upgrade", "proxy-connection", "http2-settings":
                return nil
            default: break
            }
            fields.append(HTTPField(name: name, value: text(value)))
        }
        let body = length ?? 0
        // The fields are part of the head, so they are within their limit if the head is.
        guard let host, index <= limits.headerBytes, body <= bytes.count - index else { return nil }
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        return Found(request: request, headBytes: index, bodyBytes: body)
    }

    // MARK: Parts of a head

    private mutating func method() -> HTTPRequest.Method? {
        if skip("GET ") { return .get }
        return skip("POST ") ? .post : nil
    }

    private mutating func path(_ limits: ConnectionLimits) -> String? {
        let path = run { $0 > UInt8(ascii: " ") && $0 < 0x7F && $0 != UInt8(ascii: "#") }
        guard path.first == UInt8(ascii: "/"), path.count <= limits.uriBytes else { return nil }
        return text(path)
    }

    /// Reads a field name and its colon.
    private mutating func name() -> HTTPField.Name? {
        let name = run { $0 > UInt8(ascii: " ") && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        return skip(":") ? HTTPField.Name(text(name)) : nil
    }

    /// Reads a field value and the end of its line.
    private mutating func value() -> Slice<UnsafeBufferPointer<UInt8>>? {
        _ = run { $0 == UInt8(ascii: " ") }
        let value = run { $0 >= UInt8(ascii: " ") && $0 < 0x7F }
        // A value with trailing blanks is left to the decoder, which trims them.
        return value.last != UInt8(ascii: " ") && skip("\r\n") ? value : nil
    }

    private func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        // Nine digits fit into any integer.
        guard (1...9).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    private func isKeepAlive(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        value.elementsEqual("keep-alive".utf8) { $0 == $1 || $0 | 0x20 == $1 }
    }

    // MARK: Bytes

    private mutating func run(while isPart: (UInt8) -> Bool) -> Slice<UnsafeBufferPointer<UInt8>> {
        let start = index
        while index < bytes.count, isPart(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    private mutating func skip(_ expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= bytes.count - index else { return false }
        for offset in 0..<count where bytes[index + offset] != expected.utf8Start[offset] { return false }
        index += count
        return true
    }

    private func text(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> String { String(decoding: part, as: UTF8.self) }
}
