import LinkRouting
import Testing

@testable import AppAssociation

/// Whether Android opens a URL, and which rule decides.
struct AndroidDecisionTests {
    private static let host = "https://e.com"
    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")

    private func file(_ rules: String) throws -> AssetLinks {
        AssetLinks(root: .array([.statement(rules: try JSONReader.parse(rules, limits: .init(maximumBytes: 1 << 20)))]))
    }

    @Test(arguments: [
        // The decoded path, including its trailing slash.
        (#"[{"/":"/a"}]"#, "/a", "match 0"), (#"[{"/":"/a"}]"#, "/a/", "no_match"),
        (#"[{"/":"/a b"}]"#, "/a%20b", "match 0"),
        (#"[{"/":"/a%20b"}]"#, "/a%20b", "no_match"), (#"[{"/":"/é"}]"#, "/%C3%A9", "match 0"),
        (#"[{"/":"/é"}]"#, "/é", "match 0"), (#"[{"/":"/a/b"}]"#, "/a%2Fb", "match 0"),
        (#"[{"/":"/A"}]"#, "/a", "no_match"),
        (#"[{"/":"*"}]"#, "", "match 0"), (#"[{"/":"/*"}]"#, "", "no_match"), (#"[{"/":"/a+b"}]"#, "/a+b", "match 0"),
        (#"[{"/":"/\ufffd"}]"#, "/%FF", "match 0"), (#"[{"/":"/100%"}]"#, "/100%", "match 0"),
        // The first matching rule decides.
        (#"[{"/":"/x"},{"/":"/a*"},{"/":"*","exclude":true}]"#, "/ab", "match 1"),
        (#"[{"/":"/x"},{"/":"/a*"},{"/":"*","exclude":true}]"#, "/b", "exclude 2"),
        (#"[{"/":"/a","exclude":false}]"#, "/a", "match 0"),
        // Query items: any pair may match; Android decodes the query before splitting it into pairs.
        (##"[{"?":{"a":"*"}}]"##, "/?a=", "match 0"), (##"[{"?":{"a":"*"}}]"##, "/?a", "no_match"),
        (##"[{"?":{"a":"*"}}]"##, "/", "no_match"), (##"[{"?":{"a":"1"}}]"##, "/?a=0&a=1", "match 0"),
        (##"[{"?":{"a":"1"}}]"##, "/?b=a%3D1&c", "no_match"), (##"[{"?":{"a":"1"}}]"##, "/?b=%26a=1", "match 0"),
        (##"[{"?":{"a":"1"}}]"##, "/?b;a=1", "match 0"), (##"[{"?":{"a":"1"}}]"##, "/?b=2;a=1&c", "no_match"),
        (##"[{"?":{"a":"1;b"}}]"##, "/?a=1;b&", "no_match"),
        (##"[{"?":{"a":"1","b":"2"}}]"##, "/?b=2&a=1&c", "match 0"),
        (##"[{"?":{"a":"1","b":"2"}}]"##, "/?a=1", "no_match"), (##"[{"?":{"a":"?*"}}]"##, "/?a=", "no_match"),
        (##"[{"?":{"a":"x y"}}]"##, "/?a=x+y", "no_match"), (##"[{"?":{"a":"*"}}]"##, "/?&&&", "no_match"),
        (##"[{"?":{"a":"*"}}]"##, "/#?a=1", "no_match"),
        // A missing fragment differs from an empty one.
        (##"[{"#":"*"}]"##, "/", "no_match"), (##"[{"#":"*"}]"##, "/#", "match 0"),
        (##"[{"#":"app"}]"##, "/#app", "match 0"),
        (##"[{"#":"a b"}]"##, "/#a%20b", "match 0"),
        // All parts of a rule must match.
        (##"[{"/":"/a","?":{"b":"1"},"#":"c"}]"##, "/a?b=1#c", "match 0"),
        (##"[{"/":"/a","?":{"b":"1"},"#":"c"}]"##, "/a?b=1", "no_match"),
        // A rule without any part matches nothing.
        ("[{}]", "/", "no_match"), (#"[{"exclude":true},{"/":"*"}]"#, "/", "match 1"),
        (#"[{"patch":"/x"}]"#, "/", "no_match"),
        // Without rules the app's manifest decides.
        ("[]", "/", "manifest"),
    ])
    func aRuleDecides(_ rules: String, _ url: String, _ expected: String) throws {
        let decision = try file(rules).decision(for: Self.host + url, package: "com.example")
        #expect(decision.outcome.rawValue + (decision.rule.map { " \($0)" } ?? "") == expected)
        #expect(decision.entry == 0)
        #expect((decision.reason == nil) == (decision.rule != nil))
    }

    @Test(arguments: [
        (#"{"/":"/a"}"#, ""), ("null", ""), (#"[{"/":"/a"},"/b"]"#, "/1"), (#"[{"/":"/a"},{"/":""}]"#, "/1/~1"),
        (#"[{"/":1}]"#, "/0/~1"), (##"[{"#":null}]"##, "/0/#"), (##"[{"#":""}]"##, "/0/#"), (#"[{"?":"a=*"}]"#, "/0/?"),
        (#"[{"?":{}}]"#, "/0/?"), (#"[{"?":{"a/b":true}}]"#, "/0/?/a~1b"), (#"[{"?":{"a":""}}]"#, "/0/?/a"),
        (#"[{"/":"/a","exclude":"true"}]"#, "/0/exclude"),
    ])
    func oneEmptyOrMalformedValueLeavesTheManifestToDecide(_ rules: String, _ place: String) throws {
        let decision = try file(rules).decision(for: Self.host + "/a", package: "com.example")
        #expect((decision.outcome, decision.reason) == (.manifest, .rulesVoid))
        let pointer =
            "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_components\(place)"
        #expect(decision.notes.contains { $0.code == .rulesVoid && $0.pointer == pointer })
    }

    @Test func everyTriedRuleNamesItsFailure() throws {
        let rules = ##"[{"/":"/b","?":{"q":"1"}},{"#":"x"},{"?":{"q":"2*","r":"*"}},{"/":"/a"}]"##
        let decision = try file(rules).decision(for: Self.host + "/a?q=2&q=3", package: "com.example")
        #expect((decision.outcome, decision.rule, decision.tried.count) == (.match, 3, 4))
        #expect(decision.tried.map(\.matches) == [false, false, false, true])
        let failed = decision.tried.map { rule in
            rule.parts.filter { !$0.matches }.map { "\($0.kind) \($0.name ?? "-") \($0.expected) \($0.found ?? "nil")" }
        }
        #expect(failed == [["path - /b /a", "item q 1 2"], ["fragment - x nil"], ["item r * nil"], []])
        #expect(decision.pointer == decision.tried.last?.pointer)
    }

    @Test(arguments: [
        (#"[{"/":"*/terms/*"}]"#, "/nl/terms/x", AndroidDecision.Note.Code.noBacktracking),
        (#"[{"/":"/*?"}]"#, "/ab", .starBeforeOne), (#"[{"/":"/a/?*/b"}]"#, "/a/x/b", .greedyWildcards),
        (#"[{"/":"/a+b/?*"}]"#, "/a+b/x", .greedyWildcards), (#"[{"/":"\\a"}]"#, "/a", .backslash),
        ("[{}]", "/", .emptyRule),
        (#"[{"?":{"a":"*"}}]"#, "/?a", .bareItem), (#"[{"/":"/a","comment":"x"}]"#, "/a", .unknownKey),
        (#"[{"/":"/%"}]"#, "/%", .urlInvalidEscape),
    ])
    func uncertainDecisionHasANote(_ rules: String, _ url: String, _ code: AndroidDecision.Note.Code) throws {
        let decision = try file(rules).decision(for: Self.host + url, package: "com.example")
        #expect(
            decision.notes.map(\.code)
                == (code == .urlInvalidEscape ? [code, .androidVersion] : [.androidVersion, code])
        )
    }

    @Test func theFirstAppThatTheFileOpensIsAnsweredFor() throws {
        func statement(_ package: String, _ rules: String?) -> String {
            let rules = rules.map {
                #","relation_extensions":{"\#(StatementRelation.handleAllURLs)":{"dynamic_app_link_components":\#($0)}}"#
            }
            return
                #"{"relation":["\#(StatementRelation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"#
                + #""\#(package)","sha256_cert_fingerprints":["\#(Self.fingerprint)"]}\#(rules ?? "")}"#
        }
        let closed = statement("a.closed", #"[{"/":"/x"}]"#)
        let open = statement("a.open", #"[{"/":"/y"}]"#)
        let plain = statement("a.plain", nil)
        func decision(_ statements: [String], _ package: String? = nil) throws -> AndroidDecision {
            try AssetLinks(parsing: "[\(statements.joined(separator: ","))]".utf8)
                .decision(for: Self.host + "/y", package: package)
        }
        #expect(try decision([closed, open]).app == "a.open")
        #expect(try decision([closed, open]).entry == 1)
        #expect(try decision([closed, plain, open]).outcome == .manifest)
        #expect(try decision([closed, closed]).app == "a.closed")
        #expect(try decision([closed], "a.open").reason == .appNotListed)
        // The first of several rule sets wins, and a statement with rules wins over one without.
        let twice = try decision([plain, closed, open].map { $0.replacing("a.open", with: "a.plain") }, "a.plain")
        #expect((twice.outcome, twice.entry) == (.match, 2))
        let both = try decision([open, closed].map { $0.replacing("a.closed", with: "a.open") }, "a.open")
        #expect((both.outcome, both.entry) == (.match, 0))
        #expect(both.notes.contains { $0.code == .severalRuleSets })
    }

    @Test(arguments: [
        ("x", nil, AndroidDecision.Reason.invalidURL), ("ftp://e.com/", nil, .scheme),
        ("https://f.com/", "e.com", .host),
        ("https://e.com/", nil, .noApps), ("https://a.e.com/", "*.e.com", .noApps),
    ])
    func linkWithoutAMatchingRuleHasAReason(_ url: String, _ domain: String?, _ reason: AndroidDecision.Reason) throws {
        let decision = try AssetLinks(parsing: "[]".utf8).decision(for: url, domain: domain)
        #expect((decision.outcome, decision.reason) == (.noMatch, reason))
    }

    /// The verifier drops a statement with a malformed value. Another fingerprint of the list is assumed to count.
    @Test(arguments: [
        (#""\#(fingerprint.lowercased())""#, "no_match", "malformed_statement"),
        (#""YOUR_FINGERPRINT""#, "no_match", "malformed_statement"),
        (#""\#(fingerprint.lowercased())","\#(fingerprint)""#, "manifest", "malformed_fingerprint"),
    ])
    func droppedStatementOpensNothing(_ fingerprints: String, _ outcome: String, _ note: String) throws {
        let json = """
            [{"relation":["delegate_permission/common.handle_all_urls"],
              "target":{"namespace":"android_app","package_name":"a.b","sha256_cert_fingerprints":[\(fingerprints)]}}]
            """
        let decision = try AssetLinks(parsing: json.utf8).decision(for: Self.host)
        #expect(decision.outcome.rawValue == outcome)
        #expect(decision.notes.contains { $0.code.rawValue == note })
        #expect((decision.reason == .statementDropped) == (outcome == "no_match"))
    }

    @Test func withoutTheRelationNoLinkIsOpened() throws {
        let json = """
            [{"relation":["delegate_permission/common.get_login_creds"],
              "target":{"namespace":"android_app","package_name":"a.b","sha256_cert_fingerprints":[]}}]
            """
        let decision = try AssetLinks(parsing: json.utf8).decision(for: Self.host)
        #expect((decision.outcome, decision.reason, decision.app, decision.entry) == (.noMatch, .noRelation, "a.b", 0))
    }

    @Test func decisionAboveTheStepBudgetIsUndecided() throws {
        let file = try file(#"[{"/":"/x"},{"/":"*b"}]"#)
        let url = Self.host + "/" + String(repeating: "a", count: 8_192)
        let decision = file.decision(for: url, package: nil, domain: nil, within: StepBudget(steps: 10_000))
        #expect((decision.outcome, decision.reason, decision.tried.count) == (.noMatch, .undecided, 1))
    }

    @Test func theJSONStartsWithTheDecision() throws {
        let json = try file(#"[{"/":"/a"}]"#).decision(for: Self.host + "/a").json
        #expect(
            json.members?.map(\.key) == [
                "decision", "app", "entry", "rule", "tried", "notes", "assumptions", "pointer",
            ]
        )
        #expect(json["decision"]?.text == "match" && json["app"]?.text == "com.example" && json["rule"]?.int == 0)
    }
}
