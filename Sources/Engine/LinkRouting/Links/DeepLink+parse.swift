extension DeepLink {
    /// Parses a link. Never traps. Allocates once each for bytes, segments and query, and for a path with escapes.
    public static func parse(_ text: String) throws(Rejection) -> DeepLink {
        try parse(Array(text.utf8))
    }

    /// Parses a link from bytes, which need not be UTF-8. White space and line ends around it are ignored, as browsers do.
    public static func parse(_ bytes: [UInt8]) throws(Rejection) -> DeepLink {
        var parser = LinkParser(isBlank(bytes.first) || isBlank(bytes.last) ? trimmed(bytes) : bytes)
        return try parser.link()
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(bytes[first...last])
    }

    /// Whether a byte is a space, or one of the control characters from tab to carriage return.
    private static func isBlank(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
