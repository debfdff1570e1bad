import LinkRouting

/// The rule dialect of Android 15 and later, for the dynamic rules of `assetlinks.json`. Android compares decoded text
/// and respects letter case. A slash at the end is significant. `*` does not backtrack.
///
/// Opening rules have `*` at the end only, so that they match at least the route's links however a device treats it.
/// Exclusions have `*` also for a segment in the middle. Devices whose matcher is greedy ignore such an exclusion.
enum AndroidRules: RuleDialect {
    static let everything = AssociationRule(path: Glob("*"))
    static let allPaths = Language.decodedPaths

    static func openings(of route: Route, _ plusSign: DeepLink.PlusSign) -> [AssociationRule] {
        let fragment = route.fragment.flatMap { openingPattern($0, route.letterCase) }
        let queries = queries(of: route, plusSign)
        return paths(of: route).flatMap { path in
            queries.map { query in
                AssociationRule(
                    path: path.glob.forGreedyMatcher,
                    query: query,
                    fragment: fragment?.forGreedyMatcher,
                    route: route.id,
                    isRoot: path.isRoot
                )
            }
        }
    }

    /// Returns the exclusions for a route; empty if the route has query conditions. Android excludes a link if any
    /// occurrence of a repeated item matches, but the route requires that all match.
    static func exclusions(of route: Route) -> [AssociationRule] {
        guard route.query.isEmpty else { return [] }
        var fragment: Glob?
        if let condition = route.fragment {
            guard case .equals(let text) = condition, !text.isEmpty, !text.utf8.contains(where: special.contains) else {
                return []
            }
            fragment = Glob(pieces: text.utf8.map { .byte($0) })
        }
        return exclusionPaths(of: route).map {
            AssociationRule(path: $0.forGreedyMatcher, fragment: fragment, isExcluded: true, route: route.id)
        }
    }

    static func pathLanguage(of rule: AssociationRule) -> Language {
        rule.isRoot ? .optional(.byte(ByteSet("/"))) : rule.path.androidLanguage
    }

    static func pathLanguage(of route: Route, _ bound: Bound) -> Language {
        route.path.decodedPathLanguage(bound, route.letterCase)
    }

    static func outline(of rule: AssociationRule) -> PathOutline {
        rule.isRoot ? .everything : PathOutline(rule)
    }
    static func outline(of route: Route) -> PathOutline { PathOutline(route.path) }

    static func write(_ rule: AssociationRule, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("/", rule.path.text)
        if !rule.query.isEmpty {
            writer.key("?")
            writer.beginObject()
            for item in rule.query {
                writer.key(escaping: item.name)
                writer.string(item.value.text)
            }
            writer.endObject()
        }
        if let fragment = rule.fragment { writer.member("#", fragment.text) }
        if rule.isExcluded { writer.member("exclude", true) }
        writer.endObject()
    }

    // MARK: Paths

    private struct Path {
        var glob: Glob
        var isRoot = false
    }

    /// The maximum number of rules for the listed values of a route.
    private static let mostAlternatives = 16
    private static let slash = Glob.Piece.byte(UInt8(ascii: "/"))
    private static let special = ByteSet("*?$\\")

    /// Returns patterns that together match every path of the route. The path with a trailing slash needs a pattern of
    /// its own. Nothing may follow a wildcard, so the segments after the first wildcard are left out.
    private static func paths(of route: Route) -> [Path] {
        // Only `*` matches the root without its slash.
        guard !route.path.segments.isEmpty else { return [Path(glob: everything.path, isRoot: true)] }
        var paths: [[Glob.Piece]] = [[]]
        for segment in route.path.segments {
            switch segment {
            case .rest:
                let rest = paths.map { $0 + [slash, .many] }
                // `/x/{rest...}` matches `/x` and all paths that begin with `/x/`. `/{rest...}` matches every path.
                return (paths == [[]] ? [[.many]] : paths + rest).map { Path(glob: Glob(pieces: $0)) }
            case .literal(let bytes):
                paths = paths.map { $0 + [slash] + literal(bytes, route.letterCase) }
            case .parameter(let parameter):
                guard case .oneOf(let values) = parameter.type, paths.count * values.count <= mostAlternatives else {
                    return paths.map { Path(glob: Glob(pieces: $0 + [slash, .one, .many])) }
                }
                paths = paths.flatMap { path in values.map { path + [slash] + literal($0.utf8, route.letterCase) } }
            case .any:
                return paths.map { Path(glob: Glob(pieces: $0 + [slash, .one, .many])) }
            case .mixed(let mixed):
                let prefix = [slash] + literal(mixed.prefix, route.letterCase)
                return paths.map { Path(glob: Glob(pieces: $0 + prefix + [.one, .many])) }
            }
        }
        return paths.flatMap { [Path(glob: Glob(pieces: $0)), Path(glob: Glob(pieces: $0 + [slash]))] }
    }

