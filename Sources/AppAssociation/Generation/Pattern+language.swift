import LinkRouting

/// Which links a language must hold where a pattern cannot be written down exactly.
enum Bound {
    /// All that the pattern fits, perhaps more.
    case upper
    /// None but those that the pattern fits, perhaps fewer.
    case lower
}

extension Pattern {
    /// The paths of URLs, as they are written and with or without a slash at the end, that the pattern fits.
    ///
    /// Paths with an empty segment (`//`) are left out: iOS takes runs of slashes for one, so no rule can tell them apart.
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

    /// The paths of URLs, decoded, that the pattern fits, with or without the slash at the end. Decoded, a `/` that was
    /// written `%2F` cannot be told from one between segments: the lower bound holds only paths that fit either way.
    func decodedPathLanguage(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        let slash = Language.byte(ByteSet("/"))
        guard bound == .upper else { return decodedLowerBound(letterCase) }
        var parts: [Language] = []
        for segment in segments {
            switch segment {
            case .rest: parts.append(.optional(.sequence([slash, .repeated(.byte(.all))])))
            default: parts += [slash, segment.decodedLanguage(.upper, letterCase, .all)]
            }
        }
        return .sequence(parts + [.optional(slash)])
    }

    private func decodedLowerBound(_ letterCase: LetterCase) -> Language {
        let slash = Language.byte(ByteSet("/"))
        let inSegment = ByteSet.all.subtracting(ByteSet("/"))
        switch (segments.first, segments.count) {
        case (nil, _): return .optional(slash)
        case (.rest?, _): return .optional(.sequence([slash, .repeated(.byte(.all))]))
        case (let first?, 1): return .sequence([slash, first.decodedLanguage(.lower, letterCase, inSegment)])
        case (let first?, 2):
            guard case .rest? = segments.last else { return .nothing }
            return .sequence([slash, first.decodedLanguage(.lower, letterCase, inSegment)])
        default: return .nothing
        }
    }
}

extension Pattern.Segment {
    /// As a URL may write it.
    fileprivate func language(_ bound: Bound, _ letterCase: LetterCase) -> Language {
        language(bound, letterCase, any: .oneOrMore(.anySpelled)) { .spelled($0) }
    }

    /// Decoded, of bytes out of `bytes`.
    fileprivate func decodedLanguage(_ bound: Bound, _ letterCase: LetterCase, _ bytes: ByteSet) -> Language {
        language(bound, letterCase, any: .oneOrMore(.byte(bytes))) { .byte($0.intersection(bytes)) }
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
            // Parameters of a type take as little as they can, so that not every way to split a text counts.
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
