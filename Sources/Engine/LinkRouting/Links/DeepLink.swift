/// A link, parsed into its parts. See "Links" in docs/routing.md for the treatment of each kind of text.
///
/// Web links and custom schemes have the same kind of path: `acme://blogs/new` and `https://links.acme.com/blogs/new`
/// both have the segments `blogs`, `new`. Segments are decoded. The query and the fragment are kept as raw bytes and
/// decoded on demand.
public struct DeepLink: Sendable, Hashable {
    /// The maximum length of a link, in UTF-8 bytes.
    public static let maximumLength = 8_192

    /// The text as received.
    public let bytes: [UInt8]
    /// The scheme, in lower case.
    public let scheme: String
    /// Host of a web link, in lookup form: lower case, no trailing dot. Nil for a custom scheme, whose host is a
    /// segment.
    public let host: String?
    /// Port of a web link; nil when absent or the scheme's default.
    public let port: UInt16?
    /// What the ranges of the segments refer to: the link's own bytes, unless its path has escapes.
    public let pathBytes: [UInt8]
    public internal(set) var segments: [Segment]
    /// Whether the path had a trailing slash, which is not part of the segments; false for the root.
    public internal(set) var hasTrailingSlash: Bool
    /// Whether the first segment was the host of a custom scheme.
    public internal(set) var hasAuthoritySegment: Bool
    /// Range of the path in `bytes`. For a web link it starts at the slash after the host (empty when there is none),
    /// for a custom scheme after `scheme:` or `scheme://`.
    public internal(set) var rawPath: Range<Int>
    /// The range of the query in `bytes`, without the `?`.
    public let rawQuery: Range<Int>?
    /// The range of the fragment in `bytes`, without the `#`.
    public let rawFragment: Range<Int>?
    /// The items of the query, in the link's order. Repeated, empty and valueless names are separate items.
    public let query: [QueryItem]

    /// One segment: a range of ``DeepLink/pathBytes`` that is not empty.
    public struct Segment: Sendable, Hashable {
        private let start: Int32
        private let end: Int32
        /// The number of slashes in front of it.
        private let slashes: Int32

        /// - Parameter range: Below ``DeepLink/maximumLength``.
        init(_ range: Range<Int>, behind slashes: Int) {
            start = Int32(range.lowerBound)
            end = Int32(range.upperBound)
            self.slashes = Int32(slashes)
        }

        public var range: Range<Int> { Int(start)..<Int(end) }
        /// The number of empty segments in front of it, which only a rest parameter captures.
        var emptySegments: Int { max(0, Int(slashes) - 1) }
    }

    /// The meaning of `+` in a query.
    public enum PlusSign: Sendable, Hashable {
        case plus, space
    }

    /// Whether the scheme is `http` or `https`.
    public var isWeb: Bool { host != nil }
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The text for a header: characters that RFC 3986 does not allow in a URL, such as `é` or `|` in a query, are
    /// percent-encoded. Not valid for Unicode hosts.
    public var asciiText: String {
        var url: [UInt8] = []
        url.reserveCapacity(bytes.count)
        appendURLText(bytes, to: &url)
        return String(decoding: url, as: UTF8.self)
    }
    public var segmentCount: Int { segments.count }

    /// Returns a range in ``DeepLink/pathBytes``. The index must be below `segmentCount`.
    public func segmentRange(_ index: Int) -> Range<Int> { segments[index].range }

    /// Returns the decoded bytes of a segment.
    func segment(_ index: Int) -> ArraySlice<UInt8> { pathBytes[segments[index].range] }

    /// Returns the decoded text of a segment. The index must be below `segmentCount`.
    public func segmentText(_ index: Int) -> String {
        String(decoding: pathBytes[segments[index].range], as: UTF8.self)
    }

    /// Returns the link without the host of its custom scheme, for schemes that ignore it: `acme://open/x` then has the
    /// path `/x`.
    public func droppingAuthoritySegment() -> DeepLink {
        guard hasAuthoritySegment else { return self }
        var link = self
        link.segments.removeFirst()
        link.hasAuthoritySegment = false
        // The rest of `acme://open/` is the root, whose slash is not a trailing slash.
        link.hasTrailingSlash = hasTrailingSlash && !link.segments.isEmpty
        let slash = bytes[rawPath].firstIndex(of: UInt8(ascii: "/")) ?? rawPath.upperBound
        link.rawPath = slash..<rawPath.upperBound
        return link
    }

    /// The decoded fragment; nil when absent, or when it has a malformed escape, a control character, or invalid UTF-8.
    public var fragment: String? {
        guard let rawFragment, escapeFailure(in: bytes[rawFragment]) == nil else { return nil }
        return decoded(rawFragment, .plus)
    }

    func decoded(_ range: Range<Int>, _ plus: PlusSign) -> String {
        String(decoding: decodedBytes(range, plus), as: UTF8.self)
    }

    /// Returns decoded bytes. The escapes must be well-formed.
    func decodedBytes(_ range: Range<Int>, _ plus: PlusSign) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.append(decoding: bytes[range], plus: plus)
        return decoded
    }
}