    /// Returns the pieces of literal text. A character that is special in a pattern becomes `?`, which matches any one
    /// character. So does a letter if its case is ignored.
    private static func literal(_ bytes: some Sequence<UInt8>, _ letterCase: LetterCase) -> [Glob.Piece] {
        bytes.map { byte in
            special.contains(byte) || letterCase == .ignored && ByteSet.letters.contains(byte) ? .one : .byte(byte)
        }
    }

    // MARK: Excluded paths

    /// Returns patterns for the paths of a route. They may match more than the route does, or fewer paths: a parameter
    /// before other text ends at the first occurrence of the next character. Letters whose case is ignored are written
    /// in their most common cases only, because `?` would match any character.
    private static func exclusionPaths(of route: Route) -> [Glob] {
        guard !route.path.segments.isEmpty else { return [Glob("/")] }
        guard route.letterCase == .ignored else { return exclusionPaths(of: route.path) { $0 } }
        var paths: [Glob] = []
        for spelling in [{ $0 }, \.inLowerCase, \.capitalized] as [([UInt8]) -> [UInt8]] {
            for path in exclusionPaths(of: route.path, spelling) where !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    private static func exclusionPaths(of pattern: RoutePattern, _ spelling: ([UInt8]) -> [UInt8]) -> [Glob] {
        func literal(_ bytes: some Sequence<UInt8>) -> [Glob.Piece] {
            self.literal(spelling(Array(bytes)), .sensitive)
        }
        let segments = pattern.segments
        var paths: [[Glob.Piece]] = [[]]
        var hasStar = false
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            let isBeforeRest = index == segments.count - 2 && segments[index + 1].isRest
            var texts: [[Glob.Piece]]?
            switch segment {
            case .rest:
                let rest = paths.map { $0 + [slash, .many] }
                return (paths == [[]] ? [[.many]] : paths + rest).map { Glob(pieces: $0) }
            case .literal(let bytes):
                // Links to an encoded slash are outside the guarantee, and would not be distinguished.
                guard !bytes.contains(UInt8(ascii: "/")) else { return [] }
                texts = [literal(bytes)]
            case .parameter(let parameter):
                if case .oneOf(let values) = parameter.type, paths.count * values.count <= mostAlternatives {
                    texts = values.filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }
                        .map { literal($0.utf8) }
                }
            case .any: break
            case .mixed(let mixed):
                // A greedy matcher never matches `?*` before other text. `*` also matches an empty value.
                let stars: [[Glob.Piece]] = [[.many], [.one, .many]]
                let forms = stars.compactMap { star in
                    exclusionPieces(of: mixed, star: star, isLast: isLast || isBeforeRest, literal)
                }
                guard let last = forms.first?.last else { return [] }
                texts = forms
                hasStar = true
                if isLast || isBeforeRest, last == .many {
                    return paths.flatMap { path in forms.map { Glob(pieces: path + [slash] + $0) } }
                }
            }
            if let texts {
                paths = paths.flatMap { path in texts.map { path + [slash] + $0 } }
            } else if isLast || isBeforeRest {
                // A greedy matcher knows `?*` only after literal text. `/*` also matches an empty segment.
                let endings: [[Glob.Piece]] =
                    hasStar ? [[slash, .many], [slash, .one, .many]] : [[slash, .one, .many]]
                return endings.flatMap { ending in paths.map { Glob(pieces: $0 + ending) } }
            } else {
                paths = paths.map { $0 + [slash, .many] }
                hasStar = true
            }
        }
        return paths.flatMap { [Glob(pieces: $0), Glob(pieces: $0 + [slash])] }
    }

