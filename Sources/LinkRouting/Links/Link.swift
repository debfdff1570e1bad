/// A link, scanned once into its parts. docs/routing.md, "Links", tells what each text becomes.
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
    /// Of a web link; nil when absent or the scheme's default.
    public let port: UInt16?
    /// The decoded segments, back to back.
    public let pathBytes: [UInt8]
    public internal(set) var segments: [Segment]
    /// Whether exactly one ignored trailing slash was there; false for the root.
    public internal(set) var hasTrailingSlash: Bool
    /// Whether the first segment was written as the host of a custom scheme.
    public internal(set) var hasAuthoritySegment: Bool
    /// Into `bytes`: of a web link from the slash behind the host (empty when there is none), of a custom scheme from behind
    /// `scheme:` or `scheme://`.
    public internal(set) var rawPath: Range<Int>
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
        var isEmpty: Bool { start == end }
    }

    /// What a `+` in a query means.
    public enum PlusSign: Sendable, Hashable {
        case plus, space
    }

    public var isWeb: Bool { host != nil }
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The text for a header: what RFC 3986 lets no URL have, such as `é` or `|` in a query, is percent-encoded. Not for hosts
    /// in Unicode.
    public var asciiText: String {
        var url: [UInt8] = []
        url.reserveCapacity(bytes.count)
        appendURLText(bytes, to: &url)
        return String(decoding: url, as: UTF8.self)
    }
    public var segmentCount: Int { segments.count }

    /// Into ``Link/pathBytes``, for an index below `segmentCount`.
    public func segmentRange(_ index: Int) -> Range<Int> { segments[index].range }

    /// Of an index below `segmentCount`.
    public func segmentText(_ index: Int) -> String {
        String(decoding: pathBytes[segments[index].range], as: UTF8.self)
    }

    /// The link without the host of its custom scheme, for schemes that ignore it: `acme://open/x` has the path `/x` then.
    public func droppingAuthoritySegment() -> Link {
        guard hasAuthoritySegment else { return self }
        var link = self
        link.segments.removeFirst()
        link.hasAuthoritySegment = false
        // What is left of `acme://open/` is the root, whose slash is none to be ignored.
        link.hasTrailingSlash = hasTrailingSlash && !link.segments.isEmpty
        let slash = bytes[rawPath].firstIndex(of: UInt8(ascii: "/")) ?? rawPath.upperBound
        link.rawPath = slash..<rawPath.upperBound
        return link
    }

    /// Decoded; nil when absent, or when an escape is broken, a control character or not UTF-8.
    public var fragment: String? {
        guard let rawFragment, escapeFailure(in: bytes[rawFragment]) == nil else { return nil }
        return decoded(rawFragment, .plus)
    }

    func decoded(_ range: Range<Int>, _ plus: PlusSign) -> String {
        let raw = bytes[range]
        guard raw.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(decoding: raw, as: UTF8.self)
        }
        return String(decoding: Array(PercentDecoding(raw, plus: plus)), as: UTF8.self)
    }
}
