package import LinkRouting

/// The bucket edges of a query, in units of the table that is read: quarter-hours, hours or days since 1970.
package struct CountEdges {
    /// In ascending order; buckets may be empty.
    package let edges: [Int64]
    /// The greatest common divisor of the distances between the first edge and the others, in units. SQL sums slots of
    /// this size, each of which lies within one bucket.
    package let step: Int64

    package init(_ edges: [Int64]) {
        self.edges = edges
        let first = edges.first ?? 0
        step = max(1, edges.reduce(0) { Self.divisor($0, $1 - first) })
    }

    package var first: Int64 { edges.first ?? 0 }
    package var end: Int64 { edges.last ?? 0 }
    package var bucketCount: Int { max(0, edges.count - 1) }

    /// Returns the bucket that contains an instant; nil if none does.
    ///
    /// - Parameter milliseconds: The length of a unit in milliseconds.
    package func bucket(of instant: Timestamp, unit milliseconds: Int64) -> Int? {
        let unit = instant.milliseconds.flooredQuotient(by: milliseconds)
        return (first..<end).contains(unit) ? bucket(ofSlot: (unit - first) / step) : nil
    }

    /// Returns the bucket of a slot that SQL computed as `(unit - first) / step`.
    package func bucket(ofSlot slot: Int64) -> Int {
        let unit = first + slot * step
        // Finds the last edge at or below the unit. Of several equal edges, only the last one begins a bucket that is
        // not empty.
        var (low, high) = (0, edges.count)
        while low < high {
            let middle = (low + high) / 2
            if edges[middle] <= unit { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    private static func divisor(_ left: Int64, _ right: Int64) -> Int64 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }
}

/// Decomposes a query's buckets into whole UTC days, whose sums are stored, and partial days. A partial day lies
/// between an edge and the nearest midnight; it is added to the bucket on one side of the edge and subtracted from the
/// bucket on the other.
package struct CountDays {
    /// The edges rounded to midnights, in days since 1970.
    package let days: CountEdges
    package let pieces: [Piece]

    package struct Piece {
        /// The day that contains the partial day.
        package let day: Int64
        package let range: Range<Int64>
        /// The bucket to add the piece to, and the bucket to subtract it from.
        package let gains: Int
        package let loses: Int
    }

    /// - Parameter perDay: The number of units in a day.
    package init(_ edges: CountEdges, perDay: Int64) {
        let midnights = edges.edges.map { ($0 + perDay / 2).flooredQuotient(by: perDay) }
        days = CountEdges(midnights)
        pieces = zip(edges.edges, midnights).enumerated().compactMap { index, pair in
            let (edge, day) = pair
            let midnight = day * perDay
            // The edge is after its midnight: the piece belongs to the bucket before the edge.
            if edge > midnight {
                return Piece(day: day, range: midnight..<edge, gains: index - 1, loses: index)
            }
            if edge < midnight {
                return Piece(day: day - 1, range: edge..<midnight, gains: index, loses: index - 1)
            }
            return nil
        }
    }
}
