import LinkRouting

/// The difference between two texts, for near misses.
package enum TextDistance {
    /// The number of UTF-16 code units that are compared, at the start of each text. WireMock compares all, which takes
    /// minutes for large bodies.
    package static let maximumLength = 2_000

    /// The Levenshtein distance in UTF-16 code units, in proportion to the longer text: 0 for equal texts, 1 for texts
    /// that have nothing in common.
    package static func normalized(_ left: String, _ right: String) -> Double {
        if left.isExactly(right) { return 0 }
        let (left, right) = (Array(left.utf16.prefix(maximumLength)), Array(right.utf16.prefix(maximumLength)))
        let longest = max(left.count, right.count)
        return longest == 0 ? 0 : Double(levenshtein(left, right)) / Double(longest)
    }

    /// The distance to a value that may be absent, which is 1.
    static func between(_ text: String, _ value: String?) -> Double { value.map { normalized(text, $0) } ?? 1 }

    private static func levenshtein(_ left: [UInt16], _ right: [UInt16]) -> Int {
        let prefix = zip(left, right).prefix { $0 == $1 }.count
        let (left, right) = (left.dropFirst(prefix), right.dropFirst(prefix))
        let suffix = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
        let (rows, columns) = (Array(left.dropLast(suffix)), Array(right.dropLast(suffix)))
        var distances = Array(0...columns.count)
        for (row, unit) in rows.enumerated() {
            var diagonal = distances[0]
            distances[0] = row + 1
            for column in columns.indices {
                let substitution = diagonal + (unit == columns[column] ? 0 : 1)
                diagonal = distances[column + 1]
                distances[column + 1] = min(substitution, diagonal + 1, distances[column] + 1)
            }
        }
        return distances[columns.count]
    }
}
