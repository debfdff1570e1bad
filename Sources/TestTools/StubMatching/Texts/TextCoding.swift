/// The character set of a body: UTF-8, unless its content type names ISO-8859-1 or US-ASCII.
package enum TextCoding: Sendable {
    case utf8
    case latin1
    case ascii

    package init(contentType: String?) {
        let type = (contentType ?? "").lowercased().filter { $0 != "\"" }
        guard let name = type.firstRange(of: "charset=") else {
            self = .utf8
            return
        }
        switch type[name.upperBound...].prefix(while: { $0 != ";" && $0 != "," && $0 != " " }) {
        case "iso-8859-1", "iso8859-1", "latin1": self = .latin1
        case "us-ascii", "ascii": self = .ascii
        default: self = .utf8
        }
    }

    /// Each malformed sequence becomes U+FFFD.
    package func text(_ bytes: [UInt8]) -> String {
        guard self != .utf8, bytes.contains(where: { $0 > 0x7F }) else { return String(decoding: bytes, as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(byte > 0x7F && self == .ascii ? "\u{FFFD}" : Unicode.Scalar(byte)) }
        return String(scalars)
    }

    /// Each character that the character set lacks becomes a question mark.
    package func bytes(_ text: String) -> [UInt8] {
        switch self {
        case .utf8: Array(text.utf8)
        case .latin1: text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
        case .ascii: text.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
        }
    }
}
