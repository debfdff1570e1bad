/// The addresses that proxies have named, the nearest proxy's first: what a header says from right to left.
///
/// Whatever stands further left came from further away. So nothing there, not even an open quote, may change how what is
/// to its right is read; hence the backward scan.
struct ForwardedElements: Sequence, IteratorProtocol {
    private let header: ForwardingHeader
    /// The lines that are still to be read; the last one first.
    private var lines: ArraySlice<String>
    private var rest: Substring.UTF8View?

    /// - Parameter lines: All of this header, in their order.
    init(_ lines: [String], of header: ForwardingHeader) {
        self.header = header
        self.lines = lines[...]
    }

    /// The next element's text, nil at the end. Empty elements are none (RFC 9110 §5.6.1).
    mutating func next() -> Substring? {
        while let rest = rest ?? lines.popLast().map({ Substring($0).utf8 }) {
            let comma = header == .forwarded ? Self.lastUnquotedComma(in: rest) : rest.lastIndex(of: UInt8(ascii: ","))
            let element = comma.map { rest[rest.index(after: $0)...] } ?? rest
            self.rest = comma.map { rest[..<$0] }
            let text = Substring(element).trimmed
            if !text.isEmpty { return text }
        }
        return nil
    }

    private static func lastUnquotedComma(in text: Substring.UTF8View) -> Substring.Index? {
        var isQuoted = false
        var index = text.endIndex
        while index > text.startIndex {
            index = text.index(before: index)
            switch text[index] {
            case UInt8(ascii: "\""):
                let escapes = text[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
                if !isQuoted || escapes.isMultiple(of: 2) { isQuoted.toggle() }
            case UInt8(ascii: ","):
                if !isQuoted { return index }
            default: break
            }
        }
        return nil
    }
}
