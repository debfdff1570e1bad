extension DeepLink {
    /// Parses a link. Never traps. Allocates once each for bytes, segments and query, and for a path with escapes.
    public static func parse(_ text: String) throws(Rejection) -> DeepLink {
        try parse(Array(text.utf8))
    }

    /// Parses a link from bytes, which need not be UTF-8. White space and line ends around it are ignored, as browsers do.
    public static func parse(_ bytes: [UInt8]) throws(Rejection) -> DeepLink {
        guard isBlank(bytes.first) || isBlank(bytes.last) else {
            var parser = LinkParser(bytes)
            return try parser.link()
        }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        var parser = LinkParser(Array(bytes[start..<end]))
        do { return try parser.link() } catch { throw error.moved(by: start, in: bytes) }
    }

    /// Whether a byte is a space, or one of the control characters from tab to carriage return.
    private static func isBlank(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
