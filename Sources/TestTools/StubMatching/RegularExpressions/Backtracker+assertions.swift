extension Backtracker {
    /// Whether an assertion holds at a position.
    func holds(_ assertion: RegexAssertion, at position: Int) -> Bool {
        switch assertion {
        case .start: return position == 0
        case .end: return position == text.count
        case .searchStart: return position == searchStart
        case .endOrLastLineBreak:
            if position == text.count { return true }
            guard let end = lineBreakEnd(at: position), end == text.count else { return false }
            return !splitsLineBreak(position)
        case .endOrLastNewline:
            return position == text.count || (position == text.count - 1 && text[position] == 0x0A)
        case .lineStart:
            // Never at the end of the text, as in Java and Perl.
            guard position < text.count else { return false }
            return position == 0 || lineBreakEnd(at: start(before: position)) != nil && !splitsLineBreak(position)
        case .unixLineStart: return position < text.count && (position == 0 || text[position - 1] == 0x0A)
        case .lineEnd:
            return position == text.count || (lineBreakEnd(at: position) != nil && !splitsLineBreak(position))
        case .unixLineEnd: return position == text.count || text[position] == 0x0A
        case .wordBoundary: return isWordBoundary(position)
        case .noWordBoundary: return !isWordBoundary(position)
        }
    }

    /// The end of the line break at a position; nil if there is none. `\r\n` is one line break.
    private func lineBreakEnd(at position: Int) -> Int? {
        switch scalar(at: position) {
        case 0x0D: return position + 1 < text.count && text[position + 1] == 0x0A ? position + 2 : position + 1
        case 0x0A, 0x85, 0x2028, 0x2029: return position + length(at: position)
        default: return nil
        }
    }

    /// Whether the position is inside `\r\n`.
    private func splitsLineBreak(_ position: Int) -> Bool {
        position > 0 && position < text.count && text[position] == 0x0A && text[position - 1] == 0x0D
    }

    private func isWordBoundary(_ position: Int) -> Bool {
        let left = position > 0 && isWord(start(before: position))
        let right = position < text.count && isWord(position)
        return left != right
    }

    /// As in Java, a letter or digit of any script is part of a word here, although `\w` matches ASCII only.
    private func isWord(_ position: Int) -> Bool {
        let value = scalar(at: position)
        if value < 0x80 { return value.isASCIILetter || value.isASCIIDigit || value == 0x5F }
        guard let category = Unicode.Scalar(value)?.properties.generalCategory else { return false }
        if category == .nonspacingMark { return hasBase(position) }
        return category == .decimalNumber || ScalarProperty.letters.contains(category)
    }

    /// Whether a combining mark follows a letter or digit, with at most 16 marks between them.
    private func hasBase(_ position: Int) -> Bool {
        var base = position
        for _ in 0...16 {
            guard base > 0 else { return false }
            base = start(before: base)
            guard let category = Unicode.Scalar(scalar(at: base))?.properties.generalCategory else { return false }
            if category == .nonspacingMark { continue }
            return category == .decimalNumber || ScalarProperty.letters.contains(category)
        }
        return false
    }
}
