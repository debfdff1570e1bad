extension StringProtocol {
    /// Returns whether the UTF-8 bytes of `part` occur in the text.
    ///
    /// `contains(_:)` looks for the borders of characters, which takes quadratic time in a text of regional indicators.
    func containsBytes(of part: String) -> Bool {
        guard let first = part.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: part.utf8) { return true }
            rest.removeFirst()
        }
        return false
    }
}
