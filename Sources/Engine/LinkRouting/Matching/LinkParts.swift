/// Parts of one link that many patterns and conditions are compared with. Each is computed once, when it is first needed:
/// a link decides how long they are, and a table how often they are compared.
struct LinkParts {
    /// A reference, because every lookup creates and destroys this value, and few lookups use it.
    private var computed: Computed?
    /// The number of nodes that were visited and of segments that were compared.
    var comparisons = 0

    private final class Computed {
        var kinds: [TextKinds?] = []
        var hostLabel: ArraySlice<UInt8>?
        var query: QueryIndex?
        var traits: Traits?
        var languages: LanguagePreferences?
        var fragment: String??
        var fragmentPath: DeepLink??
        var fragmentParts = FragmentParts()
    }

    /// Behind a reference, since they are of the same type.
    private final class FragmentParts {
        var parts = LinkParts()
    }

    /// The traits of the caller by the bytes of their names.
    private final class Traits {
        private let names: DistinctTexts
        private let texts: [[String]]
        private var values: [DistinctTexts?]

        init(_ context: LinkContext) {
            names = DistinctTexts(Array(context.traits.keys))
            texts = Array(context.traits.values)
            values = Array(repeating: nil, count: texts.count)
        }

        func values(of name: String) -> DistinctTexts? {
            guard let index = name.withBytes({ names.index(of: $0) }) else { return nil }
            let known = values[index] ?? DistinctTexts(texts[index])
            values[index] = known
            return known
        }
    }

    /// Segments up to this length are read by each comparison.
    private static let shortText = 32
    /// Queries without escapes up to this length and number of items are read by each comparison.
    private static let shortQuery = 256
    private static let fewItems = 8

    /// Whether a type accepts the text of a segment.
    mutating func accepts(_ segment: Int, of link: DeepLink, _ type: ParameterType, _ letterCase: LetterCase) -> Bool {
        guard link.segments[segment].range.count > Self.shortText, let kind = type.kind, kind != .string else {
            return type.accepts(link.segment(segment), letterCase)
        }
        let kinds = kinds(of: segment, of: link)
        return link.segment(segment).withUnsafeBufferPointer { type.accepts(0..<$0.count, of: $0, kind, kinds) }
    }

    /// Whether a mix of literals and parameters accepts the text of a segment.
    mutating func accepts(
        _ segment: Int,
        of link: DeepLink,
        _ mixed: RoutePattern.Mixed,
        _ letterCase: LetterCase
    ) -> Bool {
        let isShort = link.segments[segment].range.count <= Self.shortText || !mixed.hasKinds
        return mixed.accepts(link.segment(segment), letterCase, isShort ? nil : kinds(of: segment, of: link))
    }

    mutating func accepts(_ index: Int, of link: DeepLink, _ segment: RoutePattern.Segment, _ letterCase: LetterCase)
        -> Bool
    {
        switch segment {
        case .parameter(let parameter): accepts(index, of: link, parameter.type, letterCase)
        case .mixed(let mixed): accepts(index, of: link, mixed, letterCase)
        case .literal, .any, .rest: segment.accepts(link.segment(index), letterCase)
        }
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
            guard parts.parts.accepts(index, of: path, segments[index], letterCase) else { return false }
        }
        return true
    }

    private mutating func kinds(of segment: Int, of link: DeepLink) -> TextKinds {
        let computed = computedParts()
        if computed.kinds.isEmpty { computed.kinds = Array(repeating: nil, count: link.segments.count) }
        if let kinds = computed.kinds[segment] { return kinds }
        let kinds = link.segment(segment).withUnsafeBufferPointer { TextKinds($0) }
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
        let isShort = link.query.count <= Self.fewItems && link.rawQuery?.count ?? 0 <= Self.shortQuery
        guard !isShort || link.query.contains(where: \.isEncoded) else { return nil }
        let computed = computedParts()
        if let query = computed.query { return query }
        let query = QueryIndex(link, plusSign)
        computed.query = query
        return query
    }

    /// Whether one of the caller's values of a trait is listed; nil if the caller has no trait of this name.
    mutating func isListed(_ trait: String, of context: LinkContext, in listed: ListedValues) -> Bool? {
        guard !context.traits.isEmpty else { return nil }
        let computed = computedParts()
        let traits = computed.traits ?? Traits(context)
        computed.traits = traits
        return traits.values(of: trait).map(listed.containsOne)
    }

    /// Returns the place of the best of these languages among those of the caller; nil if the caller wants none of them.
    mutating func place(of tags: [LanguageTag], in context: LinkContext) -> Int? {
        let computed = computedParts()
        let languages = computed.languages ?? LanguagePreferences(context.locale)
        computed.languages = languages
        return tags.lazy.compactMap(languages.place).min()
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
