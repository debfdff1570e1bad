/// What can be said of a pattern by itself.
enum AndroidPatternAdvice {
    /// Whether a query stands in a path, such as `/x?id=1`.
    static func hasItem(_ path: String) -> Bool {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return path.utf8[mark...].contains(UInt8(ascii: "="))
    }

    /// The pattern without its escapes; nil where it has none.
    static func decoded(_ pattern: String) -> String? {
        let bytes = Array(pattern.utf8)
        guard let decoded = bytes.percentDecoded, decoded != bytes else { return nil }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// A text that the pattern seems to take and does not, because a star ends at the first place where what follows it
    /// stands. Nil where none of the obvious ones is such a text.
    static func textThatAStarMisses(_ pattern: String, _ part: AndroidDecision.Part.Kind) -> String? {
        // The work is the pattern's length times that of the text, which is about the same.
        guard pattern.utf8.count <= 1_024 else { return nil }
        let characters = Array(pattern.unicodeScalars)
        var tries = 0
        for (index, character) in characters.enumerated() where character == "*" && tries < 8 {
            guard let next = characters[index...].first(where: { $0 != "*" && $0 != "?" }) else { return nil }
            tries += 1
            let text = text(of: characters, star: index, before: next, part)
            var budget = StepBudget(steps: 1 << 16)
            let units = Array(text.utf16)
            guard (try? AndroidPattern(pattern).matches(units, &budget)) == false,
                (try? AndroidPattern(pattern).matchesBacktracking(units, &budget)) == true
            else { continue }
            return text
        }
        return nil
    }

    /// The pattern with the star in question replaced by the character that it ends at and another.
    private static func text(
        of characters: [Unicode.Scalar],
        star: Int,
        before next: Unicode.Scalar,
        _ part: AndroidDecision.Part.Kind
    ) -> String {
        var text = String.UnicodeScalarView()
        for (index, character) in characters.enumerated() {
            switch character {
            case "*" where index == star:
                if index == 0, part == .path, next != "/" { text.append("/") }
                text.append(next)
                text.append("x")
            case "*": continue
            case "?": text.append("x")
            default: text.append(character)
            }
        }
        return String(text)
    }
}
