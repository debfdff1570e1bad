import Testing

@testable import AppAssociation

/// Globs of dynamic rules, with the semantics of Android's `PatternMatcher`.
struct AndroidPatternTests {
    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/a/", false), ("/a/", "/a", false), ("/a", "/A", false), ("", "", true),
        ("*", "", true), ("*", "/a/b", true), ("/a*", "/a", true), ("/a*", "/ab/c", true), ("/a/*", "/a", false),
        ("?", "a", true), ("?", "", false), ("?", "ab", false), ("?*", "", false), ("?*", "a", true),
        ("?*", "abc", true),
        ("/?/x", "/a/x", true),
        // After '*', the platform's matcher looks for a dot instead of another wildcard.
        ("*?", "", false), ("*?", "abc", false), ("*?", "ab.", true), ("/*?x", "/a.x", true), ("**", "ab", false),
        ("**", "ab.*", true),
        // '*' stops at the first occurrence of the next character.
        ("*/terms/*", "/nl/terms/x", false), ("*/terms/*", "/terms/x", true), ("*/terms/*", "nl/terms/x", true),
        ("*.html", "/a.html", true), ("*.html", "/a.b.html", false), ("*b", "ab", true), ("*b", "abb", false),
        ("*ab", "aab", false), ("/*/x", "/a/x", true), ("/*/x", "/a/b/x", false), ("/a*c", "/abc", true),
        ("*a*b", "xaxb", true), ("a.b", "axb", false), ("a+(b)[c]\\", "a+(b)[c]\\", true),
    ])
    func aStarStopsAtTheFirstPlace(_ pattern: String, _ text: String, _ matches: Bool) throws {
        var budget = StepBudget.decision
        #expect(try AndroidPattern(pattern).matches(Array(text.utf16), &budget) == matches)
    }

    @Test(arguments: [
        ("*/terms/*", "/nl/terms/x", true), ("*ab", "aab", true), ("/*/x", "/a/b/x", true), ("*b", "abc", false),
        ("*a*a*b", "aaaa", false), ("a", "", false), ("", "a", false), ("*", "", true),
    ])
    func aMatcherThatBacktracksFindsMore(_ pattern: String, _ text: String, _ matches: Bool) throws {
        var budget = StepBudget.decision
        #expect(try AndroidPattern(pattern).matchesBacktracking(Array(text.utf16), &budget) == matches)
    }

    /// Android 15 reads a pattern with `?*` as a greedy one. The second result is that of later versions.
    @Test(
        arguments: [
            ("/a/?*", "/a/x", true, true), ("/a/?*", "/a/", false, false), ("/a/?*", "/a/x/b", true, true),
            ("/a?b/?*", "/a+b/x", true, true),
            // A wildcard before other text takes that text too.
            ("/a/?*/b", "/a/x/b", false, true), ("/a/*/b/?*", "/a/x/b/c", false, true), ("?*b", "ab", false, true),
            ("*?*", "ab.c", false, true), ("?**", "ab.*", true, true), ("?**", "ab", true, false),
            // '+' repeats the character before it. Without one, the pattern is invalid.
            ("/a+b/?*", "/a+b/x", false, true), ("/a+b/?*", "/aab/x", true, false), ("?+?*", "abc", false, false),
            ("+?*", "+a", false, true), ("a++?*", "a++b", false, true), ("*+?*", "a+b", false, true),
            // Without '?*', all versions agree.
            ("/a/*/b", "/a/x/b", nil, true), ("/a+b", "/a+b", nil, true), ("*?", "ab.", nil, true),
        ] as [(String, String, Bool?, Bool)]
    )
    func wildcardsOfAndroid15AreGreedy(_ pattern: String, _ text: String, _ greedy: Bool?, _ simple: Bool) throws {
        var budget = StepBudget.decision
        #expect(try AndroidPattern(pattern).matchesInAndroid15(Array(text.utf16), &budget) == greedy)
        #expect(try AndroidPattern(pattern).matches(Array(text.utf16), &budget) == simple)
    }

    @Test func questionMarkMatchesOneUTF16Unit() throws {
        var budget = StepBudget.decision
        #expect(try AndroidPattern("?").matches(Array("é".utf16), &budget))
        #expect(try !AndroidPattern("?").matches(Array("\u{1F600}".utf16), &budget))
        #expect(try AndroidPattern("??").matches(Array("\u{1F600}".utf16), &budget))
    }

    @Test func anItemIsItsNameAndItsPattern() throws {
        var budget = StepBudget.decision
        #expect(try AndroidPattern("*", item: "d?l").matches(Array("d?l=".utf16), &budget))
        #expect(try !AndroidPattern("*", item: "d?l").matches(Array("dxl=".utf16), &budget))
        #expect(try !AndroidPattern("*", item: "dl").matches(Array("dl".utf16), &budget))
    }

    @Test func aPatternOf8KiBNeedsOneStepForEachCharacter() throws {
        let text = Array(repeating: UInt16(97), count: 8_192)
        let pattern = String(repeating: "*a", count: 4_095) + "*b"
        var budget = StepBudget(steps: 2 * 8_192)
        #expect(try !AndroidPattern(pattern).matches(text, &budget))
        #expect(throws: StepBudget.Exhausted.self) { try AndroidPattern(pattern).matches(text, &budget) }
    }

    @Test func lookingForWhatBacktrackingWouldFindIsBounded() throws {
        let text = Array(repeating: UInt16(97), count: 8_192)
        let pattern = "*" + String(repeating: "a", count: 4_000) + "b"
        var budget = StepBudget(steps: 1 << 20)
        #expect(throws: StepBudget.Exhausted.self) { try AndroidPattern(pattern).matchesBacktracking(text, &budget) }
    }
}
