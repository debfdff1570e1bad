import LinkRouting
import Testing

@testable import AppAssociation

/// Hostile files and URLs get an answer within bounded work.
struct AppleHostileInputTests {
    private static let urls = [
        "https://e.com", "https://e.com/a/b?c=d&c&=e#f", "https://e.com/%ff%", "https://e.com/?\u{0}&&==&%", "x", "",
        "https://e.com/\u{1F600}?$(", "https://[/", "https://@:@:/?#", "http://%/..//;",
    ]

    private func answerAll(_ file: AppleAppSiteAssociation) {
        for url in Self.urls {
            for app in [nil, "A.b", ""] {
                let decision = file.decision(for: url, app: app, domain: app == nil ? "e.com" : nil)
                #expect((decision.outcome == .noMatch) == (decision.reason != nil))
                #expect(decision.json["decision"] != nil)
            }
        }
    }

    @Test func nestingBeyond64IsAnError() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        answerAll(try AppleAppSiteAssociation(parsing: nested(64)))
        for depth in [65, 1_000_000] {
            let error = #expect(throws: JSONSyntaxError.self) { try AppleAppSiteAssociation(parsing: nested(depth)) }
            #expect(error?.kind == .tooDeep)
        }
    }

    @Test(arguments: [
        ([], JSONSyntaxError.Kind.empty), ([0x20, 0x0A], .empty), ([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .byteOrderMark),
        ([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], .notUTF8), ([0x00, 0x7B, 0x00, 0x7D], .notUTF8),
        (Array("<html>".utf8), .html), (Array("{\"a\":1,}".utf8), .trailingComma), (Array("{} x".utf8), .textAfterEnd),
        ([0x22, 0xFF, 0x22], .notUTF8), ([0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8),
        ([0x30, 0x82, 0x01], .textAfterEnd),
    ])
    func invalidJSONIsAnErrorWithItsPosition(_ bytes: [UInt8], _ kind: JSONSyntaxError.Kind) {
        let error = #expect(throws: JSONSyntaxError.self) { try AppleAppSiteAssociation(parsing: bytes) }
        #expect(error?.kind == kind)
        #expect(error?.line ?? 0 >= 1)
        #expect(error?.column ?? 0 >= 1)
    }

    @Test func tenMegabytesAreReadAndAnswered() throws {
        let rule = #"{"/":"/x/*","comment":"\#(String(repeating: "c", count: 1_000))"},"#
        let rules = repeatElement(rule, count: 10_000_000 / rule.utf8.count).joined()
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[\#(rules){}]}]}}"#
        let file = try AppleAppSiteAssociation(parsing: json.utf8)
        let decision = file.decision(for: "https://e.com/y", app: "A.b")
        #expect(decision.rule == file.applinks?.details.first.map { $0.ruleList.count - 1 })
    }

    @Test func moreThan16MebibytesAreRefused() {
        let error = #expect(throws: JSONSyntaxError.self) {
            try AppleAppSiteAssociation(parsing: [UInt8](repeating: 0x20, count: 16 << 20 + 1))
        }
        #expect(error?.kind == .tooLarge)
    }

    /// Replaces each value of a complete file by each kind of JSON value, one at a time.
    @Test func anyValueMayHaveAnyType() throws {
        let full = try JSONReader.parse(
            #"""
            {"applinks": {"apps": [], "defaults": {"caseSensitive": false, "percentEncoded": true},
              "substitutionVariables": {"food": ["pizza", "a*"]},
              "details": [{"appIDs": ["A.b"], "appID": "A.b", "defaults": {"exclude": false},
                "components": [{"/": "/$(food)/$(lang)", "#": "?*", "?": {"c": "d"}, "exclude": true, "comment": ""}],
                "paths": ["NOT /x"]}]}, "webcredentials": {"apps": ["A.b"]}}
            """#,
            limits: JSONReader.Limits(maximumBytes: 4_096)
        )
        let others: [JSONNode] = [
            .null, .bool(true), .int(-1), .string("$("), .string(""), .array([]), .object([:]),
            .array([.null, .string("A.b")]), .object(["A.b": .object(["paths": .array([.string("*")])])]),
        ]
        let variants = others.flatMap { full.variants(replacingAValueBy: $0) }
        #expect(variants.count > 200)
        for variant in variants {
            answerAll(AppleAppSiteAssociation(root: variant))
            #expect(try AppleAppSiteAssociation(parsing: variant.json().utf8).root == variant)
        }
    }

    // MARK: Steps

    @Test func wildcardsOnALongTextNeedFewSteps() throws {
        let text = PatternText(
            Array(repeating: UInt8(ascii: "a"), count: 8_191) + [UInt8(ascii: "c")],
            foldsCase: false
        )
        let variables = PatternVariables(custom: AppleAppSiteAssociation.SubstitutionVariables(nil))
        for (end, matches) in [("b", false), ("c", true)] {
            let pattern = String(repeating: "*a", count: 4_096) + "*" + end
            // Each byte of the pattern costs one pass over the text's 129 words.
            var budget = StepBudget(steps: (pattern.utf8.count + 1) * text.wordCount)
            #expect(try PatternMatcher.matches(pattern, text, variables, &budget) == matches)
        }
    }

    @Test func manyVariablesWithManyValuesNeedFewSteps() throws {
        let values = (0..<200).map { #""\#(String(repeating: "a", count: $0 % 7 + 1))\#($0)""# }.joined(separator: ",")
        let pattern = String(repeating: "$(v)*", count: 40)
        let json = """
            {"applinks":{"substitutionVariables":{"v":["a",\(values)]},
            "details":[{"appID":"A.b","components":[{"/":"/\(pattern)b"}]}]}}
            """
        let url = "https://e.com/" + String(repeating: "a", count: 4_000)
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: url, app: "A.b")
        #expect(decision.reason == .noRuleMatched)
    }

    @Test func decisionAboveTheStepBudgetIsUndecided() throws {
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[{"/":"/x"},{"/":"*a*a*b"},{"/":"/y"}]}]}}"#
        let file = try AppleAppSiteAssociation(parsing: json.utf8)
        let url = "https://e.com/" + String(repeating: "a", count: 1_000)
        let decision = file.decision(for: url, app: nil, domain: nil, within: StepBudget(steps: 100))
        #expect((decision.outcome, decision.reason) == (.noMatch, .undecided))
        #expect((decision.app, decision.entry, decision.rule) == ("A.b", 0, nil))
        #expect(decision.notes.map(\.code) == [.stepBudget])
        #expect(decision.notes.first?.label == .limit)
        #expect(decision.tried.map(\.rule) == [0])
    }

    @Test func fileWithManyNotesStillReportsItsStepBudget() throws {
        let rules = repeatElement(#"{"/":"/\\"}"#, count: 1_000).joined(separator: ",")
        let json = #"{"applinks":{"details":[{"appID":"A.b","components":[\#(rules)]}]}}"#
        let file = try AppleAppSiteAssociation(parsing: json.utf8)
        let decision = file.decision(for: "https://e.com/%FF", app: nil, domain: nil, within: StepBudget(steps: 4_000))
        #expect(decision.reason == .undecided)
        #expect(decision.notes.map(\.code).contains(.stepBudget))
        #expect(decision.notes.count == 101)
    }

    /// Every rule reads the default pattern again, so a huge default is the most expensive input.
    @Test func aHugeDefaultOfManyRulesIsCutShort() throws {
        let rules = repeatElement("{}", count: 10_000).joined(separator: ",")
        let huge = String(repeating: "x", count: 100_000)
        let json =
            #"{"applinks":{"defaults":{"/":"\#(huge)"},"details":[{"appID":"A.b","components":[\#(rules)]}]}}"#
        let file = try AppleAppSiteAssociation(parsing: json.utf8)
        let decision = file.decision(for: "https://e.com/", app: nil, domain: nil, within: StepBudget(steps: 1 << 20))
        #expect(decision.reason == .undecided)
        #expect(decision.tried.count == 10)
    }
}

extension JSONNode {
    /// One variant for each value within this one and for itself, with that value replaced by `other`.
    func variants(replacingAValueBy other: JSONNode) -> [JSONNode] {
        var variants = [other]
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                for variant in element.variants(replacingAValueBy: other) {
                    var changed = elements
                    changed[index] = variant
                    variants.append(.array(changed))
                }
            }
        case .object(let members):
            for (index, member) in members.enumerated() {
                for variant in member.value.variants(replacingAValueBy: other) {
                    var changed = members
                    changed[index].value = variant
                    variants.append(JSONNode(.object(changed)))
                }
            }
        case .null, .bool, .number, .string: break
        }
        return variants
    }
}
