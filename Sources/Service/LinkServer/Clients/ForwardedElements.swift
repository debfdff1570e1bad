/// The elements of a forwarding header from right to left: the nearest proxy's first.
///
/// Elements further left come from further away and are less trusted. The scan runs backward, so that nothing there,
/// not even an open quote, changes how the elements to its right are parsed.
struct ForwardedElements: Sequence, IteratorProtocol {
    private let header: ForwardingHeader
    /// The header lines that are still to be read, in their order.
    private var lines: ArraySlice<String>
    private var rest: Substring.UTF8View?

    /// - Parameter lines: All values of this header, in their order.
    init(_ lines: [String], of header: ForwardingHeader) {
        self.header = header
        self.lines = lines[...]
    }

    /// Returns the text of the next element; nil at the end. Empty elements are skipped (RFC 9110 §5.6.1).
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
