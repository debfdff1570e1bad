package import LinkRouting

/// A number of events, and the time of the last one.
package struct ShortLinkCount: Sendable, Hashable {
    package private(set) var count: Int64
    package private(set) var last: Timestamp

    /// No events.
    init() { self.init(0, last: Timestamp(milliseconds: .min)) }

    init(_ count: Int64, last: Timestamp) { (self.count, self.last) = (count, last) }

    mutating func add(_ other: ShortLinkCount) {
        count += other.count
        last = max(last, other.last)
    }
}
