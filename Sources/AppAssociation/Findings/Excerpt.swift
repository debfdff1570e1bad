extension String {
    /// The text as a finding shows it: whole up to 200 bytes, else its beginning and `…`.
    ///
    /// Many findings may name one long key. Their messages and pointers would otherwise be much longer than the file.
    var excerpt: String {
        guard utf8.count > Self.maximumExcerpt else { return self }
        var end = unicodeScalars.startIndex
        var count = 0
        while end < unicodeScalars.endIndex {
            count += UTF8.width(unicodeScalars[end])
            guard count <= Self.maximumExcerpt else { break }
            unicodeScalars.formIndex(after: &end)
        }
        return String(unicodeScalars[..<end]) + "…"
    }

    private static let maximumExcerpt = 200
}
