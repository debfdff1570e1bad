import LinkRouting
import Testing

@testable import AppAssociation

struct LanguageTests {
    /// A rule, earlier rules, and whether they cover it. iOS compares paths with one slash at both ends.
    @Test(
        arguments: [
            ("/a", ["/*"], true), ("/a", ["*"], true), ("*", ["/a"], false), ("/a/b", ["/a/*"], true),
            ("/a", ["/a/*"], true), ("/a/*", ["/a"], false), ("/ab", ["/a/*"], false), ("/ab", ["/a*"], true),
            ("/a/?*/c", ["/a/*"], true), ("/a/*", ["/a", "/a/?*"], true), ("/a/*", ["/a/?*"], false),
            ("/a/?*", ["/a/b*", "/a/c*"], false), ("a", ["/a/"], true), ("/a//b", ["/a/b"], true),
            ("/$(digit)", ["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"], true),
            ("/$(digit)", ["/$(xdigit)"], true), ("/$(alpha)", ["/$(xdigit)"], false),
            ("/$(tab)", ["/list", "/detail"], true), ("/list", ["/$(tab)"], true), ("/$(tab)", ["/list"], false),
            ("/$(nothing)", [], true), ("/x$(", [], true), ("/?", ["/?*"], true),
            ("/?*", ["/?", "/??", "/???*"], false), ("/x?*", ["/x*"], true),
            ("/*b*", ["/*a*"], false), ("/*a*b*", ["/*a*"], true), ("/x", [], false),
        ] as [(String, [String], Bool)]
    )
    func rulesCoverARule(_ rule: String, _ earlier: [String], _ expected: Bool) {
        let variables = ["tab": ["list", "detail"]]
        func language(_ text: String) -> Language { Glob(text) { variables[$0] }.pathLanguage() }

        #expect(language(rule).isCovered(by: earlier.map(language), within: Glob.allPaths) == expected)
    }

    @Test(
        arguments: [
            // A decoded comparison matches every spelling; an encoded comparison matches one.
            ("/a", false, "/a", true, true), ("/a", true, "/a", false, false),
            ("/a%20b", false, "/a b", true, true), ("/café", true, "/caf%C3%A9", false, false),
            ("/caf%C3%A9", false, "/café", true, true), ("/caf%c3%a9", false, "/café", true, true),
            ("/a%2Fb", false, "/a/b", true, true), ("/caf%C3%A9", false, "/caf?", true, true),
            ("/%2E", false, "/?", true, true), ("/%F0%9F%8D%8E", false, "/?", true, true),
            ("/%C3", false, "/?", true, false),
        ] as [(String, Bool, String, Bool, Bool)]
    )
    func decodedComparisonTakesEverySpelling(
        _ rule: String,
        _ isDecoded: Bool,
        _ other: String,
        _ otherIsDecoded: Bool,
        _ expected: Bool
    ) {
        let rule = Glob(rule).pathLanguage(Glob.Reading(comparesEncoded: !isDecoded))
        let other = Glob(other).pathLanguage(Glob.Reading(comparesEncoded: !otherIsDecoded))

        #expect(rule.isCovered(by: [other], within: Glob.allPaths) == expected)
    }

    @Test func foldedCaseTakesBoth() {
        let folded = Glob("/aB").pathLanguage(Glob.Reading(foldsCase: true))

        #expect(Glob("/Ab").pathLanguage().isCovered(by: [folded], within: Glob.allPaths) == true)
        #expect(folded.isCovered(by: [Glob("/aB").pathLanguage()], within: Glob.allPaths) == false)
    }

    @Test func shortestTextIsAnExample() {
        let user = Glob("/user/?*/delete").pathLanguage()
        let opened = Glob("/user/?*").pathLanguage()

        #expect(
            Language.shortestText(in: [user, opened, Glob.allPaths], outside: [Glob("/user/x/*").pathLanguage()])
                == .found(Array("/user/1/delete/".utf8))
        )
    }

    /// Checks every answer against a naive matcher, on texts over a small alphabet.
    @Test(arguments: UInt64(0)..<30)
    func answersAgreeWithANaiveMatcher(_ seed: UInt64) throws {
        var chance = Chance(seed)
        let texts = allTexts(over: Array("ab/".utf8), upTo: 6)
        for _ in 0..<40 {
            let inside = (0...chance.below(2)).map { _ in pattern(&chance) }
            let outside = (0..<chance.below(3)).map { _ in pattern(&chance) }
            func isExample(_ text: [UInt8]) -> Bool {
                inside.allSatisfy { naive($0[...], text[...]) } && !outside.contains { naive($0[...], text[...]) }
            }
            let answer = Language.shortestText(
                in: inside.map { Glob(String(decoding: $0, as: UTF8.self)).language() },
                outside: outside.map { Glob(String(decoding: $0, as: UTF8.self)).language() }
            )
            switch answer {
            case .none: #expect(!texts.contains(where: isExample))
            case .found(let text):
                #expect(isExample(text))
                #expect(!texts.contains { $0.count < text.count && isExample($0) })
            case .undecided: Issue.record("\(inside) \(outside)")
            }
        }
    }

    @Test func largeAutomatonIsLeftUndecided() {
        let pattern = "/" + String(repeating: "*a?", count: 40)
        let other = "/" + String(repeating: "*b?", count: 40)

        #expect(
            Glob(pattern).pathLanguage().isCovered(
                by: [Glob(other).pathLanguage()],
                within: Glob.allPaths,
                WorkBudget(steps: 50)
            )
                == nil
        )
    }

    // MARK: Setup

    private func pattern(_ chance: inout Chance) -> [UInt8] {
        (0..<chance.below(5)).map { _ in chance.one(of: Array("ab/*?*".utf8)) }
    }

    private func naive(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case UInt8(ascii: "*"):
            return naive(rest, text) || !text.isEmpty && naive(pattern, text.dropFirst())
        case UInt8(ascii: "?"):
            return !text.isEmpty && naive(rest, text.dropFirst())
        default:
            return text.first == first && naive(rest, text.dropFirst())
        }
    }

    private func allTexts(over alphabet: [UInt8], upTo length: Int) -> [[UInt8]] {
        var texts: [[UInt8]] = [[]]
        var last = texts
        for _ in 0..<length {
            last = last.flatMap { text in alphabet.map { text + [$0] } }
            texts += last
        }
        return texts
    }
}
