import LinkRouting

/// Checks of a single pattern.
enum AndroidPatternAdvice {
    /// Returns whether a path contains a query, such as `/x?id=1`.
    static func hasItem(_ path: String) -> Bool {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return path.utf8[mark...].contains(UInt8(ascii: "="))
    }

    /// Returns whether `*` or `?` follows a `*`.
    static func hasWildcardAfterStar(_ pattern: String) -> Bool {
        zip(pattern.utf8, pattern.utf8.dropFirst()).contains { $0 == UInt8(ascii: "*") && "*?".utf8.contains($1) }
    }

    /// Returns whether a path is written in the syntax of a router or as a regular expression.
    static func isForeignSyntax(_ path: String) -> Bool {
        let segments = path.split(separator: "/")
        let isNamed = segments.contains { segment in
            segment.utf8.first == UInt8(ascii: ":")
                && segment.utf8.dropFirst().first.map(ByteSet.letters.contains) == true
                || segment.utf8.first == UInt8(ascii: "{") && segment.utf8.last == UInt8(ascii: "}")
        }
        // A star is the format's own, also behind a dot.
        let isForeign = segments.contains { segment in
            segment.utf8.first != UInt8(ascii: "*")
                && ForeignSegment(ForeignSegment.withoutStars(segment))?.isCertain == true
        }
        return isNamed || isForeign || segments.contains(".*")
            || [".+", "[^", "[0-9", "[a-z", "[A-Z", "\\d", "\\w"].contains(where: path.containsBytes)
    }

    /// Returns the percent-decoded pattern; nil if the pattern has no escapes or does not decode to UTF-8.
    static func decoded(_ pattern: String) -> String? {
        let bytes = Array(pattern.utf8)
        guard let decoded = bytes.percentDecoded, decoded != bytes else { return nil }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Returns a text that the pattern seems to match but does not, because a star stops at the first occurrence of the
    /// character after it. Nil if none of the obvious candidates is such a text.
    static func textThatAStarMisses(_ pattern: String, _ part: AndroidDecision.Part.Kind) -> String? {
        // The cost is the length of the pattern times the length of the text, which is about the same.
        guard pattern.utf8.count <= 1_024 else { return nil }
        let characters = Array(pattern.unicodeScalars)
        var tries = 0
        for (index, character) in characters.enumerated() where character == "*" && tries < 8 {
            guard let next = characters[index...].first(where: { $0 != "*" && $0 != "?" }) else { return nil }
            tries += 1
            guard !hasWildcardAfterStar(pattern) else { return nil }
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

    /// A text, and the verdict of Android 15 on it.
    struct Android15Verdict {
        let text: String
        let matches: Bool
    }

    /// Returns a text on which Android 15 decides the other way than later versions. Nil if none of the obvious
    /// candidates is such a text.
    ///
    /// - Parameter name: The name of the query item; nil for a path or a fragment.
    static func verdictOfAndroid15(
        _ pattern: String,
        _ part: AndroidDecision.Part.Kind,
        item name: String?
    ) -> Android15Verdict? {
        guard pattern.utf8.count <= 1_024, !hasWildcardAfterStar(pattern) else { return nil }
        let compared = AndroidPattern(pattern, item: name)
        let start = name.map { "\($0)=" } ?? ""
        let shortest = start + shortestText(of: pattern, part)
        // A plus repeats the character before it, so Android 15 does not expect the plus itself.
        for text in [shortest, shortest.filter { $0 != "+" }] {
            let units = Array(text.utf16)
            var budget = StepBudget(steps: 1 << 16)
            guard let matches = try? compared.matches(units, &budget),
                let matchesInAndroid15 = try? compared.matchesInAndroid15(units, &budget)
            else { return nil }
            if matches != matchesInAndroid15 { return Android15Verdict(text: text, matches: matchesInAndroid15) }
        }
        return nil
    }

    /// Returns the pattern with one character for each `?`, and none for each star.
    private static func shortestText(of pattern: String, _ part: AndroidDecision.Part.Kind) -> String {
        let text = pattern.filter { $0 != "*" }.map { $0 == "?" ? "x" : $0 }
        return (part == .path && pattern.hasPrefix("*") && text.first != "/" ? "/" : "") + String(text)
    }

    /// Returns the pattern with one star replaced by the character at which it stops and another character.
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
