package import LinkRouting

/// A link that a route matches, in parts that can be changed one by one.
struct SampleLink {
    var host: String
    /// The decoded segments of the path.
    var segments: [[UInt8]]
    var hasTrailingSlash = false
    /// The decoded query items. A nil value means an item without `=`.
    var query: [(name: String, value: String?)] = []
    /// The decoded fragment.
    var fragment: String?

    /// Creates the link to the root of a host.
    init(host: String) {
        self.host = host
        segments = []
    }

    /// The length of the values of parameters.
    enum Size {
        case short, long
    }

    init(of route: Route, on host: String, _ size: Size = .short) {
        self.host = host
        segments = route.path.segments.compactMap { segment in
            guard size == .long, let long = segment.longSample, segment.accepts(long[...], route.letterCase) else {
                return segment.sample
            }
            return long
        }
        hasTrailingSlash = route.trailingSlash == .strict && route.path.hasTrailingSlash
        query = route.query.compactMap { condition in condition.sample.map { (condition.name, $0) } }
        switch route.fragment {
        case nil: break
        case .equals(let text): fragment = text
        case .pattern(let pattern):
            let segments = pattern.segments.compactMap { $0.sample.map { String(decoding: $0, as: UTF8.self) } }
            fragment = "/" + segments.joined(separator: "/")
        }
    }

    var hasEncodedSlash: Bool { segments.contains { $0.contains(UInt8(ascii: "/")) } }

    /// The link with a separator in place of each slash in a segment.
    var withoutEncodedSlashes: SampleLink {
        var link = self
        link.segments = segments.flatMap { $0.split(separator: UInt8(ascii: "/")).map(Array.init) }
        return link
    }

    /// Returns a link that the paths of two routes match, with the query and the fragment of this link, which is a
    /// sample of `route`; nil if there is no obvious one.
    func meeting(_ route: Route, _ other: Route) -> SampleLink? {
        let (ours, theirs) = (route.path.segments[...], other.path.segments[...])
        var link = self
        link.segments = []
        for index in 0..<max(ours.count, theirs.count) {
            let pair = [ours, theirs].map { index < $0.count ? $0[index] : nil }
            // A rest segment may be empty.
            let known = pair.compactMap { $0?.sample == nil ? nil : $0 }
            guard known.count == 2 || known.count == 1 && (ours.last?.sample == nil || theirs.last?.sample == nil)
            else {
                if known.isEmpty { continue }
                return nil
            }
            let texts = known.compactMap(\.sample)
            let common = texts.first { text in
                known.allSatisfy { $0.accepts(text[...], route.letterCase) }
            }
            guard let common else { return nil }
            link.segments.append(common)
        }
        return link
    }

    /// The URL as a person would write it.
    var url: String {
        var url = "https://\(host)"
        for segment in segments { url += "/" + Self.encoded(segment) }
        if hasTrailingSlash || segments.isEmpty { url += "/" }
        let items = query.map { item in
            Self.encoded(item.name.utf8) + (item.value.map { "=" + Self.encoded($0.utf8) } ?? "")
        }
        if !items.isEmpty { url += "?" + items.joined(separator: "&") }
        guard let fragment else { return url }
        let parts = fragment.split(separator: "/", omittingEmptySubsequences: false)
        return url + "#" + parts.map { Self.encoded($0.utf8) }.joined(separator: "/")
    }

    private static func encoded(_ text: some Sequence<UInt8>) -> String {
        let plain = ByteSet.letters.union(.digits).union(ByteSet("-._~!$'()*,;:@"))
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RoutePattern.Segment {
    /// A text that the segment matches; nil for a rest segment, which may be empty.
    fileprivate var sample: [UInt8]? {
        switch self {
        case .literal(let bytes): bytes
        case .parameter(let parameter): Array(parameter.type.sample.utf8)
        case .mixed(let mixed):
            mixed.prefix + mixed.pieces.flatMap { Array($0.parameter.type.sample.utf8) + $0.literal }
        case .any: Array("x".utf8)
        case .rest: nil
        }
    }
}

extension RoutePattern.Segment {
    /// A longer text that the segment probably matches.
    fileprivate var longSample: [UInt8]? {
        switch self {
        case .literal, .rest: nil
        case .any: Array(ParameterType.plain.longSample.utf8)
        case .parameter(let parameter): Array(parameter.type.longSample.utf8)
        case .mixed(let mixed):
            mixed.prefix + mixed.pieces.flatMap { Array($0.parameter.type.longSample.utf8) + $0.literal }
        }
    }
}

extension ParameterType {
    fileprivate var longSample: String {
        switch self {
        case .string, .slug: "sample-value"
        case .alpha: "samplevalue"
        case .alnum: "sample12345"
        case .hex: "abcdef123456"
        case .int, .number: "1234567"
        case .oneOf(let values): values.last ?? "x"
        case .bool: "false"
        case .uuid, .date: sample
        }
    }
}

extension QueryCondition {
    /// A value for which the condition holds; nil if the item must or may be absent.
    fileprivate var sample: String? {
        switch test {
        case .present: "1"
        case .absent, .capture(_, .optional), .capture(_, .defaultsTo): nil
        case .oneOf(let values): values.first
        case .capture(let parameter, .required): parameter.type.sample
        }
    }
}

extension ParameterType {
    /// An example of a value of the type. If the type takes only values that are longer than a link may be, it is none.
    package var sample: String {
        func text(_ letter: String, _ length: Bounds<Int>?) -> String {
            String(repeating: letter, count: min(max(1, length?.lower ?? 1), DeepLink.maximumLength))
        }
        switch self {
        case .string(let length): return text("x", length)
        case .slug(let length), .alpha(let length), .alnum(let length), .hex(let length): return text("a", length)
        case .int(let range): return "\(range?.lower ?? min(1, range?.upper ?? 1))"
        case .number(let range):
            let number = range?.lower ?? min(1, range?.upper ?? 1)
            return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .bool: return "true"
        case .uuid: return "01234567-89ab-cdef-0123-456789abcdef"
        case .date: return "2026-01-31"
        case .oneOf(let values): return values.first ?? "x"
        }
    }

    /// Candidates for values that are not of the type; empty if the type accepts every text.
    var counterexamples: [String] {
        self == .plain
            ? [] : ["x", "-", "x.x", "0", "99999999999999999999", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
    }
}
