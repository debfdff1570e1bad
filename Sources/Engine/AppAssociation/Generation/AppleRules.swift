import LinkRouting

/// The rule dialect of iOS and macOS. A path has one slash at both ends. Opening rules are compared with the decoded
/// URL, exclusions with the URL as written.
enum AppleRules: RuleDialect {
    static let everything = AssociationRule(path: Glob("/*"))
    static let allPaths = Glob.allPaths

    static func openings(of route: Route, _ plusSign: DeepLink.PlusSign) -> [AssociationRule] {
        [AssociationRule(opening: route, plusSign)]
    }

    static func exclusions(of route: Route) -> [AssociationRule] {
        AssociationRule(excluding: route).map { [$0] } ?? []
    }

    /// Returns the paths of a rule. Opening rules are compared decoded, as the table compares links. An exclusion
    /// matches only the spelling in which it is written.
    static func pathLanguage(of rule: AssociationRule) -> Language {
        rule.path.pathLanguage(Glob.Reading(foldsCase: rule.foldsCase, comparesEncoded: rule.isExcluded))
    }

    static func pathLanguage(of route: Route, _ bound: Bound) -> Language {
        route.path.pathLanguage(bound, route.letterCase)
    }

    static func outline(of rule: AssociationRule) -> PathOutline { PathOutline(rule) }
    static func outline(of route: Route) -> PathOutline { PathOutline(route.path) }

    static func write(_ rule: AssociationRule, to writer: inout JSONWriter, _ variables: AppleVariables) {
        writer.beginObject()
        writer.member("/", variables.text(of: rule.path))
        if !rule.query.isEmpty {
            writer.key("?")
            writer.beginObject()
            for item in rule.query {
                writer.key(escaping: item.name)
                writer.string(variables.text(of: item.value))
            }
            writer.endObject()
        }
        if let fragment = rule.fragment { writer.member("#", variables.text(of: fragment)) }
        if rule.isExcluded { writer.member("exclude", true) }
        if rule.foldsCase { writer.member("caseSensitive", false) }
        if !rule.isExcluded { writer.member("percentEncoded", false) }
        writer.endObject()
    }
}

// MARK: Opening

extension AssociationRule {
    /// Creates a rule that matches every link that the route matches.
    fileprivate init(opening route: Route, _ plusSign: DeepLink.PlusSign) {
        self.init(path: route.path.glob(route.letterCase))
        query = route.query.reduce(into: []) { items, condition in
            guard let value = condition.openingValue(plusSign), !items.contains(where: { $0.name == condition.name })
            else { return }
            items.append(QueryItem(name: condition.name, value: value))
        }
        fragment = route.fragment.map { condition in
            switch condition {
            case .equals(let text): Glob(pieces: Glob.decoded(text.utf8))
            case .pattern(let pattern):
                // A trailing slash in a fragment is not significant to the route, but it is to iOS.
                Glob(pieces: pattern.glob(route.letterCase).pieces + [.many])
            }
        }
        foldsCase = route.letterCase == .ignored
        self.route = route.id
    }
}

extension RoutePattern {
    /// Returns the pattern for URLs that are compared decoded. It has `?*` for a parameter, `*` for the rest, and a
    /// variable for a set.
    fileprivate func glob(_ letterCase: LetterCase) -> Glob {
        // Each access parses the pattern.
        let segments = segments
        guard !segments.isEmpty else { return Glob("/") }
        var pieces: [Glob.Piece] = []
        for (index, segment) in segments.enumerated() {
            // iOS adds no slash to a path that ends with a star, so the pattern must not require one after it.
            let mayFollowStar = index > 0 && segments[index - 1].mayEndWithStar
            if case .rest = segment, mayFollowStar {} else { pieces.append(.byte(UInt8(ascii: "/"))) }
            switch segment {
            case .literal(let literal): pieces += Glob.decoded(literal)
            case .parameter(let parameter): pieces += parameter.glob
            case .any: pieces += [.one, .many]
            case .rest: pieces.append(.many)
            case .mixed(let mixed):
                pieces += Glob.decoded(mixed.prefix)
                for piece in mixed.pieces { pieces += piece.parameter.glob + Glob.decoded(piece.literal) }
            }
        }
        if segments.last?.mayEndWithStar == true { pieces.append(.many) }
        // Two consecutive stars are equivalent to one.
        return Glob(
            pieces: pieces.enumerated().filter { $0 == 0 || $1 != .many || pieces[$0 - 1] != .many }.map(\.element)
        )
    }
}

