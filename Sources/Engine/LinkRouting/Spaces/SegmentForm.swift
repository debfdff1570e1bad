/// A segment of a route's path with its letter case, as a set of texts for analysis.
///
/// All results are proved, not sampled. `takesAll` may be false where the relation holds, but is never true where it
/// does not. It is exact for literals, listed values, booleans, small ranges, and for types among each other. For two
/// segments that mix literals and parameters, it covers the usual shapes.
struct SegmentForm: Hashable {
    let segment: RoutePattern.Segment
    let letterCase: LetterCase

    /// Maximum number of texts to list. A segment with more counts as infinite.
    private static let mostTexts = 256
    /// Maximum number of letters in a case-insensitive literal whose spellings are all listed.
    private static let mostFoldedLetters = 6

    func accepts(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty else { return false }
        return switch segment {
        case .literal(let literal): areEqual(text[...], literal, letterCase)
        case .parameter(let parameter): parameter.type.accepts(text[...], letterCase)
        case .mixed(let mixed): mixed.accepts(text[...], letterCase)
        case .any, .rest: true
        }
    }

    /// All texts of the segment that a link can contain; nil when there are too many.
    var texts: [[UInt8]]? { listed?.filter(canStandInLink) }

    private var listed: [[UInt8]]? {
        switch segment {
        case .literal(let literal): spellings(of: literal)
        case .parameter(let parameter): texts(of: parameter.type)
        case .any, .rest: nil
        case .mixed(let mixed):
            mixed.pieces.reduce(spellings(of: mixed.prefix)) { beginnings, piece in
                guard let beginnings, let values = texts(of: piece.parameter.type),
                    let ends = spellings(of: piece.literal),
                    beginnings.count * values.count * ends.count <= Self.mostTexts
                else { return nil }
                return beginnings.flatMap { beginning in
                    values.flatMap { value in ends.map { beginning + value + $0 } }
                }
            }
        }
    }

    private func texts(of type: ParameterType) -> [[UInt8]]? {
        switch type {
        case .bool: return [Array("true".utf8), Array("false".utf8)]
        case .oneOf(let values):
            var texts: [[UInt8]] = []
            for value in values {
                guard let spellings = spellings(of: Array(value.utf8)),
                    texts.count + spellings.count <= Self.mostTexts
                else { return nil }
                texts += spellings
            }
            return texts
        case .int(let range?):
            guard let lower = range.lower, let upper = range.upper, lower <= upper else { return nil }
            let (distance, overflows) = upper.subtractingReportingOverflow(lower)
            guard !overflows, distance < Self.mostTexts else { return nil }
            return (lower...upper).map { Array(String($0).utf8) }
        default: return nil
        }
    }

    /// Returns the literal in every accepted spelling; nil when there are too many.
    private func spellings(of literal: [UInt8]) -> [[UInt8]]? {
        guard letterCase == .ignored else { return [literal] }
        guard literal.count(where: isLetter) <= Self.mostFoldedLetters else { return nil }
        return literal.reduce([[]]) { beginnings, byte in
            let forms = isLetter(byte) ? [byte | 0x20, byte & ~0x20] : [byte]
            return beginnings.flatMap { beginning in forms.map { beginning + [$0] } }
        }
    }

    /// Whether every text of the other segment is proved to match this one.
    func takesAll(of other: SegmentForm) -> Bool {
        if isEverything || self == other { return true }
        if let texts = other.texts { return texts.allSatisfy(accepts) }
        switch (segment, other.segment) {
        case (_, .literal(let literal)):
            return ignoresCase && accepts(literal)
        case (_, .parameter(let parameter)) where parameter.type.listedValues != nil:
            return ignoresCase && parameter.type.listedValues?.allSatisfy { accepts(Array($0.utf8)) } == true
        case (.parameter(let parameter), .parameter(let part)):
            return parameter.type.takesAll(of: part.type, shortest: 1)
        case (.parameter(let parameter), .mixed(let mixed)):
            guard case .string(let length) = parameter.type else { return false }
            let shortest = mixed.literalByteCount + mixed.pieces.count
            return length?.upper == nil && shortest >= length?.lower ?? 0
        case (.mixed(let mixed), .mixed(let part)):
            return takesAll(of: part, in: other.letterCase, mixed)
        default:
            return false
        }
    }

    private func takesAll(of part: RoutePattern.Mixed, in partCase: LetterCase, _ mixed: RoutePattern.Mixed) -> Bool {
        guard letterCase == .ignored || partCase == .sensitive else { return false }
        if mixed.pieces.allSatisfy({ $0.parameter.type == .plain }) {
            // A byte that is in no literal represents any text that a parameter of the part captures. If a plain
            // parameter matches this byte, it matches any text in its place.
            let stranger: [UInt8] = [0xFF]
            return accepts(part.prefix + part.pieces.flatMap { stranger + $0.literal })
        }
        return mixed.pieces.count == part.pieces.count && areEqual(mixed.prefix[...], part.prefix, letterCase)
            && zip(mixed.pieces, part.pieces).allSatisfy { piece, other in
                areEqual(piece.literal[...], other.literal, letterCase)
                    && SegmentForm(segment: .parameter(piece.parameter), letterCase: letterCase)
                        .takesAll(of: SegmentForm(segment: .parameter(other.parameter), letterCase: partCase))
            }
    }

    private var isEverything: Bool {
        switch segment {
        case .any, .rest: true
        case .parameter(let parameter): parameter.type == .plain
        case .literal, .mixed: false
        }
    }

    /// Whether the letter case of a text never changes whether it is accepted.
    var ignoresCase: Bool {
        switch segment {
        case .literal: letterCase == .ignored
        case .parameter(let parameter): parameter.type.ignoresCase(letterCase)
        case .mixed(let mixed):
            letterCase == .ignored && mixed.pieces.allSatisfy { $0.parameter.type.ignoresCase(letterCase) }
        case .any, .rest: true
        }
    }
}

/// Whether a link can have the text as a segment; otherwise the link is rejected. See "Links" in docs/routing.md.
private func canStandInLink(_ text: [UInt8]) -> Bool {
    guard text.contains(UInt8(ascii: ".")) else { return !text.isEmpty && text.allSatisfy(isPrintable) }
    return text.allSatisfy(isPrintable)
        && !text.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }).contains { piece in
            piece.elementsEqual(".".utf8) || piece.elementsEqual("..".utf8)
        }
}

private func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }
