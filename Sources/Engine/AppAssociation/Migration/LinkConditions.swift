import LinkRouting

/// The conditions of a rule or route on a link's path, query and fragment, as languages of texts `path?query#fragment`.
/// A link fits if every language contains it.
struct LinkConditions {
    private(set) var languages: [Language]

    private static let anyPath = Language.repeated(.byte(PlainLink.inPath))
    private static let anyQuery = Language.optional(.sequence([questionMark, .repeated(.byte(PlainLink.inQuery))]))
    private static let anyFragment = Language.optional(.sequence([hash, .repeated(.byte(.all))]))
    private static let questionMark = Language.byte(ByteSet("?"))
    private static let hash = Language.byte(ByteSet("#"))

    /// Creates conditions on path and fragment. `fragment` includes its `#`; nil accepts any fragment.
    init(path: Language, fragment: Language? = nil) {
        languages = [.sequence([path.restricted(to: PlainLink.inPath), Self.anyQuery, fragment ?? Self.anyFragment])]
    }

    /// Adds a condition on the query. `query` includes its `?`.
    mutating func add(query: Language) {
        languages.append(.sequence([Self.anyPath, query, Self.anyFragment]))
    }

    /// Returns the language of a component with its delimiter. An absent component counts as empty.
    private static func part(behind delimiter: Language, _ text: Language) -> Language {
        let given = Language.sequence([delimiter, text])
        return text.hasEmptyText ? .optional(given) : given
    }

    /// Returns the queries in which every item with the name has one of the values. An item without `=` has an empty
    /// value.
    static func query(_ name: String, has value: Language, mayBeAbsent: Bool) -> Language {
        let names = PlainLink.spellings(of: name)
        let given = Language.sequence([.byte(ByteSet("=")), value.restricted(to: PlainLink.inValue)])
        let fitting = Language.sequence([
            .either(names.map(Language.text)), value.hasEmptyText ? .optional(given) : given,
        ])
        let anything = Language.sequence([.byte(ByteSet("=")), .repeated(.byte(PlainLink.inValue))])
        let item = Language.either([fitting, .sequence([anyName(besides: names), .optional(anything)])])
        let separator = Language.byte(ByteSet("&"))
        let before = Language.repeated(.sequence([item, separator]))
        let behind = Language.repeated(.sequence([separator, item]))
        let query = Language.sequence([questionMark, before, mayBeAbsent ? item : fitting, behind])
        return mayBeAbsent ? .optional(query) : query
    }

    /// Returns all names except `names`.
    private static func anyName(besides names: [[UInt8]]) -> Language {
        let beginnings = Set(names.compactMap(\.first))
        let others = PlainLink.inName.subtracting(ByteSet(beginnings))
        var parts = [Language.sequence([.byte(others), .repeated(.byte(PlainLink.inName))])]
        if !names.contains([]) { parts.append(.empty) }
        for first in beginnings.sorted() {
            let rests = names.filter { $0.first == first }.map { Array($0.dropFirst()) }
            parts.append(.sequence([.byte(ByteSet(CollectionOfOne(first))), anyName(besides: rests)]))
        }
        return .either(parts)
    }
}

extension Language {
    fileprivate var hasEmptyText: Bool { Self.shortestText(in: [self, .empty]) != .none }
}

// MARK: Rules

extension LinkConditions {
    /// Creates the conditions of a rule as iOS reads it.
    init(_ rule: AppleAppSiteAssociation.MergedRule, _ variables: PatternVariables) {
        let reading = Glob.Reading(rule)
        func text(_ pattern: String) -> Language { Glob(pattern, variables).language(reading) }
        let fragment = rule.fragment.value == "*" ? nil : Self.part(behind: Self.hash, text(rule.fragment.value))
        self.init(path: Glob(path: rule, variables).pathLanguage(reading), fragment: fragment)
        switch rule.query.value {
        case .whole("*"): break
        case .whole(let pattern):
            add(query: Self.part(behind: Self.questionMark, text(pattern).restricted(to: PlainLink.inQuery)))
        case .items(let items):
            for item in items where item.pattern != "*" {
                let value = text(item.pattern)
                add(query: Self.query(item.name, has: value, mayBeAbsent: value.hasEmptyText))
            }
        }
    }
}

extension Glob {
    init(_ pattern: String, _ variables: PatternVariables) {
        self.init(pattern) { name in
            if case .values(let values) = variables[name] { values } else { nil }
        }
    }

    /// Parses the path of a rule. A device normalises the path before it looks for variables in it.
    init(path rule: AppleAppSiteAssociation.MergedRule, _ variables: PatternVariables) {
        self.init(DevicePath.normalised(rule.path.value), variables)
    }
}

