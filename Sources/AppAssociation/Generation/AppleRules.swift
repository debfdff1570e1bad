import LinkRouting

/// How iOS and macOS read rules: a path with one slash at both ends, opening rules decoded, exclusions as written.
enum AppleRules: RuleDialect {
    static let everything = AssociationRule(path: Glob("/*"))
    static let allPaths = Glob.allPaths

    static func openings(of route: Route, _ plusSign: Link.PlusSign) -> [AssociationRule] {
        [AssociationRule(opening: route, plusSign)]
    }

    static func exclusions(of route: Route) -> [AssociationRule] {
        AssociationRule(excluding: route).map { [$0] } ?? []
    }

    /// The table decodes before it compares; an exclusion stays as narrow as it is written.
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
            for item in rule.query { writer.member(item.name, variables.text(of: item.value)) }
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
    /// A rule that takes every link that the route fits.
    fileprivate init(opening route: Route, _ plusSign: Link.PlusSign) {
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
                // A slash at its end does not matter to the route, but in a fragment it does to iOS.
                Glob(pieces: pattern.glob(route.letterCase).pieces + [.many])
            }
        }
        foldsCase = route.letterCase == .ignored
        self.route = route.id
    }
}

extension Pattern {
    /// The pattern for URLs that are decoded before they are compared: `?*` for a parameter, `*` for the rest, a variable for
    /// a set.
    fileprivate func glob(_ letterCase: LetterCase) -> Glob {
        guard !segments.isEmpty else { return Glob("/") }
        var pieces: [Glob.Piece] = []
        for (index, segment) in segments.enumerated() {
            // iOS adds no slash to a path that ends with a star, so a pattern must not ask for one behind it.
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
        // Two stars say no more than one.
        return Glob(
            pieces: pieces.enumerated().filter { $0 == 0 || $1 != .many || pieces[$0 - 1] != .many }.map(\.element)
        )
    }
}

extension Pattern.Segment {
    fileprivate var mayEndWithStar: Bool {
        func endsWithStar(_ text: some BidirectionalCollection<UInt8>) -> Bool { text.last == UInt8(ascii: "*") }
        func mayEnd(_ parameter: Pattern.Parameter) -> Bool {
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

extension Pattern.Parameter {
    /// Not empty, and at least every value of the type.
    fileprivate var glob: [Glob.Piece] {
        guard case .oneOf(let values) = type else { return [.one, .many] }
        return [.values(values.map { Glob.decoded($0.utf8) }, name: name)]
    }
}

extension QueryCondition {
    /// What iOS must find for the item where the condition holds; nil where it may find anything. iOS takes an absent item,
    /// one without a value and an empty one for the same, so *present* cannot be said.
    fileprivate func openingValue(_ plusSign: Link.PlusSign) -> Glob? {
        // In the table's reading the name may be written with a plus; names have no wildcards.
        guard plusSign == .plus || !name.utf8.contains(UInt8(ascii: " ")) else { return nil }
        return switch test {
        case .present, .capture(_, .optional), .capture(_, .defaultsTo): nil
        case .absent: Glob(pieces: [])
        case .oneOf(let values): Glob(oneOf: values, name: name, plusSign)
        case .capture(let parameter, .required): parameter.queryGlob(plusSign)
        }
    }
}

extension Pattern.Parameter {
    /// What every value of the type matches; nil when an empty text is one.
    fileprivate func queryGlob(_ plusSign: Link.PlusSign) -> Glob? {
        switch type {
        case .oneOf(let values): Glob(oneOf: values, name: name, plusSign)
        case .string(let length) where (length?.lower ?? 0) <= 0: nil
        default: Glob(pieces: [.one, .many])
        }
    }
}

extension Glob {
    /// Literal text that is compared decoded. What is special in a pattern, or only to some systems, is written `?`, which
    /// takes any one character; a slash at an end or beside another one may be gone from the URL, so it is `*`.
    fileprivate static func decoded(_ literal: some Collection<UInt8>, _ plusSign: Link.PlusSign = .plus) -> [Piece] {
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

    /// Nil for an empty value among others: whether a variable may have one is not documented.
    fileprivate init?(oneOf values: [String], name: String, _ plusSign: Link.PlusSign) {
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
    /// A rule that takes no link but those which the route fits, as far as query and fragment go; nil where none can be
    /// written. It is compared with the URL as it is written.
    ///
    /// Its path may take more than the route's: that is for the caller to judge.
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
        // Folded, a query or fragment would take more than the route does.
        guard !foldsCase || query.isEmpty && fragment == nil else { return nil }
        self.route = route.id
    }
}

extension Pattern {
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

extension Pattern.Parameter {
    fileprivate var encodedGlob: [Glob.Piece] {
        guard case .oneOf(let values) = type else { return [.one, .many] }
        return [.values(values.map { Glob.encodedInPath($0.utf8) }, name: name)]
    }
}

extension QueryCondition {
    /// What iOS may find for the item only where the condition holds; nil where nothing says so.
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
    /// Literal text as a URL's path writes it; a character that is special in a pattern is `?`.
    fileprivate static func encodedInPath(_ literal: some Collection<UInt8>) -> [Piece] {
        literal.flatMap { byte -> [Piece] in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "$"): [.one]
            case _ where "!&'()+,;=:@".utf8.contains(byte): [.byte(byte)]
            default: encoded(CollectionOfOne(byte))
            }
        }
    }

    /// Literal text with everything escaped that has to be in some part of a URL.
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
