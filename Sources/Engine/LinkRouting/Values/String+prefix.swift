extension String {
    /// Returns the longest prefix of whole Unicode scalars with at most `count` UTF-8 bytes.
    package func utf8Prefix(_ count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// Returns the text, or its beginning and `…` if it is longer than `count` UTF-8 bytes.
    package func shortened(toBytes count: Int) -> String {
        utf8.count <= count ? self : utf8Prefix(count - "…".utf8.count) + "…"
    }
}
