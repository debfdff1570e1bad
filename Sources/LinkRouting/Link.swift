/// A link, scanned once into its parts. See docs/routing.md, "Links".
///
/// The path is one for web links and custom schemes: `acme://blogs/new` and `https://links.acme.com/blogs/new` both have
/// the segments `blogs`, `new`. Segments are decoded; the query and the fragment keep their bytes and are decoded when asked.
public struct Link: Sendable, Hashable {
    /// UTF-8 bytes.
    public static let maximumLength = 8_192

    /// The text as received.
    public let bytes: [UInt8]
    /// Lower case.
    public let scheme: String
    /// Of a web link, in look-up form: lower case, no trailing dot. A custom scheme has none: its host is a segment.
    public let host: String?
    /// Nil when absent or the scheme's default.
    public let port: UInt16?
    /// The decoded segments, back to back.
    public let pathBytes: [UInt8]
    public internal(set) var segments: [Segment]
    /// Whether exactly one ignored trailing slash was there; false for the root.
    public internal(set) var hasTrailingSlash: Bool
    /// Whether the first segment was written as the host of a custom scheme.
    public internal(set) var hasAuthoritySegment: Bool
    /// Into `bytes`: of a web link from the slash after the host, of a custom scheme from behind `scheme:` or `scheme://`.
    public let rawPath: Range<Int>
    /// Into `bytes`, without the `?`.
    public let rawQuery: Range<Int>?
    /// Into `bytes`, without the `#`.
    public let rawFragment: Range<Int>?
    /// In the link's order; repeated, empty and valueless names are kept apart.
    public let query: [QueryItem]

    /// One segment: a range of ``Link/pathBytes``.
    public struct Segment: Sendable, Hashable {
        let start: Int32
        let end: Int32

        public var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// One item of the query: ranges of ``Link/bytes``.
    public struct QueryItem: Sendable, Hashable {
        public let rawName: Range<Int>
        /// Nil when there is no `=`.
        public let rawValue: Range<Int>?
        /// Whether an escape of the name is broken or a control character: no condition can name it.
        public let hasInvalidName: Bool
        /// Whether an escape of the value is broken or a control character: it satisfies only *present*.
        public let hasInvalidValue: Bool
        /// Whether a `%` or `+` is in it, so that comparing must decode.
        let needsDecoding: Bool

        public var raw: Range<Int> { rawName.lowerBound..<(rawValue?.upperBound ?? rawName.upperBound) }
    }

    /// What a `+` in a query means.
    public enum PlusSign: Sendable, Hashable {
        case plus, space
    }

    public var isWeb: Bool { host != nil }
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    public var segmentCount: Int { segments.count }

    /// Of an index below `segmentCount`.
    public func segmentText(_ index: Int) -> String {
        String(decoding: pathBytes[segments[index].range], as: UTF8.self)
    }

    /// The path without the host of a custom scheme, for schemes that ignore it.
    public func droppingAuthoritySegment() -> Link {
        guard hasAuthoritySegment else { return self }
        var link = self
        link.segments.removeFirst()
        link.hasAuthoritySegment = false
        link.hasTrailingSlash = hasTrailingSlash && !link.segments.isEmpty
        return link
    }

    /// Decoded; nil when an escape is broken.
    public func name(of item: QueryItem, plus: PlusSign) -> String? {
        item.hasInvalidName ? nil : decoded(item.rawName, plus)
    }

    /// Decoded; the empty string when there is no `=`, nil when an escape is broken.
    public func value(of item: QueryItem, plus: PlusSign) -> String? {
        guard !item.hasInvalidValue else { return nil }
        guard let range = item.rawValue else { return "" }
        return decoded(range, plus)
    }

    /// Whether the item's decoded name has these UTF-8 bytes; allocates nothing.
    public func matchesName(_ item: QueryItem, _ name: [UInt8], plus: PlusSign) -> Bool {
        guard !item.hasInvalidName else { return false }
        guard item.needsDecoding else { return bytes[item.rawName].elementsEqual(name) }
        return PercentDecoding(bytes[item.rawName], plus: plus).elementsEqual(name)
    }

    /// Decoded; nil when absent or an escape is broken.
    public var fragment: String? {
        guard let rawFragment else { return nil }
        return isDecodable(bytes[rawFragment]) ? decoded(rawFragment, .plus) : nil
    }

    private func decoded(_ range: Range<Int>, _ plus: PlusSign) -> String {
        let raw = bytes[range]
        guard raw.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: raw, as: UTF8.self)
        }
        return String(decoding: Array(PercentDecoding(raw, plus: plus)), as: UTF8.self)
    }
}