    /// Returns the pieces of a mixed segment; nil if a special character would follow a star.
    private static func exclusionPieces(
        of mixed: RoutePattern.Mixed,
        star: [Glob.Piece],
        isLast: Bool,
        _ literal: ([UInt8]) -> [Glob.Piece]
    ) -> [Glob.Piece]? {
        guard !mixed.prefix.contains(UInt8(ascii: "/")) else { return nil }
        var pieces = literal(mixed.prefix)
        for piece in mixed.pieces {
            guard let first = piece.literal.first else { return pieces + (isLast ? [.one, .many] : star) }
            guard first < 0x80, !special.contains(first), !piece.literal.contains(UInt8(ascii: "/")) else { return nil }
            pieces += star + literal(piece.literal)
        }
        return pieces
    }

    // MARK: Query and fragment

    /// Returns alternative lists of items, all of which must be found. It uses only items that are present in every
    /// link which fits the conditions: those with a value, and without a character at which Android splits a decoded
    /// query.
    private static func queries(of route: Route, _ plusSign: DeepLink.PlusSign) -> [[AssociationRule.QueryItem]] {
        route.query.reduce([[]]) { alternatives, condition in
            guard let values = values(of: condition, plusSign), !values.isEmpty,
                alternatives.count * values.count <= mostAlternatives,
                !alternatives.contains(where: { $0.contains { $0.name == condition.name } })
            else { return alternatives }
            return alternatives.flatMap { items in
                values.map { value in
                    // A greedy matcher reads the name as a part of the pattern, and a plus in it as a modifier.
                    let isName = condition.name.utf8.contains(UInt8(ascii: "+")) && value.pieces == [.one, .many]
                    let value = isName ? everything.path : value.forGreedyMatcher
                    return items + [AssociationRule.QueryItem(name: condition.name, value: value)]
                }
            }
        }
    }

    /// Returns the patterns for a condition's values; nil if rules cannot express the condition.
    private static func values(of condition: QueryCondition, _ plusSign: DeepLink.PlusSign) -> [Glob]? {
        let splitting = ByteSet("&;")
        let unfitForName = splitting.union(special).union(ByteSet(plusSign == .space ? "= " : "="))
        guard !condition.name.utf8.contains(where: unfitForName.contains) else { return nil }
        switch condition.test {
        case .present, .absent, .capture(_, .optional), .capture(_, .defaultsTo):
            return nil
        case .oneOf(let values):
            guard values.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(where: splitting.contains) }) else { return nil }
            return values.map { value in
                Glob(
                    pieces: value.utf8.map {
                        special.contains($0) || plusSign == .space && $0 == UInt8(ascii: " ") ? .one : .byte($0)
                    }
                )
            }
        case .capture(let parameter, .required):
            switch parameter.type {
            case .string: return nil
            case .oneOf(let values):
                return self.values(of: QueryCondition(name: condition.name, test: .oneOf(values)), plusSign)
            case .int, .number, .bool, .uuid, .slug, .alpha, .alnum, .hex, .date:
                return [Glob(pieces: [.one, .many])]
            }
        }
    }

    /// Returns a pattern for the fragment; nil if there is none, as for an empty fragment.
    private static func openingPattern(_ condition: FragmentCondition, _ letterCase: LetterCase) -> Glob? {
        switch condition {
        case .equals(let text):
            return text.isEmpty ? nil : Glob(pieces: literal(text.utf8, .sensitive))
        case .pattern(let pattern):
            var pieces: [Glob.Piece] = []
            for segment in pattern.segments {
                guard case .literal(let bytes) = segment else { break }
                pieces += [slash] + literal(bytes, letterCase)
            }
            return Glob(pieces: pieces + [.many])
        }
    }
}

extension Glob {
    /// The pattern for devices that read `?*` in a pattern as a sign of regular-expression syntax, in which `+` is a
    /// modifier: each `+` is written as `?`.
    fileprivate var forGreedyMatcher: Glob {
        guard zip(pieces, pieces.dropFirst()).contains(where: { $0 == .one && $1 == .many }) else { return self }
        return Glob(pieces: pieces.map { $0 == .byte(UInt8(ascii: "+")) ? .one : $0 })
    }
}

extension RoutePattern.Segment {
    fileprivate var isRest: Bool { if case .rest = self { true } else { false } }
}

extension [UInt8] {
    fileprivate var inLowerCase: [UInt8] { map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 } }

    /// The text with its first letter in upper case and the others in lower case.
    fileprivate var capitalized: [UInt8] {
        var text = inLowerCase
        if let first = text.first, ByteSet.lower.contains(first) { text[0] = first & ~0x20 }
        return text
    }
}
