/// The parts of a `multipart/…` body.
package struct MultipartBody: Sendable {
    package let parts: [Part]

    package struct Part: Sendable {
        package let name: String?
        package let fileName: String?
        package let headers: [HeaderField]
        package let body: [UInt8]
        package let bodyText: String

        package func headerValues(_ name: String) -> [String] {
            headers.lazy.filter { $0.has(name: name) }.map(\.value)
        }
    }

    /// Whether the content type is one with parts.
    package static func isMultipart(_ contentType: String?) -> Bool {
        contentType?.lowercased().hasPrefix("multipart/") == true
    }

    /// Nil when the content type is not a multipart type or has no boundary.
    package init?(contentType: String?, body: [UInt8]) {
        guard let contentType, Self.isMultipart(contentType), let boundary = parameter("boundary", of: contentType),
            !boundary.isEmpty
        else { return nil }
        parts = Self.split(body, at: Array("--\(boundary)".utf8)).compactMap(Self.part)
    }

    /// The texts between the lines that start with the delimiter.
    private static func split(_ body: [UInt8], at delimiter: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start: Int?
        var index = 0
        while index + delimiter.count <= body.count, pieces.count < maximumNamedValues {
            let isAtLineStart = index == 0 || body[index - 1] == 0x0A
            guard isAtLineStart, body[index..<(index + delimiter.count)].elementsEqual(delimiter) else {
                index += 1
                continue
            }
            if let start { pieces.append(withoutLineBreak(body[start..<index])) }
            index += delimiter.count
            if body[index...].starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) { return pieces }
            while index < body.count, body[index] != 0x0A { index += 1 }
            index = min(index + 1, body.count)
            start = index
        }
        if let start, start < body.count { pieces.append(body[start...]) }
        return pieces
    }

    private static func withoutLineBreak(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.last == 0x0A else { return text }
        let shorter = text.dropLast()
        return shorter.last == 0x0D ? shorter.dropLast() : shorter
    }

    private static func part(_ text: ArraySlice<UInt8>) -> Part? {
        var headers: [HeaderField] = []
        var rest = text
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: withoutLineBreak(rest[...end]), as: UTF8.self)
            rest = rest[(end + 1)...]
            guard !line.isEmpty else {
                let disposition = headers.first { $0.has(name: "content-disposition") }?.value
                return Part(
                    name: disposition.flatMap { parameter("name", of: $0) },
                    fileName: disposition.flatMap { parameter("filename", of: $0) },
                    headers: headers,
                    body: Array(rest),
                    bodyText: String(decoding: rest, as: UTF8.self)
                )
            }
            guard headers.count < 100, let colon = line.firstIndex(of: ":") else { return nil }
            headers.append(
                HeaderField(line[..<colon].trimmingBlanks, line[line.index(after: colon)...].trimmingBlanks)
            )
        }
        return nil
    }
}

/// A parameter of a header value such as `form-data; name="a"`.
func parameter(_ name: String, of header: String) -> String? {
    for piece in header.split(separator: ";").dropFirst() {
        guard let equals = piece.firstIndex(of: "="),
            isEqualIgnoringASCIICase(piece[..<equals].trimmingBlanks, name)
        else { continue }
        let value = piece[piece.index(after: equals)...].trimmingBlanks
        guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast())
    }
    return nil
}
