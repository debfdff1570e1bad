import LinkEvents

/// A host or segment as it is recorded: decoded text with placeholders for sensitive values.
struct RecordedText: Sendable, Hashable {
    private var pieces: [Piece] = []

    private enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        /// A withheld value, by the name of its parameter.
        case withheld(String)
    }

    /// Parses the output of ``Redaction``: `{name}` for a withheld value, and `%2F %25 %7B %7D` for ambiguous
    /// characters.
    init(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")) {
                if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
                bytes = []
                pieces.append(.withheld(String(decoding: rest[..<end], as: UTF8.self)))
                rest = rest[(end + 1)...]
            } else if byte == UInt8(ascii: "%"), rest.count > 1,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
    }

    /// The names of the withheld values.
    var withheld: [String] {
        pieces.compactMap { piece in
            if case .withheld(let name) = piece { name } else { nil }
        }
    }

    /// Returns the text with a value in the place of each withheld one.
    func filled(by value: (String) -> String, encode: ([UInt8]) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .bytes(let bytes): encode(bytes)
            case .withheld(let name): value(name)
            }
        }.joined()
    }

    /// Whether the text may be the host of a custom scheme.
    var isPlainHost: Bool {
        !pieces.isEmpty
            && pieces.allSatisfy { piece in
                guard case .bytes(let bytes) = piece else { return true }
                return bytes.allSatisfy { isUnreserved($0) && $0 != UInt8(ascii: "~") }
            }
    }
}

/// Returns the percent-encoded bytes for a segment of a path, or for a name or value of a query.
func percentEncoded(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let encoded = bytes.flatMap { byte -> [UInt8] in
        let isPlain = isUnreserved(byte) || "!$'()*,;:@".utf8.contains(byte)
        return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: encoded, as: UTF8.self)
}

private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
    default: false
    }
}
