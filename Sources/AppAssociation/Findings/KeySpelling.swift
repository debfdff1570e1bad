/// Compares keys of a file with those that devices know.
enum KeySpelling {
    /// Returns the key without white space at its ends.
    static func trimmed(_ key: String) -> String {
        var scalars = key.unicodeScalars[...]
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        return String(scalars)
    }

    /// Returns the known key that differs only in spaces, in case or in at most two letters; nil if there is none.
    static func nearest(to key: String, among known: [String]) -> String? {
        let key = trimmed(key).lowercased()
        let near = known.map { ($0, distance(key, $0.lowercased())) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= 2 && $0.1 * 2 < $0.0.utf8.count ? $0.0 : nil }
    }

    /// Returns the Levenshtein distance in bytes. Only the first 64 bytes of `left` count.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8.prefix(64)), Array(right.utf8))
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
