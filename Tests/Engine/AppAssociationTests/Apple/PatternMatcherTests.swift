import LinkRouting
import Testing

@testable import AppAssociation

/// The simulator's matcher must agree with the languages used for analysis: both implement the same pattern format.
struct PatternMatcherTests {
    private static let variables = AppleAppSiteAssociation.SubstitutionVariables(
        .object(["v": .array([.string("a"), .string("ab*"), .string(""), .string("?c")]), "w": .array([.string("A")])])
    )
    private static let patternPieces = [
        "a", "b", "A", "/", "*", "?", "**", "%61", "%c3%a9", "é", "$(v)", "$(w)", "$(digit)", "$(upper)", "$(no)", "7",
        "//",
    ]
    private static let textPieces = ["a", "b", "A", "/", "%61", "%C3%A9", "7", "ab", "//", "c", "*"]

    private func glob(_ pattern: String) -> Glob { Glob(pattern) { Self.variables[$0] } }

    private func contains(_ language: Language, _ text: [UInt8]) -> Bool? {
        Language.text(text).isCovered(by: [language], within: .repeated(.byte(.all)))
    }

    @Test(arguments: 0..<20)
    func matcherAndLanguageAgreeOnAnyText(_ seed: UInt64) throws {
        var chance = Chance(seed)
        for _ in 0..<150 {
            let pattern = (0...chance.below(6)).map { _ in chance.one(of: Self.patternPieces) }.joined()
            let text = Array((0..<chance.below(7)).map { _ in chance.one(of: Self.textPieces) }.joined().utf8)
            for foldsCase in [false, true] {
                let language = glob(pattern).language(Glob.Reading(foldsCase: foldsCase, comparesEncoded: true))
                var budget = StepBudget.decision
                let matches = try PatternMatcher.matches(
                    pattern,
                    PatternText(text, foldsCase: foldsCase),
                    PatternVariables(custom: Self.variables),
                    &budget
                )
                let comment = Comment(rawValue: "\(pattern) \(String(decoding: text, as: UTF8.self)) \(foldsCase)")
                #expect(contains(language, text) == matches, comment)
            }
        }
    }

    @Test(arguments: 0..<20)
    func simulatorAndLanguageAgreeOnAnyPath(_ seed: UInt64) throws {
        var chance = Chance(seed)
        for _ in 0..<150 {
            let pattern =
                (chance.below(2) == 0 ? "/" : "")
                + (0...chance.below(6)).map { _ in chance.one(of: Self.patternPieces) }.joined()
            let path = "/" + (0..<chance.below(7)).map { _ in chance.one(of: Self.textPieces) }.joined()
            let isEncoded = chance.below(2) == 0
            let isFolded = chance.below(2) == 0
            let file = AppleAppSiteAssociation(
                root: .object([
                    "applinks": .object([
                        "substitutionVariables": .object([
                            "v": .array(try #require(Self.variables["v"]).map { .string($0) }),
                            "w": .array([.string("A")]),
                        ]),
                        "details": .array([
                            .object([
                                "appID": .string("A.b"),
                                "components": .array([
                                    .object([
                                        "/": .string(pattern), "percentEncoded": .bool(isEncoded),
                                        "caseSensitive": .bool(!isFolded),
                                    ])
                                ]),
                            ])
                        ]),
                    ])
                ])
            )
            let language = glob(pattern).pathLanguage(
                Glob.Reading(foldsCase: isFolded, comparesEncoded: isEncoded)
            )
            let matches = file.decision(for: "https://e.com" + path).outcome == .match
            let comment = Comment(rawValue: "\(pattern) \(path) encoded: \(isEncoded) folded: \(isFolded)")
            #expect(contains(language, DevicePath.normalised(path.utf8)) == matches, comment)
        }
    }

    /// `?` matches one character of the decoded text, whatever its length in bytes, and never part of one.
    @Test(arguments: [
        ("?", "é", true), ("??", "é", false), ("?", "🎟", true), ("?*", "🎟", true), ("*?", "🎟", true),
        ("*??", "🎟", false),
        ("?*?", "🎟", false), ("?*?", "🎟é", true), ("*é", "aé", true), ("?é", "🎟é", true), ("*?*?*", "éa", true),
        ("*?*?*?*", "éa", false), ("🎟", "🎟", true), ("é", "e\u{301}", false), ("??", "e\u{301}", true), ("", "", true),
        ("*", "", true), ("?", "", false), ("", "a", false), ("$(v)", "", true), ("$(v)$(v)", "aXc", true),
        ("\0", "\0", true), ("$(", "$(", false), ("$", "$", true), ("(", "(", true), ("$)", "$)", true),
        ("$$(digit)", "$7", true),
    ])
    func questionMarkTakesOneCharacter(_ pattern: String, _ text: String, _ expected: Bool) throws {
        var budget = StepBudget.decision
        let matches = try PatternMatcher.matches(
            pattern,
            PatternText(Array(text.utf8), foldsCase: false),
            PatternVariables(custom: Self.variables),
            &budget
        )
        #expect(matches == expected)
    }

    /// Lengths at the word boundaries of the matcher's bit rows.
    @Test(arguments: [0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 200])
    func textsOfAnyLengthMatch(_ count: Int) throws {
        let text = PatternText(Array(repeating: UInt8(ascii: "a"), count: count), foldsCase: false)
        let variables = PatternVariables(custom: Self.variables)
        func matches(_ pattern: String) throws -> Bool {
            var budget = StepBudget.decision
            return try PatternMatcher.matches(pattern, text, variables, &budget)
        }
        #expect(try matches(String(repeating: "a", count: count)))
        #expect(try matches(String(repeating: "?", count: count)))
        #expect(try matches(String(repeating: "*a", count: count)))
        #expect(try matches(String(repeating: "?", count: count) + "*"))
        #expect(try !matches(String(repeating: "a", count: count + 1)))
        #expect(try !matches(String(repeating: "?", count: count + 1) + "*"))
        #expect(try !matches("*b"))
        #expect(try matches("*a") == (count > 0))
    }
}
