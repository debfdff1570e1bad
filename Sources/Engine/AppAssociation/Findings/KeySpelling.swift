/// Compares keys of a file with those that devices know.
enum KeySpelling {
    /// Returns the key without white space at its ends.
    static func trimmed(_ key: String) -> String {
        var scalars = key.unicodeScalars[...]
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        return String(scalars)
    }

    /// The maximum number of known keys of a similar length that are compared. A file may define many.
    private static let maximumCandidates = 50
    /// The maximum length of a key that is compared, in bytes.
    private static let maximumLength = 64

    /// Returns the known key that differs only in spaces, in case or in at most two letters; nil if there is none, or if the
    /// key is too long.
    static func nearest(to key: String, among known: [String]) -> String? {
        guard key.utf8.count <= maximumLength else { return nil }
        let key = trimmed(key).lowercased()
        // Each byte that one key has more than the other is a letter that differs.
        let near = known.lazy.filter { abs(key.utf8.count - $0.utf8.count) <= 2 }.prefix(maximumCandidates)
            .map { ($0, distance(key, $0.lowercased())) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= 2 && $0.1 * 2 < $0.0.utf8.count ? $0.0 : nil }
    }

    /// Returns the Levenshtein distance in bytes.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var last = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var row = [index + 1]
            for (other, otherByte) in right.enumerated() {
                row.append(min(last[other + 1] + 1, row[other] + 1, last[other] + (byte == otherByte ? 0 : 1)))
            }
            last = row
        }
        return last[right.count]
    }
}
