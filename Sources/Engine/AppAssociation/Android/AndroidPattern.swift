/// A pattern of a dynamic rule. `?` is one character. `*` extends to the first occurrence of the character that follows
/// it in the pattern, and never tries a later one.
///
/// Source: Android's `PatternMatcher`, simple glob. The wildcards are assumed to become its `.*` and `.`, as in
/// `DalComponentParser`. The matcher does not recognise a wildcard right after a star: it looks for a dot, and for `*`
/// in place of a second star. A character is a Java character, a UTF-16 code unit. Matching takes one pass over the
/// text.
struct AndroidPattern {
    private let pieces: [Piece]

    private enum Piece: Equatable {
        case literal(UInt16)
        case one
        case many

        /// The character that the matcher looks for if this piece follows a star.
        var unitAfterStar: UInt16 {
            switch self {
            case .literal(let unit): unit
            case .one, .many: UInt16(ascii: ".")
            }
        }
    }

    /// Parses a pattern. `name` and `=` precede it as literal text, as in the query filter that Android makes of an
    /// item.
    init(_ text: String, item name: String? = nil) {
        var pieces: [Piece] = name.map { ($0 + "=").utf16.map(Piece.literal) } ?? []
        for unit in text.utf16 {
            switch unit {
            case UInt16(ascii: "*"): pieces.append(.many)
            case UInt16(ascii: "?"): pieces.append(.one)
            default: pieces.append(.literal(unit))
            }
        }
        self.pieces = pieces
    }

    /// Returns whether the pattern matches the whole text.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    func matches(_ text: [UInt16], _ budget: inout StepBudget) throws(StepBudget.Exhausted) -> Bool {
        try budget.spend(pieces.count + text.count)
        var position = text.startIndex
        var rest = pieces[...]
        while let piece = rest.popFirst() {
            switch piece {
            case .many:
                guard let next = rest.popFirst() else { return true }
                guard let found = text[position...].firstIndex(of: next.unitAfterStar) else { return false }
                position = found + 1
                guard next == .many else { continue }
                guard position < text.endIndex, text[position] == UInt16(ascii: "*") else { return false }
                position += 1
            case .one:
                guard position < text.endIndex else { return false }
                position += 1
            case .literal(let unit):
                guard position < text.endIndex, text[position] == unit else { return false }
                position += 1
            }
        }
        return position == text.endIndex
    }

    /// Returns whether the pattern would match the whole text if stars could backtrack.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    func matchesBacktracking(_ text: [UInt16], _ budget: inout StepBudget) throws(StepBudget.Exhausted) -> Bool {
        var position = 0
        var piece = 0
        var retry: (piece: Int, position: Int)?
        while position < text.count || piece < pieces.count {
            try budget.spend(1)
            if piece < pieces.count, pieces[piece] == .many {
                retry = (piece, position)
                piece += 1
            } else if piece < pieces.count, position < text.count, takes(pieces[piece], text[position]) {
                piece += 1
                position += 1
            } else if let last = retry, last.position < text.count {
                retry = (last.piece, last.position + 1)
                piece = last.piece + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return true
    }

    /// Returns whether the pattern matches the whole text in Android 15; nil if that version reads the pattern as later
    /// ones do.
    ///
    /// Source: `DalComponentParser` and the advanced glob of `PatternMatcher` in Android 15. A pattern with `?*` becomes
    /// an advanced glob, which does not backtrack: each character takes as much text as its modifier allows. `+` is a
    /// modifier too. A `+` without a character before it is an error, so that nothing matches.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    func matchesInAndroid15(
        _ text: [UInt16],
        _ budget: inout StepBudget
    ) throws(StepBudget.Exhausted) -> Bool? {
        guard zip(pieces, pieces.dropFirst()).contains(where: { $0 == .one && $1 == .many }) else { return nil }
        try budget.spend(pieces.count + text.count)
        var tokens: [(piece: Piece, minimum: Int, maximum: Int)] = []
        var previous: Piece?
        var takesModifier = false
        for piece in pieces {
            switch piece {
            case .many where previous == .one:
                tokens[tokens.count - 1].maximum = .max
                takesModifier = false
            case .many:
                tokens.append((.one, 0, .max))
                takesModifier = false
            case .literal(UInt16(ascii: "+")):
                guard takesModifier else { return false }
                tokens[tokens.count - 1].maximum = .max
                takesModifier = false
            case .one, .literal:
                tokens.append((piece, 1, 1))
                takesModifier = true
            }
            previous = piece
        }
        var position = 0
        for token in tokens {
            let start = position
            while position - start < token.maximum, position < text.count, takes(token.piece, text[position]) {
                position += 1
            }
            guard position - start >= token.minimum else { return false }
        }
        return position == text.count
    }

    private func takes(_ piece: Piece, _ unit: UInt16) -> Bool { piece == .one || piece == .literal(unit) }
}

extension UInt16 {
    fileprivate init(ascii: Unicode.Scalar) { self = UInt16(UInt8(ascii: ascii)) }
}
