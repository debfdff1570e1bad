/// Parts of one link that many patterns and conditions are compared with. Each is computed once, when it is first needed:
/// a link decides how long they are, and a table how often they are compared.
struct LinkParts {
    /// A reference, because every lookup creates and destroys this value, and few lookups use it.
    private var computed: Computed?

    private final class Computed {
        var kinds: [TextKinds?] = []
        var hostLabel: ArraySlice<UInt8>?
        var query: QueryIndex?
        var fragment: String??
        var fragmentPath: DeepLink??
        var fragmentParts = FragmentParts()
    }

    /// Behind a reference, since they are of the same type.
    private final class FragmentParts {
        var parts = LinkParts()
    }

    /// Segments up to this length are read by each comparison.
    private static let shortText = 32
    /// Queries up to this length and number of items are read by each comparison.
    private static let shortQuery = 256
    private static let fewItems = 16

    /// Whether a type accepts the text of a segment.
    mutating func accepts(_ segment: Int, of link: DeepLink, _ type: ParameterType, _ letterCase: LetterCase) -> Bool {
        let length = link.segments[segment].range.count
        guard length > Self.shortText, let kind = type.kind else {
            return type.accepts(link.segment(segment), letterCase)
        }
        return type.lengthBounds?.contains(length) ?? true
            && (kind == .string || kinds(of: segment, of: link).contains(kind))
    }

    /// Whether a pattern matches the fragment as a path.
    mutating func fragmentMatches(_ pattern: RoutePattern, of link: DeepLink, _ letterCase: LetterCase) -> Bool {
        guard let path = fragmentPath(of: link) else { return false }
        let parts = computedParts().fragmentParts
        let segments = pattern.segments
        guard pattern.hasRest ? path.segments.count >= segments.count - 1 : path.segments.count == segments.count else {
            return false
        }
        for index in segments.indices {
            if case .rest = segments[index] { return true }
            guard !path.segments[index].isEmpty else { return false }
            if case .parameter(let parameter) = segments[index] {
                guard parts.parts.accepts(index, of: path, parameter.type, letterCase) else { return false }
            } else {
                guard segments[index].accepts(path.segment(index), letterCase) else { return false }
            }
        }
        return true
    }

    private mutating func kinds(of segment: Int, of link: DeepLink) -> TextKinds {
        let computed = computedParts()
        if computed.kinds.isEmpty { computed.kinds = Array(repeating: nil, count: link.segments.count) }
        if let kinds = computed.kinds[segment] { return kinds }
        let kinds = TextKinds(link.segment(segment))
        computed.kinds[segment] = kinds
        return kinds
    }

    /// Returns the text of the host before its first dot.
    mutating func hostLabel(of link: DeepLink) -> ArraySlice<UInt8> {
        let computed = computedParts()
        if let label = computed.hostLabel { return label }
        let label = ArraySlice((link.host ?? "").utf8.prefix { $0 != UInt8(ascii: ".") })
        computed.hostLabel = label
        return label
    }

    /// Returns the index of the link's items; nil if the query is short.
    mutating func query(of link: DeepLink, _ plusSign: DeepLink.PlusSign) -> QueryIndex? {
        guard link.query.count > Self.fewItems || link.rawQuery?.count ?? 0 > Self.shortQuery else { return nil }
        let computed = computedParts()
        if let query = computed.query { return query }
        let query = QueryIndex(link, plusSign)
        computed.query = query
        return query
    }

    mutating func fragment(of link: DeepLink) -> String? {
        let computed = computedParts()
        if let fragment = computed.fragment { return fragment }
        let fragment = link.fragment
        computed.fragment = .some(fragment)
        return fragment
    }

    mutating func fragmentPath(of link: DeepLink) -> DeepLink? {
        let computed = computedParts()
        if let fragmentPath = computed.fragmentPath { return fragmentPath }
        let path = link.fragmentPath
        computed.fragmentPath = .some(path)
        return path
    }

    private mutating func computedParts() -> Computed {
        if let computed { return computed }
        let computed = Computed()
        self.computed = computed
        return computed
    }
}