extension RoutePattern.Segment {
    fileprivate var mayEndWithStar: Bool {
        func endsWithStar(_ text: some BidirectionalCollection<UInt8>) -> Bool { text.last == UInt8(ascii: "*") }
        func mayEnd(_ parameter: RoutePattern.Parameter) -> Bool {
            switch parameter.type {
            case .string: true
            case .oneOf(let values): values.contains { endsWithStar($0.utf8) }
            case .int, .number, .bool, .uuid, .slug, .alpha, .alnum, .hex, .date: false
            }
        }
        switch self {
        case .literal(let literal): return endsWithStar(literal)
        case .parameter(let parameter): return mayEnd(parameter)
        case .mixed(let mixed):
            guard let last = mixed.pieces.last else { return endsWithStar(mixed.prefix) }
            return last.literal.isEmpty ? mayEnd(last.parameter) : endsWithStar(last.literal)
        case .any, .rest: return true
        }
    }
}

extension RoutePattern.Parameter {
    /// A pattern for non-empty texts that matches at least every value of the type.
    fileprivate var glob: [Glob.Piece] {
        guard case .oneOf(let values) = type else { return [.one, .many] }
        return [.values(values.map { Glob.decoded($0.utf8) }, name: name)]
    }
}

extension QueryCondition {
    /// Returns the pattern that the item matches in iOS whenever the condition holds; nil if any value is possible. iOS
    /// treats an absent item, one without a value and an empty one alike, so *present* cannot be expressed.
    fileprivate func openingValue(_ plusSign: DeepLink.PlusSign) -> Glob? {
        // The URL may write a space in the name as a plus, and names have no wildcards.
        guard plusSign == .plus || !name.utf8.contains(UInt8(ascii: " ")) else { return nil }
        return switch test {
        case .present, .capture(_, .optional), .capture(_, .defaultsTo): nil
        case .absent: Glob(pieces: [])
        case .oneOf(let values): Glob(oneOf: values.texts, name: name, plusSign)
        case .capture(let parameter, .required): parameter.queryGlob(plusSign)
        }
    }
}

extension RoutePattern.Parameter {
    /// Returns a pattern that matches every value of the type; nil if a value may be empty.
    fileprivate func queryGlob(_ plusSign: DeepLink.PlusSign) -> Glob? {
        switch type {
        case .oneOf(let values): Glob(oneOf: values.texts, name: name, plusSign)
        case .string(let length) where (length?.lower ?? 0) <= 0: nil
        default: Glob(pieces: [.one, .many])
        }
    }
}

extension Glob {
    /// Returns the pieces of literal text that is compared decoded. A character that is special in a pattern, or only
    /// to some systems, becomes `?`, which matches any one character. A slash at an end or next to another slash
    /// becomes `*`, because it may be missing from the URL.
    fileprivate static func decoded(_ literal: some Collection<UInt8>, _ plusSign: DeepLink.PlusSign = .plus) -> [Piece]
    {
        let bytes = Array(literal)
        return bytes.indices.map { index in
            switch bytes[index] {
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "\\"): return .one
            case UInt8(ascii: " ") where plusSign == .space: return .one
            case UInt8(ascii: "/"):
                let isInside = index > 0 && index + 1 < bytes.count
                let isAlone = isInside && bytes[index - 1] != bytes[index] && bytes[index + 1] != bytes[index]
                return isAlone ? .byte(bytes[index]) : .many
            default: return .byte(bytes[index])
            }
        }
    }

    /// Creates a pattern for one of several values. Nil if one of several values is empty: Apple does not document
    /// whether a variable may have an empty value.
    fileprivate init?(oneOf values: [String], name: String, _ plusSign: DeepLink.PlusSign) {
        let globs = values.map { Self.decoded($0.utf8, plusSign) }
        guard globs.count != 1 else {
            self.init(pieces: globs[0])
            return
        }
        guard !globs.contains([]) else { return nil }
        self.init(pieces: [.values(globs, name: name)])
    }
}

