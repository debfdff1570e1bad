import LinkRouting

/// The edges of the buckets of a question, in units of the table that is read: quarter-hours, hours or days since 1970.
struct CountEdges {
    /// Rising; buckets may be empty.
    let edges: [Int64]
    /// How many units every edge is a multiple of from the first one, so that SQL can sum what can lie in one bucket only.
    let step: Int64

    init(_ edges: [Int64]) {
        self.edges = edges
        let first = edges.first ?? 0
        step = max(1, edges.reduce(0) { Self.divisor($0, $1 - first) })
    }

    var first: Int64 { edges.first ?? 0 }
    var end: Int64 { edges.last ?? 0 }
    var bucketCount: Int { max(0, edges.count - 1) }

    /// The bucket that an instant lies in, if any.
    ///
    /// - Parameter milliseconds: Of a unit.
    func bucket(of instant: Timestamp, unit milliseconds: Int64) -> Int? {
        let unit = instant.milliseconds.flooredQuotient(by: milliseconds)
        return (first..<end).contains(unit) ? bucket(ofSlot: (unit - first) / step) : nil
    }

    /// The bucket of the units from `first + slot * step` on, for a slot that SQL computed as `(unit - first) / step`.
    func bucket(ofSlot slot: Int64) -> Int {
        let unit = first + slot * step
        // The last edge that is not above the unit: of empty buckets at one place the last edge begins what lies there.
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

/// A question's buckets made of whole UTC days, whose sums are stored, and of what lies between an edge and the midnight
/// nearest to it, which is added on one side of the edge and taken away on the other.
struct CountDays {
    /// Midnights, as days since 1970.
    let days: CountEdges
    let pieces: [Piece]

    struct Piece {
        /// The day that it lies in.
        let day: Int64
        let range: Range<Int64>
        /// The bucket that it is missing in, and the one that has it too much.
        let gains: Int
        let loses: Int
    }

    /// - Parameter perDay: Units of the edges in a day.
    init(_ edges: CountEdges, perDay: Int64) {
        let midnights = edges.edges.map { ($0 + perDay / 2).flooredQuotient(by: perDay) }
        days = CountEdges(midnights)
        pieces = zip(edges.edges, midnights).enumerated().compactMap { index, place in
            let midnight = place.1 * perDay
            // An edge past its midnight: what lies between belongs to the bucket before the edge, not to the one behind it.
            if place.0 > midnight {
                return Piece(day: place.1, range: midnight..<place.0, gains: index - 1, loses: index)
            }
            if place.0 < midnight {
                return Piece(day: place.1 - 1, range: place.0..<midnight, gains: index, loses: index - 1)
            }
            return nil
        }
    }
}
