/// A value that a route captured from a link.
public struct CapturedParameter: Sendable, Hashable {
    public var name: String
    public var value: ParameterValue
    /// The captured text, decoded; for a rest parameter, the segments joined by `/`.
    public var text: String
    public var location: Location
    /// Whether the route forbids recording the value.
    public var isSensitive: Bool

    public init(name: String, value: ParameterValue, text: String, location: Location, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.text = text
        self.location = location
        self.isSensitive = isSensitive
    }

    /// The part of the link that a parameter was captured from.
    public enum Location: Sendable, Hashable {
        case host
        /// Range in ``DeepLink/pathBytes``, within the segment.
        case path(segment: Int, bytes: Range<Int>)
        /// From this segment to the last one.
        case rest(firstSegment: Int)
        /// The name of the query item; also for a default value, which is not in the link.
        case query(String)
        case fragment
        /// A server captured the value, and its response does not say where.
        case unknown
    }
}