// MARK: Excluding

extension AssociationRule {
    /// Creates a rule whose query and fragment match only links that the route matches; nil if no such rule can be
    /// written. The rule is compared with the URL as written.
    ///
    /// Its path may match more than the route's; the caller must check that.
    fileprivate init?(excluding route: Route) {
        self.init(path: route.path.encodedGlob)
        for condition in route.query {
            guard let value = condition.excludingValue, !query.contains(where: { $0.name == condition.name }) else {
                return nil
            }
            query.append(QueryItem(name: condition.name, value: value))
        }
        switch route.fragment {
        case nil: break
        case .equals(let text) where !text.isEmpty: fragment = Glob(pieces: Glob.encoded(text.utf8))
        case .equals, .pattern: return nil
        }
        isExcluded = true
        foldsCase = route.letterCase == .ignored
        // With case folding, a query or fragment would match more than the route does.
        guard !foldsCase || query.isEmpty && fragment == nil else { return nil }
        self.route = route.id
    }
}

extension RoutePattern {
    fileprivate var encodedGlob: Glob {
        guard !segments.isEmpty else { return Glob("/") }
        return Glob(
            pieces: segments.flatMap { segment -> [Glob.Piece] in
                switch segment {
                case .literal(let literal): [.byte(UInt8(ascii: "/"))] + Glob.encodedInPath(literal)
                case .parameter(let parameter): [.byte(UInt8(ascii: "/"))] + parameter.encodedGlob
                case .any: [.byte(UInt8(ascii: "/")), .one, .many]
                case .rest: [.byte(UInt8(ascii: "/")), .many]
                case .mixed(let mixed):
                    [.byte(UInt8(ascii: "/"))] + Glob.encodedInPath(mixed.prefix)
                        + mixed.pieces.flatMap { $0.parameter.encodedGlob + Glob.encodedInPath($0.literal) }
                }
            }
        )
    }
}

extension RoutePattern.Parameter {
    fileprivate var encodedGlob: [Glob.Piece] {
        guard case .oneOf(let values) = type else { return [.one, .many] }
        return [.values(values.map { Glob.encodedInPath($0.utf8) }, name: name)]
    }
}

extension QueryCondition {
    /// A pattern that the item matches in iOS only if the condition holds; nil if there is none.
    fileprivate var excludingValue: Glob? {
        switch test {
        case .present: Glob(pieces: [.one, .many])
        case .oneOf(let values) where !values.contains(""):
            values.count == 1
                ? Glob(pieces: Glob.encoded(values[0].utf8))
                : Glob(pieces: [.values(values.map { Glob.encoded($0.utf8) }, name: name)])
        case .oneOf, .absent, .capture: nil
        }
    }
}

extension Glob {
    /// Returns the pieces of literal text as a URL's path writes it. A character that is special in a pattern becomes
    /// `?`.
    fileprivate static func encodedInPath(_ literal: some Collection<UInt8>) -> [Piece] {
        literal.flatMap { byte -> [Piece] in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "$"): [.one]
            case _ where "!&'()+,;=:@".utf8.contains(byte): [.byte(byte)]
            default: encoded(CollectionOfOne(byte))
            }
        }
    }

    /// Returns the pieces of literal text, with every character escaped that must be escaped in some URL component.
    fileprivate static func encoded(_ literal: some Collection<UInt8>) -> [Piece] {
        let digits = Array("0123456789ABCDEF".utf8)
        let unreserved = ByteSet.letters.union(.digits).union(ByteSet("-._~"))
        return literal.flatMap { byte -> [Piece] in
            unreserved.contains(byte)
                ? [.byte(byte)]
                : [.byte(UInt8(ascii: "%")), .byte(digits[Int(byte >> 4)]), .byte(digits[Int(byte & 15)])]
        }
    }
}
