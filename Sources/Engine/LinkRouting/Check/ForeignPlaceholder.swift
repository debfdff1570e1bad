/// A parameter in a template in the syntax of another language: `:id`, `<id>`, `<int:id>`, `$id`, `${id}`, `%{id}` or
/// `$1`. All of it, or its sign, stays literal text.
struct ForeignPlaceholder {
    /// The text as written.
    let text: String
    /// The name of the parameter; nil for `$1`.
    let name: String?

    /// Returns the first one that has one of these names, or a number; nil without one. Takes linear time.
    static func first(in template: String, of names: Set<String>) -> ForeignPlaceholder? {
        guard template.utf8.contains(where: isMark) else { return nil }
        let bytes = Array(template.utf8)
        for start in bytes.indices where isMark(bytes[start]) && !(start > 0 && endsWord(bytes[start - 1])) {
            if let found = placeholder(at: start, of: bytes, names) { return found }
        }
        return nil
    }

    private static func placeholder(at start: Int, of bytes: [UInt8], _ names: Set<String>) -> ForeignPlaceholder? {
        func word(from index: Int) -> ArraySlice<UInt8> { bytes[index...].prefix(while: isWordByte) }
        func byte(at index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }
        func named(_ name: ArraySlice<UInt8>, upTo end: Int) -> ForeignPlaceholder? {
            let name = String(decoding: name, as: UTF8.self)
            guard names.contains(name) else { return nil }
            return ForeignPlaceholder(text: String(decoding: bytes[start..<end], as: UTF8.self), name: name)
        }
        let first = word(from: start + 1)
        let end = first.endIndex
        switch (bytes[start], byte(at: end)) {
        case (UInt8(ascii: "$"), UInt8(ascii: "{")) where first.isEmpty,
            (UInt8(ascii: "%"), UInt8(ascii: "{")) where first.isEmpty:
            let inner = word(from: end + 1)
            return byte(at: inner.endIndex) == UInt8(ascii: "}") ? named(inner, upTo: inner.endIndex + 1) : nil
        case (UInt8(ascii: "$"), _) where first.count == 1 && first.allSatisfy(isDigit):
            guard start == 0 || isDelimiter(bytes[start - 1]), byte(at: end).map(isDelimiter) ?? true,
                // A price, such as $5.99.
                byte(at: end) != UInt8(ascii: ".") || byte(at: end + 1).map(isLetter) == true
            else { return nil }
            return ForeignPlaceholder(text: String(decoding: bytes[start..<end], as: UTF8.self), name: nil)
        case (UInt8(ascii: "$"), _), (UInt8(ascii: ":"), _): return named(first, upTo: end)
        case (UInt8(ascii: "<"), UInt8(ascii: ">")): return named(first, upTo: end + 1)
        case (UInt8(ascii: "<"), UInt8(ascii: ":")):
            let second = word(from: end + 1)
            guard byte(at: second.endIndex) == UInt8(ascii: ">") else { return nil }
            return named(second, upTo: second.endIndex + 1) ?? named(first, upTo: second.endIndex + 1)
        default: return nil
        }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "$"), UInt8(ascii: "%"): true
        default: false
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_")
    }

    /// Whether a colon or a sign after the byte belongs to the text before it, as in `https:` and `{price}%`.
    private static func endsWord(_ byte: UInt8) -> Bool {
        isWordByte(byte) || byte >= 0x80 || byte == UInt8(ascii: "}")
    }

    /// Whether the byte separates parts of a URL.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "#"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