extension Glob.Reading {
    init(_ rule: AppleAppSiteAssociation.MergedRule) {
        self.init(foldsCase: !rule.caseSensitive.value, comparesEncoded: rule.percentEncoded.value)
    }
}

extension AppleAppSiteAssociation.MergedRule {
    /// Whether the rule constrains only the path.
    var takesAnyQueryAndFragment: Bool {
        guard fragment.value == "*" else { return false }
        return switch query.value {
        case .whole(let pattern): pattern == "*"
        case .items(let items): items.allSatisfy { $0.pattern == "*" }
        }
    }
}

// MARK: Routes

extension LinkConditions {
    /// Creates the conditions of a route; nil if the route has conditions that a migration never writes.
    init?(_ route: Route) {
        guard let path = route.path.plainLanguage(route.letterCase), route.trailingSlash == .ignored else { return nil }
        switch route.fragment {
        case nil: self.init(path: path)
        case .equals(let text): self.init(path: path, fragment: .sequence([Self.hash, .spelling(of: text.utf8)]))
        case .pattern: return nil
        }
        for condition in route.query {
            switch condition.test {
            case .oneOf(let values):
                let value = Language.either(values.map { .spelling(of: $0.utf8) })
                add(query: Self.query(condition.name, has: value, mayBeAbsent: false))
            case .capture(let parameter, let need):
                guard let value = parameter.type.plainLanguage(.sensitive, bytes: PlainLink.inValue) else { return nil }
                add(query: Self.query(condition.name, has: value, mayBeAbsent: need != .required))
            case .present, .absent: return nil
            }
        }
    }
}

extension RoutePattern {
    /// Returns the plain paths of the pattern, with a slash at the end; nil if a parameter has a type that a migration
    /// does not use.
    fileprivate func plainLanguage(_ letterCase: LetterCase) -> Language? {
        let slash = Language.byte(PlainLink.slash)
        let inSegment = PlainLink.inPath.subtracting(PlainLink.slash)
        var parts = [slash]
        for segment in segments {
            switch segment {
            case .literal(let bytes): parts.append(.spelling(of: bytes, letterCase))
            case .any: parts.append(.oneOrMore(.byte(inSegment)))
            case .rest:
                // A plain path has no empty segment and ends with a slash, so that any text will do.
                parts.append(.repeated(.byte(PlainLink.inPath)))
                continue
            case .parameter(let parameter):
                guard let language = parameter.type.plainLanguage(letterCase, bytes: inSegment) else { return nil }
                parts.append(language)
            case .mixed(let mixed):
                parts.append(.spelling(of: mixed.prefix, letterCase))
                for piece in mixed.pieces {
                    guard let language = piece.parameter.type.plainLanguage(letterCase, bytes: inSegment) else {
                        return nil
                    }
                    parts += [language, .spelling(of: piece.literal, letterCase)]
                }
            }
            parts.append(slash)
        }
        return .sequence(parts)
    }
}

extension Language {
    /// Returns the spellings of a decoded text in plain links.
    fileprivate static func spelling(
        of text: some Sequence<UInt8>,
        _ letterCase: LetterCase = .sensitive
    ) -> Language {
        .sequence(
            text.map { byte in
                let set = ByteSet(CollectionOfOne(byte))
                return PlainLink.spelled(letterCase == .ignored ? set.foldingCase : set)
            }
        )
    }
}

extension ParameterType {
    /// Returns the values of the type as plain links write them; nil for types that a migration does not use.
    fileprivate func plainLanguage(_ letterCase: LetterCase, bytes: ByteSet) -> Language? {
        switch self {
        case .string(let length): .repeated(PlainLink.character(of: bytes), length)
        case .alpha(let length): .repeated(.byte(.letters), length)
        case .alnum(let length): .repeated(.byte(.letters.union(.digits)), length)
        case .hex(let length): .repeated(.byte(.hexDigits), length)
        case .int(let range) where range == Bounds(lower: 0, upper: 9): .byte(.digits)
        case .oneOf(let values): .either(values.map { .spelling(of: $0.utf8, letterCase) })
        case .int, .number, .bool, .uuid, .slug, .date: nil
        }
    }
}

extension Language {
    /// Returns repetitions of `part` within the bounds, or one and more without bounds; nil if a bound exceeds 64.
    fileprivate static func repeated(_ part: Language, _ count: ParameterType.Bounds<Int>?) -> Language? {
        let least = max(count == nil ? 1 : 0, count?.lower ?? 0)
        let most = count?.upper
        guard max(least, most ?? 0) <= 64 else { return nil }
        let behind: Language =
            if let most { .sequence(Array(repeating: .optional(part), count: max(0, most - least))) } else {
                .repeated(part)
            }
        return .sequence(Array(repeating: part, count: least) + [behind])
    }
}
