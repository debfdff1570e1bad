import AppAssociation
import LinkRouting
import Testing

/// The model that a device builds from a file, before any URL.
struct AppleModelTests {
    private func file(_ json: String) throws -> AppleAppSiteAssociation {
        try AppleAppSiteAssociation(parsing: json.utf8)
    }

    private func entry(_ json: String) throws -> AppleAppSiteAssociation.Entry {
        try #require(try file(#"{"applinks":{"details":[\#(json)]}}"#).applinks?.details.first)
    }

    private func keys(_ component: String) throws -> AppleAppSiteAssociation.RuleKeys {
        try #require(try entry(#"{"appID":"A.b","components":[\#(component)]}"#).ruleList.first).keys
    }

    @Test func everyNodeIsReachableWithItsPlace() throws {
        let file = try file(
            """
            {"other": 1,
             "applinks": {"details": [{"appIDs": ["A.b"],
               "components": [{}, {"pat": "/x"}]}]}}
            """
        )
        let rule = try #require(file.applinks?.details.first?.ruleList.last)
        #expect(rule.pointer == "/applinks/details/0/components/1")
        #expect((rule.node.position.line, rule.node.position.column) == (3, 23))
        #expect(rule.node.members?.first?.key == "pat")
        #expect(file.root["other"]?.int == 1)
    }

    @Test(arguments: ["5", "null", "[]", #""x""#, "true", "{}", #"{"applinks":5}"#, #"{"applinks":[]}"#])
    func otherJSONHasNoApplinks(_ json: String) throws {
        #expect(try file(json).applinks == nil)
        #expect(try file(json).services == [])
        #expect(try file(json).decision(for: "https://e.com/").reason == .noApplinks)
    }

    @Test func servicesListTheirApps() throws {
        let services = try file(
            #"{"appclips":{"apps":["A.c",5]},"webcredentials":{"apps":"A.b"},"activitycontinuation":7,"x":{"apps":["y"]}}"#
        ).services
        #expect(services.map(\.name) == [.appclips, .webcredentials, .activitycontinuation])
        #expect(services.map(\.apps) == [["A.c"], [], []])
        #expect(services.map(\.pointer) == ["/appclips", "/webcredentials", "/activitycontinuation"])
        #expect(services.map(\.keyPosition.column) == [2, 32, 64])
    }

    @Test(arguments: [
        (#""details":[]"#, AppleAppSiteAssociation.Applinks.Form.array), (#""details":{}"#, .dictionary),
        (#""details":null"#, .other), (#""details":"x""#, .other), (#""apps":[]"#, .missing),
    ])
    func formOfDetails(_ json: String, _ form: AppleAppSiteAssociation.Applinks.Form) throws {
        #expect(try file("{\"applinks\":{\(json)}}").applinks?.form == form)
    }

    @Test func dictionaryFormPointsAtItsKeys() throws {
        let details = try file(#"{"applinks":{"details":{"A/b~c":{"paths":["*"]},"D":5,"D":{"appIDs":["E"]}}}}"#)
            .applinks?.details
        #expect(details?.map(\.pointer) == ["/applinks/details/A~1b~0c", "/applinks/details/D"])
        #expect(details?.map(\.appIDs) == [["A/b~c"], ["D"]])
        #expect(details?.map(\.index) == [0, 1])
    }

    @Test(arguments: [
        (#"{"appID":"A.b"}"#, ["A.b"]), (#"{"appIDs":["A.b","A.c"]}"#, ["A.b", "A.c"]),
        (#"{"appID":"A.b","appIDs":["A.c"]}"#, ["A.c"]), (#"{"appID":"A.b","appIDs":[]}"#, []),
        (#"{"appID":"A.b","appIDs":null}"#, ["A.b"]), (#"{"appID":"A.b","appIDs":{}}"#, ["A.b"]),
        (#"{"appID":5}"#, []), (#"{"appIDs":["A.b",5,null]}"#, ["A.b"]), ("{}", []), ("5", []),
    ])
    func appIDsWinOverAppID(_ json: String, _ apps: [String]) throws {
        #expect(try entry(json).appIDs == apps)
    }

    @Test func componentsWinOverPaths() throws {
        guard case .components(let rules) = try entry(#"{"components":[{}],"paths":["a"]}"#).rules else {
            Issue.record("components should count")
            return
        }
        #expect(rules.count == 1)
        #expect(try entry(#"{"components":[],"paths":["a"]}"#).rules == .components([]))
        #expect(
            try entry(#"{"components":5,"paths":["a"]}"#).ruleList.map(\.pointer) == ["/applinks/details/0/paths/0"]
        )
        #expect(try entry(#"{"components":5,"paths":5}"#).rules == .none)
    }

    @Test func aKeyIsAbsentGivenOrVoid() throws {
        #expect(try keys("{}").path == .absent)
        #expect(try keys(#"{"/":"/x"}"#).path == .given("/x"))
        #expect(try keys(#"{"/":5}"#).path == .void)
        #expect(try keys("5").path == .absent)
        #expect(try keys(#"{"?":"a"}"#).query == .given(.whole("a")))
        #expect(try keys(#"{"?":{}}"#).query == .given(.items([])))
        #expect(try keys(#"{"?":{"a":"1","b":5}}"#).query == .void)
        #expect(try keys(#"{"?":[]}"#).query == .void)
    }

    @Test(arguments: [
        ("true", true), ("false", false), ("1", true), ("0", false), ("-0.0", false), ("0.5", true), ("1e999", true),
        ("2", true),
        ("null", false), ("[]", false), ("{}", false), (#""true""#, true), (#""false""#, false), (#""YES""#, true),
        (#""no""#, false), (#""""#, false), (#"" 1""#, true), (#""+1""#, true), (#""007""#, true), (#""0""#, false),
        (#""-""#, false), (#""on""#, false),
    ])
    func aFlagThatIsNoBooleanCountsAsFoundationHasIt(_ json: String, _ flag: Bool) throws {
        #expect(try keys(#"{"exclude":\#(json)}"#).exclude == .given(flag))
    }

    @Test func pathsAreRulesOfPathAndExclude() throws {
        let rules = try entry(#"{"appID":"A.b","paths":["/a","NOT /b","nOt /c","NOT","NOT ",5]}"#).ruleList
        #expect(rules.map(\.keys.path) == [.given("/a"), .given("/b"), .given("/c"), .given("NOT"), .given(""), .void])
        #expect(rules.map(\.keys.exclude) == [false, true, true, false, true, false].map { .given($0) })
        #expect(rules.allSatisfy { $0.keys.query == .absent && $0.keys.fragment == .absent })
    }

    @Test func valuesThatReferToVariablesAreLeftOut() throws {
        let variables = try #require(
            try file(#"{"applinks":{"substitutionVariables":{"a":["x","$(b)",5,"$x("],"b":"y","c":7}}}"#).applinks
        ).substitutionVariables
        #expect(variables.names == ["a", "b"])
        #expect(variables["a"] == ["x", "$x("])
        #expect(variables["b"] == ["y"])
        #expect(variables["c"] == nil)
    }
}
