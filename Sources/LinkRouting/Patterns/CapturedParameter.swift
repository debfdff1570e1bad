/// A value that a route captured from a link.
public struct CapturedParameter: Sendable, Hashable {
    public var name: String
    public var value: ParameterValue
    /// The text as captured and decoded; of a rest parameter the segments joined by `/`.
    public var text: String
    public var place: Place
    /// Whether the route says that the value is never recorded.
    public var isSensitive: Bool

    public init(name: String, value: ParameterValue, text: String, place: Place, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.text = text
        self.place = place
        self.isSensitive = isSensitive
    }

    /// Where a parameter was captured.
    public enum Place: Sendable, Hashable {
        case host
        /// Bytes of ``Link/pathBytes``, within the segment.
        case path(segment: Int, bytes: Range<Int>)
        /// From this segment to the last.
        case rest(firstSegment: Int)
        /// The name of the item; a default was captured from nowhere.
        case query(String)
        case fragment
    }
}
