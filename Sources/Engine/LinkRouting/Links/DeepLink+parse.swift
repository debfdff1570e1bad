extension DeepLink {
    /// Parses a link. Never traps. Allocates once each for bytes, segments and query, and for a path with escapes.
    public static func parse(_ text: String) throws(Rejection) -> DeepLink {
        try parse(Array(text.utf8))
    }

    /// Parses a link from bytes, which need not be UTF-8.
    public static func parse(_ bytes: [UInt8]) throws(Rejection) -> DeepLink {
        var parser = LinkParser(bytes)
        return try parser.link()
    }
}
