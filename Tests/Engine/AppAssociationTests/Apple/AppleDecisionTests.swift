import AppAssociation
import LinkRouting
import Testing

/// The explanation that accompanies a decision.
struct AppleDecisionTests {
    private static let file = #"""
        {"applinks": {
          "defaults": {"caseSensitive": false},
          "details": [
            {"appIDs": ["A.one", "A.two"], "defaults": {"#": "f*"}, "components": [
              {"/": "/a", "?": {"id": "?*", "b": "1"}},
              {"/": "/private/*", "exclude": true},
              {"/": "/b c", "percentEncoded": false}]},
            {"appIDs": ["A.two", "A.three"], "components": [{"/": "/c"}]}]}}
        """#

    private func decision(_ url: String, app: String? = nil, domain: String? = nil) throws -> AppleDecision {
        try AppleAppSiteAssociation(parsing: Self.file.utf8).decision(for: url, app: app, domain: domain)
    }

    @Test func everyKeyNamesTheLevelItComesFrom() throws {
        let decision = try decision("https://e.com/B%20c#fine", app: "A.two")
        let merged = try #require(decision.mergedRule)
        #expect(decision.outcome == .match)
        #expect((decision.entry, decision.rule) == (0, 2))
        #expect(decision.pointer == "/applinks/details/0/components/2")
        #expect((merged.path.value, merged.path.level) == ("/b c", .rule))
        #expect((merged.fragment.value, merged.fragment.level) == ("f*", .entryDefaults))
        #expect((merged.caseSensitive.value, merged.caseSensitive.level) == (false, .applinksDefaults))
        #expect((merged.percentEncoded.value, merged.percentEncoded.level) == (false, .rule))
        #expect((merged.query.value, merged.query.level) == (.whole("*"), .builtIn))
        #expect((merged.exclude.value, merged.exclude.level) == (false, .builtIn))
    }

    @Test func everyTriedRuleNamesItsMatchingParts() throws {
        let decision = try decision("https://e.com/A?id=7&id&b=2", app: "A.one")
        #expect(decision.reason == .noRuleMatched)
        #expect(decision.tried.map(\.rule) == [0, 1, 2])
        #expect(decision.tried.map(\.pointer).first == "/applinks/details/0/components/0")
        let parts = try #require(decision.tried.first).parts
        #expect(parts.map(\.kind) == [.path, .fragment, .item, .item])
        #expect(parts.map(\.name) == [nil, nil, "id", "b"])
        #expect(parts.map(\.expected) == ["/a", "f*", "?*", "1"])
        #expect(parts.map(\.found) == ["/A", "", "", "2"])
        #expect(parts.map(\.matches) == [true, false, false, false])
        #expect(parts.map(\.level) == [.rule, .entryDefaults, .rule, .rule])
    }

    @Test func anItemThatIsNotThereHasNoText() throws {
        let part = try #require(try decision("https://e.com/a#f", app: "A.one").tried.first?.parts.last)
        #expect((part.name, part.found, part.matches) == ("b", nil, false))
    }

    @Test func aDecodedPartIsShownDecoded() throws {
        let parts = try #require(try decision("https://e.com/b%20d#f", app: "A.one").tried.last?.parts)
        #expect(parts.map(\.found) == ["/b d", "f"])
    }

    // MARK: Apps

    @Test func withoutAppTheFirstThatOpensAnswers() throws {
        let decision = try decision("https://e.com/c")
        #expect((decision.app, decision.entry, decision.rule) == ("A.three", 1, 0))
        #expect(decision.notes.map(\.code) == [.orderAcrossApps])
    }

    @Test func withoutAppAndOpeningTheFirstListedAnswers() throws {
        let excluded = try decision("https://e.com/private/x#f")
        #expect((excluded.outcome, excluded.app, excluded.entry, excluded.rule) == (.exclude, "A.one", 0, 1))
        let unmatched = try decision("https://e.com/other")
        #expect((unmatched.outcome, unmatched.app, unmatched.entry, unmatched.rule) == (.noMatch, "A.one", 0, nil))
        #expect(unmatched.tried.map(\.entry) == [0, 0, 0, 1])
    }

    @Test func onlyTheFirstEntryOfAnAppCounts() throws {
        let decision = try decision("https://e.com/c", app: "A.two")
        #expect((decision.reason, decision.entry) == (.noRuleMatched, 0))
        #expect(decision.notes.map(\.code) == [.appListedAgain])
        #expect(decision.notes.first?.label == .recorded)
    }

    @Test func anAppThatIsNotListedHasNoEntry() throws {
        let decision = try decision("https://e.com/c", app: "A.four")
        #expect((decision.reason, decision.app, decision.entry) == (.appNotListed, "A.four", nil))
    }

    // MARK: JSON

    @Test func jsonStartsWithTheStableMembers() throws {
        let match = try decision("https://e.com/c", app: "A.three").json
        #expect(
            try #require(match.members).map(\.key)
                == ["decision", "app", "entry", "rule", "mergedRule", "tried", "assumptions", "pointer"]
        )
        #expect(match["decision"] == .string("match"))
        #expect(match["mergedRule"]?["/"]?["level"] == .string("rule"))
        #expect(match["tried"]?.elements?.first?["parts"]?.elements?.first?["part"] == .string("path"))
        let miss = try decision("https://e.com/z", app: "A.three").json
        #expect(
            try #require(miss.members).map(\.key) == ["decision", "app", "entry", "tried", "assumptions", "reason"]
        )
        #expect(try JSONReader.parse(match.json(), limits: .init(maximumBytes: 1 << 20)) == match)
    }

    @Test func matchNamesItsAssumptions() throws {
        let match = try decision("https://e.com/c", app: "A.three", domain: "*.com")
        #expect(match.assumptions.count == 6)
        #expect(match.assumptions[1].contains("applinks:*.com"))
        #expect(try decision("https://e.com/z").assumptions.count == 1)
    }

    // MARK: Limits of an answer

    @Test func longEntryIsShortened() throws {
        let rules = repeatElement(#"{"/":"/x"},"#, count: 2_000).joined() + #"{"/":"/y"}"#
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[\#(rules)]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/y")
        #expect(decision.rule == 2_000)
        #expect(decision.tried.count == AppleDecision.maximumTried + 1)
        #expect(decision.tried.last?.matches == true)
        #expect(decision.triedOmitted == 1_000)
    }

    @Test func aLongQueryRuleStillShowsItsFailure() throws {
        let items = (0..<200).map { #""n\#($0)":"\#($0 == 150 ? "?*" : "*")""# }.joined(separator: ",")
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[{"?":{\#(items)}}]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/")
        let parts = try #require(decision.tried.first).parts
        #expect(parts.count == 65)
        #expect(parts.filter { !$0.matches }.map(\.name) == ["n150"])
    }

    @Test func longTextsAreCutInJSONOnly() throws {
        let long = String(repeating: "é", count: 600)
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[{"?":{"\#(long)":"\#(long)"}}]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/?\(long)=\(long)")
        let part = try #require(decision.tried.first?.parts.first)
        #expect(part.expected == long)
        #expect(part.json["expected"]?.text == String(repeating: "é", count: 512) + "…")
        #expect(part.json["name"]?.text?.unicodeScalars.count == 513)
        #expect(part.json["found"]?.text?.hasPrefix("%C3%A9%C3") == true)
    }

    @Test func detailsCoverFewerRulesWithManyParts() throws {
        let items = (0..<64).map { #""n\#($0)":"1""# }.joined(separator: ",")
        let rules = repeatElement(#"{"?":{\#(items)}}"#, count: 100).joined(separator: ",")
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[\#(rules)]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/")
        #expect((decision.tried.count, decision.triedOmitted) == (62, 38))
    }
}
