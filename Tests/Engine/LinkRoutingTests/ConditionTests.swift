import Testing

@testable import LinkRouting

struct ConditionTests {
    /// A context with all attributes known.
    private static let known = LinkContext(
        app: AppID("ios"),
        platform: .ios,
        device: .phone,
        osVersion: Version("17.4"),
        appVersion: Version("3.2.0"),
        appBuild: 412,
        locale: [LanguageTag("en-GB"), LanguageTag("fr")].compactMap(\.self),
        country: "GB",
        authenticated: true,
        traits: ["userType": ["premium", "beta"]],
        stickyKey: "install-42",
        inAppBrowser: false,
        now: Timestamp("2026-11-21T10:00:00Z")
    )

    private func condition(_ json: String) throws -> Condition {
        try Condition(try Fixture.field(json), salt: "rollout")
    }

    static let cases: [(String, Tristate)] = [
        (#"{"platform": "ios"}"#, .holds), (#"{"platform": ["android", "ios"]}"#, .holds),
        (#"{"platform": "android"}"#, .fails),
        (#"{"device": "phone"}"#, .holds), (#"{"device": ["tablet", "tv"]}"#, .fails),
        (#"{"osVersion": {"from": "17.4"}}"#, .holds), (#"{"osVersion": {"until": "17.4"}}"#, .fails),
        (#"{"osVersion": {"from": "17.4.1"}}"#, .fails),
        (#"{"appVersion": {"from": "3.2", "until": "4"}}"#, .holds),
        (#"{"appVersion": {"until": "3.2.0-beta"}}"#, .fails),
        (#"{"appBuild": {"from": 412, "until": 413}}"#, .holds), (#"{"appBuild": {"until": 412}}"#, .fails),
        (#"{"locale": "en"}"#, .holds), (#"{"locale": ["de", "FR"]}"#, .holds), (#"{"locale": "en-US"}"#, .fails),
        (#"{"country": "gb"}"#, .holds), (#"{"country": ["US", "CA"]}"#, .fails), (#"{"authenticated": true}"#, .holds),
        (#"{"authenticated": false}"#, .fails),
        (#"{"inAppBrowser": false}"#, .holds), (#"{"inAppBrowser": true}"#, .fails),
        (#"{"traits": {"userType": ["premium"]}}"#, .holds),
        (#"{"traits": {"userType": "Premium"}}"#, .fails), (#"{"traits": {"userType": ["basic", "beta"]}}"#, .holds),
        (#"{"time": {"from": "2026-11-21T10:00:00Z"}}"#, .holds),
        (#"{"time": {"until": "2026-11-21T10:00:00Z"}}"#, .fails),
        (#"{"time": {"from": "2026-11-21T09:00:00Z", "until": "2026-11-21T10:00:00.001Z"}}"#, .holds),
        // Bucket 49 of docs/routing-conformance.md.
        (#"{"rollout": 100}"#, .holds), (#"{"rollout": 0}"#, .fails), (#"{"rollout": 0.5}"#, .holds),
        (#"{"rollout": 0.49}"#, .fails),
        (#"{"rollout": {"percent": 50, "salt": "checkout-2026"}}"#, .fails), (#"{"apps": "ios"}"#, .holds),
        (#"{"apps": ["droid"]}"#, .fails),
        // Members of one object are combined with AND, elements of a list with OR.
        (#"{"platform": "ios", "device": "phone"}"#, .holds), (#"{"platform": "ios", "device": "tv"}"#, .fails),
        (#"[{"platform": "android"}, {"device": "phone"}]"#, .holds),
        (#"[{"platform": "android"}, {"device": "tv"}]"#, .fails),
        (#"{"not": {"platform": "ios"}}"#, .fails), (#"{"not": {"platform": "android"}}"#, .holds),
        (#"{"not": {"not": {"platform": "ios"}}}"#, .holds),
        (#"{"device": "phone", "anyOf": [{"platform": "android"}, {"country": "GB"}]}"#, .holds),
    ]

    @Test(arguments: cases.indices) func conditionComesOut(_ index: Int) throws {
        let (json, truth) = Self.cases[index]
        #expect(try condition(json).evaluate(in: Self.known) == truth, "\(json)")
        #expect(try condition(#"{"not": \#(json)}"#).evaluate(in: Self.known) == !truth, "not \(json)")
    }

    @Test(arguments: cases.indices) func conditionWithoutFactsIsUnknownAndSoIsItsNegation(_ index: Int) throws {
        let (json, _) = Self.cases[index]
        #expect(try condition(json).evaluate(in: LinkContext()) == .unknown, "\(json)")
        #expect(try condition(#"{"not": \#(json)}"#).evaluate(in: LinkContext()) == .unknown, "not \(json)")
    }

    /// Long lists are compared as sets, byte by byte as short ones.
    @Test(arguments: [("café", true), ("cafe\u{301}", false), ("Café", false), ("v19", true), ("w", false)])
    func longListsOfATraitAreCompared(_ value: String, _ isShared: Bool) throws {
        let has = (0..<20).map { "x\($0)" } + [value]
        let list = ((0..<20).map { "\"v\($0)\"" } + ["\"café\""]).joined(separator: ",")
        let condition = try condition("{\"traits\": {\"userType\": [\(list)]}}")
        #expect(condition.evaluate(in: LinkContext(traits: ["userType": has])) == (isShared ? .holds : .fails))
    }

    @Test(arguments: [
        (#"{"platform": "ios", "country": "GB"}"#, Tristate.unknown),
        (#"{"platform": "tv"}"#.replacing("tv", with: "android"), .fails),
        (#"{"platform": "android", "country": "GB"}"#, .fails), (#"[{"platform": "ios"}, {"country": "GB"}]"#, .holds),
        (#"[{"platform": "android"}, {"country": "GB"}]"#, .unknown),
    ]) func unknownIsTheThirdValue(_ json: String, _ truth: Tristate) throws {
        #expect(try condition(json).evaluate(in: LinkContext(platform: .ios)) == truth)
    }

    /// Each route with a condition may compare what the caller sends.
    @Test func factsOfACallerAreBounded() throws {
        var warnings: [String] = []
        func context(_ json: String) throws -> LinkContext {
            warnings = []
            return try LinkContext(try Fixture.field(json), warnings: &warnings)
        }
        func list(_ count: Int) -> String { (0..<count).map { "\"v\($0)\"" }.joined(separator: ",") }
        let languages = Array(repeating: "\"en\"", count: 15) + ["\"fr\"", "\"de\""]

        #expect(try context(#"{"locale": [\#(languages.joined(separator: ","))]}"#).locale.last == LanguageTag("fr"))
        #expect(warnings == ["locale has 17 languages; the first 16 are used."])
        #expect(try context(#"{"traits": {"t": [\#(list(101))]}}"#).trait("t")?.last == "v99")
        #expect(warnings == ["traits.t has 101 values; the first 100 are used."])
        #expect(try context(#"{"traits": {"t": [\#(list(100))]}}"#).trait("t")?.count == 100 && warnings.isEmpty)
        let key = String(repeating: "k", count: 1_024)
        #expect(try context(#"{"stickyKey": "\#(key)"}"#).stickyKey == key)
        let error = #expect(throws: DocumentError.self) { try context(#"{"stickyKey": "\#(key)k"}"#) }
        #expect(error?.description.contains("the key has 1025 bytes; at most 1024 are allowed.") == true)
    }

    @Test func unknownConditionIsNoMatchAndIsTraced() throws {
        let router = try Fixture.router([
            #"{"id": "gb", "path": "/a", "when": {"country": "GB"}, "open": {"screen": "S"}}"#,
            #"{"id": "notgb", "path": "/a", "when": {"not": {"country": "GB"}}, "open": {"screen": "S"}}"#,
        ])
        let resolution = router.resolve(
            "https://go.acme.com/a",
            in: LinkContext(platform: .ios),
            explanation: .included
        )
        #expect(resolution.route == nil)
        #expect(resolution.trace?.entries.map(\.failed) == [.unknown, .unknown])
        #expect(resolution.trace?.entries.map(\.at) == [.name("country"), .name("not")])
    }

    @Test func conditionOnTimeOrSignInIsNotCached() throws {
        let router = try Fixture.router([
            #"{"id": "time", "path": "/time", "when": {"time": {"from": "2026-01-01T00:00:00Z"}}, "open": {"screen": "S"}}"#,
            #"{"id": "sign", "path": "/sign", "signIn": "required", "open": {"screen": "S"}}"#,
            #"{"id": "plain", "path": "/plain", "open": {"screen": "S"}}"#,
        ])
        func validFor(_ path: String) -> Int {
            router.resolve("https://go.acme.com" + path, in: Self.known).validFor
        }
        #expect([validFor("/time"), validFor("/sign"), validFor("/plain")] == [0, 0, 300])
    }

    @Test(arguments: [
        ("{}", "'when' is empty"), (#""ios""#, "write {platform: ios}."), (#""phone""#, "write {device: phone}."),
        (#""iphone""#, "write {platform: ios}."), (#"{"platfrom": "ios"}"#, "did you mean 'platform'?"),
        (#"{"platform": "iOS"}"#, "not one of: ios, android"),
        (#"{"osVersion": "17"}"#, "write {from:"), (#"{"osVersion": {}}"#, "write {from:"),
        (#"{"osVersion": {"from": "v17"}}"#, "is not a version"),
        (#"{"appBuild": {"from": -1}}"#, "whole number"), (#"{"locale": "*"}"#, "is not a language tag"),
        (#"{"locale": "en_GB"}"#, "is not a language tag"),
        (#"{"locale": "a-b-c-d-e-f-g"}"#, "has more than 6 parts; write a shorter tag."),
        (#"{"country": "GBR"}"#, "two letters"), (#"{"traits": {}}"#, "name a trait"),
        (#"{"time": {"from": "tomorrow"}}"#, "is not a timestamp"),
        (#"{"time": {"from": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}}"#, "must be before 'until'"),
        (#"{"rollout": 101}"#, "number from 0 to 100"),
        (#"{"apps": "iOS App"}"#, "is not an id"), (#"{"authenticated": "yes"}"#, "write true or false"),
        (#"[]"#, "empty"),
    ]) func malformedConditionIsRefusedWithAdvice(_ json: String, _ hint: String) throws {
        let error = #expect(throws: DocumentError.self) { try condition(json) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }
}

extension Condition {
    fileprivate func evaluate(in context: LinkContext) -> Tristate {
        var parts = LinkParts()
        return evaluate(in: context, &parts)
    }
}
