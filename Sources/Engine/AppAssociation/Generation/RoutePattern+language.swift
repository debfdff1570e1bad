import LinkRouting

/// The approximation of a pattern that a language cannot express exactly.
enum Bound {
    /// The language has every link that the pattern matches, and possibly more.
    case upper
    /// The language has only links that the pattern matches, and possibly fewer.
    case lower
}

extension RoutePattern {
    /// Returns the language of the URL paths, as written and with or without a trailing slash, that the pattern
    /// matches.
    ///
    /// Paths with an empty segment (`//`) are left out: iOS reads a run of slashes as one slash, so no rule can
    /// distinguish them.
    func pathLanguage(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        let slash = Language.byte(ByteSet("/"))
        let rest = Language.sequence([slash, .oneOrMore(.anySpelled)])
        var parts: [Language] = []
        for segment in segments {
            switch segment {
            case .rest where parts.isEmpty: return .either([slash, .sequence([.oneOrMore(rest), .optional(slash)])])
            case .rest: parts.append(.repeated(rest))
            default: parts += [slash, segment.language(bound, letterCase)]
            }
        }
        return parts.isEmpty ? slash : .sequence(parts + [.optional(slash)])
    }

    /// Returns the language of the decoded URL paths that the pattern matches, with or without a trailing slash.
    ///
    /// Paths with an encoded slash (`%2F`) are left out: in a decoded path, it is indistinguishable from a separator.
    /// So are paths with an empty segment.
    func decodedPathLanguage(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        let slash = Language.byte(ByteSet("/"))
        let rest = Language.sequence([slash, .decodedSegment])
        var parts: [Language] = []
        for segment in segments {
            switch segment {
            case .rest where parts.isEmpty: return Language.decodedPaths
            case .rest: parts.append(.repeated(rest))
            default: parts += [slash, segment.decodedLanguage(bound, letterCase)]
            }
        }
        return parts.isEmpty ? .optional(slash) : .sequence(parts + [.optional(slash)])
    }
}

extension Language {
    /// A decoded segment of a path.
    fileprivate static let decodedSegment = Language.oneOrMore(.byte(.decodedInSegment))

    /// The decoded form of every URL path without encoded slashes and without empty segments.
    static let decodedPaths: Language = {
        let slash = Language.byte(ByteSet("/"))
        let segments = Language.sequence([decodedSegment, .repeated(.sequence([slash, decodedSegment]))])
        return .optional(.sequence([slash, .optional(.sequence([segments, .optional(slash)]))]))
    }()
}

extension ByteSet {
    fileprivate static let decodedInSegment = ByteSet.all.subtracting(ByteSet("/"))
}

extension RoutePattern.Segment {
    /// Returns the language of the segment as a URL may write it.
    fileprivate func language(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        language(bound, letterCase, any: .oneOrMore(.anySpelled)) { .spelled($0) }
    }

    /// Returns the language of the decoded segment.
    fileprivate func decodedLanguage(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        language(bound, letterCase, any: .decodedSegment) { .byte($0.intersection(.decodedInSegment)) }
    }

    private func language(
        _ bound: Bound,
        _ letterCase: LetterCase,
        any: Language,
        spell: (ByteSet) -> Language
    ) -> Language {
        func literal(_ bytes: some Sequence<UInt8>) -> Language {
            .sequence(
                bytes.map { byte in
                    let set = ByteSet(CollectionOfOne(byte))
                    return spell(letterCase == .ignored ? set.foldingCase : set)
                }
            )
        }
        func parameter(_ type: ParameterType) -> Language {
            switch (type, bound) {
            case (.string(nil), _): any
            case (.oneOf(let values), _): .either(values.map { literal($0.utf8) })
            case (.bool, _): .either(["true", "false"].map { spelledExactly($0, spell) })
            case (.alpha(nil), _): .oneOrMore(spell(.letters))
            case (.alnum(nil), _): .oneOrMore(spell(.letters.union(.digits)))
            case (.hex(nil), _): .oneOrMore(spell(.hexDigits))
            case (_, .lower): .nothing
            case (.string, .upper): any
            case (.alpha, .upper): .oneOrMore(spell(.letters))
            case (.alnum, .upper): .oneOrMore(spell(.letters.union(.digits)))
            case (.hex, .upper): .oneOrMore(spell(.hexDigits))
            case (.int, .upper): .oneOrMore(spell(.digits.union(ByteSet("-"))))
            case (.number, .upper): .oneOrMore(spell(.digits.union(ByteSet("-."))))
            case (.uuid, .upper): .oneOrMore(spell(.hexDigits.union(ByteSet("-"))))
            case (.slug, .upper): .oneOrMore(spell(.lower.union(.digits).union(ByteSet("-"))))
            case (.date, .upper): .oneOrMore(spell(.digits.union(ByteSet("-"))))
            }
        }
        switch self {
        case .literal(let bytes): return literal(bytes)
        case .any, .rest: return any
        case .parameter(let named): return parameter(named.type)
        case .mixed(let mixed):
            // A typed parameter matches as little text as possible, so not every split of a text is valid.
            let isPlain = mixed.pieces.allSatisfy { $0.parameter.type == .plain }
            guard bound == .upper || isPlain else { return .nothing }
            return .sequence(
                [literal(mixed.prefix)] + mixed.pieces.flatMap { [parameter($0.parameter.type), literal($0.literal)] }
            )
        }
    }

    private func spelledExactly(_ text: String, _ spell: (ByteSet) -> Language) -> Language {
        .sequence(text.utf8.map { spell(ByteSet(CollectionOfOne($0))) })
    }
}
