import AppAssociation
import Testing

/// Complete files against a URL: forms of `details`, order, defaults, variables, `paths`.
struct AppleFileTests {
    struct Row: CustomTestStringConvertible {
        /// The JSON of `applinks`.
        let applinks: String
        let url: String
        let expected: String

        /// `expected` is a decision with the deciding rule, or a reason.
        init(_ applinks: String, _ url: String, _ expected: String) {
            self.applinks = applinks
            self.url = url
            self.expected = expected
        }

        var testDescription: String { "\(applinks) \(url)" }

        func check() throws {
            let file = try AppleAppSiteAssociation(parsing: #"{"applinks":{\#(applinks)}}"#.utf8)
            let decision = file.decision(for: url, app: "A.b")
            let rule = decision.rule.map { " \($0)" } ?? ""
            #expect((decision.reason?.rawValue ?? decision.outcome.rawValue) + rule == expected)
        }
    }

    static let forms = [
        Row(#""details":[{"appIDs":["X.y","A.b"],"components":[{"/":"/x"}]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appID":"A.b","components":[{"/":"/x"}]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appID":"A.b","paths":["/x"]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appIDs":["A.b"],"paths":["/x"]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":{"A.b":{"paths":["/y","/x"]}}"#, "https://e.com/x", "match 1"),
        Row(#""details":{"A.b":{"components":[{"/":"/x"}]}}"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appID":"A.b","appIDs":[],"components":[{}]}]"#, "https://e.com/x", "no_apps"),
        Row(#""details":[{"appID":"A.b","appIDs":["X.y"],"components":[{}]}]"#, "https://e.com/x", "app_not_listed"),
        Row(#""details":[{"appID":"A.b","appIDs":"X.y","components":[{}]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appID":"a.B","components":[{}]}]"#, "https://e.com/x", "app_not_listed"),
        Row(#""details":[{"appID":"A.b.c","components":[{}]}]"#, "https://e.com/x", "app_not_listed"),
        Row(#""details":[{"components":[{}]},{"appID":"A.b","components":[{}]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":["A.b",5,null,{"appID":"A.b","components":[{}]}]"#, "https://e.com/x", "match 0"),
        // With both kinds of rules, `components` wins, even if it is empty.
        Row(
            #""details":[{"appID":"A.b","components":[{"/":"/y"}],"paths":["*"]}]"#,
            "https://e.com/x",
            "no_rule_matched"
        ),
        Row(#""details":[{"appID":"A.b","components":[],"paths":["*"]}]"#, "https://e.com/x", "no_rule_matched"),
        Row(#""details":[{"appID":"A.b","components":{},"paths":["*"]}]"#, "https://e.com/x", "match 0"),
        Row(#""details":[{"appID":"A.b"}]"#, "https://e.com/x", "no_rules"),
        Row(#""details":[{"appID":"A.b","paths":"*"}]"#, "https://e.com/x", "no_rules"),
        Row(#""details":[{"appID":"A.b","paths":[]}]"#, "https://e.com/x", "no_rule_matched"),
        Row(#""details":[]"#, "https://e.com/x", "no_apps"),
        Row(#""details":5"#, "https://e.com/x", "no_apps"),
        Row("", "https://e.com/x", "no_apps"),
        Row(#""apps":["A.b"]"#, "https://e.com/x", "no_apps"),
        Row(#""apps":["A.b"],"details":[{"appID":"X.y","paths":["*"]}]"#, "https://e.com/x", "app_not_listed"),
        // If an app has two entries, the first one counts.
        Row(
            #""details":[{"appID":"A.b","paths":["/y"]},{"appID":"A.b","paths":["*"]}]"#,
            "https://e.com/x",
            "no_rule_matched"
        ),
        Row(#""details":[{"appID":"X.y","paths":["*"]},{"appID":"A.b","paths":["/x"]}]"#, "https://e.com/x", "match 0"),
    ]

    static let order = [
        Row(
            #""details":[{"appIDs":["A.b"],"components":[{"/":"/a/p/*","exclude":true},{"/":"/a/*"}]}]"#,
            "https://e.com/a/p/1",
            "exclude 0"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"components":[{"/":"/a/p/*","exclude":true},{"/":"/a/*"}]}]"#,
            "https://e.com/a/q",
            "match 1"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"components":[{"/":"/a/*"},{"/":"/a/p/*","exclude":true}]}]"#,
            "https://e.com/a/p/1",
            "match 0"
        ),
        Row(#""details":[{"appIDs":["A.b"],"components":[{"exclude":"true"}]}]"#, "https://e.com/", "exclude 0"),
        Row(#""details":[{"appIDs":["A.b"],"components":[{"exclude":1}]}]"#, "https://e.com/", "exclude 0"),
        Row(#""details":[{"appIDs":["A.b"],"components":[{"exclude":0}]}]"#, "https://e.com/", "match 0"),
        Row(#""details":[{"appIDs":["A.b"],"components":[{"exclude":"false"}]}]"#, "https://e.com/", "match 0"),
        Row(#""details":[{"appIDs":["A.b"],"components":[{"exclude":null}]}]"#, "https://e.com/", "match 0"),
        Row(#""details":[{"appIDs":["A.b"],"exclude":true,"components":[{}]}]"#, "https://e.com/", "match 0"),
    ]

    static let defaults = [
        Row(
            #""defaults":{"caseSensitive":false},"details":[{"appIDs":["A.b"],"components":[{"/":"/X"}]}]"#,
            "https://e.com/x",
            "match 0"
        ),
        Row(
            #""defaults":{"caseSensitive":false},"details":[{"appIDs":["A.b"],"defaults":{"caseSensitive":true},"#
                + #""components":[{"/":"/X"},{"/":"/X","caseSensitive":false}]}]"#,
            "https://e.com/x",
            "match 1"
        ),
        Row(
            #""defaults":{"/":"/foo/*"},"details":[{"appIDs":["A.b"],"components":[{}]}]"#,
            "https://e.com/x",
            "no_rule_matched"
        ),
        Row(
            #""defaults":{"/":"/foo/*"},"details":[{"appIDs":["A.b"],"components":[{}]}]"#,
            "https://e.com/foo/1",
            "match 0"
        ),
        Row(
            #""defaults":{"/":"/foo/*"},"details":[{"appIDs":["A.b"],"components":[{"/":"/x"}]}]"#,
            "https://e.com/x",
            "match 0"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"defaults":{"?":{"id":"??"}},"components":[{"/":"*"}]}]"#,
            "https://e.com/x?id=7",
            "no_rule_matched"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"defaults":{"?":{"id":"??"}},"components":[{"?":{"b":"1"}}]}]"#,
            "https://e.com/x?b=1",
            "match 0"
        ),
        Row(
            ##""details":[{"appIDs":["A.b"],"defaults":{"#":"f"},"components":[{"/":"*"}]}]"##,
            "https://e.com/x",
            "no_rule_matched"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"defaults":{"exclude":true},"components":[{"/":"/a"},{"exclude":false}]}]"#,
            "https://e.com/a",
            "exclude 0"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"defaults":{"exclude":true},"components":[{"/":"/a"},{"exclude":false}]}]"#,
            "https://e.com/b",
            "match 1"
        ),
        Row(
            #""defaults":{"percentEncoded":false},"details":[{"appIDs":["A.b"],"components":[{"/":"/a b"}]}]"#,
            "https://e.com/a%20b",
            "match 0"
        ),
        Row(
            #""defaults":{"caseSensitive":false},"details":[{"appID":"A.b","paths":["/X"]}]"#,
            "https://e.com/x",
            "match 0"
        ),
        Row(
            #""defaults":5,"details":[{"appIDs":["A.b"],"defaults":[],"components":[{}]}]"#,
            "https://e.com/x",
            "match 0"
        ),
        // A pattern that is not a string overrides the default and sets no condition.
        Row(
            #""defaults":{"/":"/foo"},"details":[{"appIDs":["A.b"],"components":[{"/":5}]}]"#,
            "https://e.com/x",
            "match 0"
        ),
    ]

    static let paths = [
        Row(#""details":[{"appID":"A.b","paths":["NOT /w/i/*","/w/*"]}]"#, "https://e.com/w/i/n", "exclude 0"),
        Row(#""details":[{"appID":"A.b","paths":["NOT /w/i/*","/w/*"]}]"#, "https://e.com/w/2", "match 1"),
        Row(#""details":[{"appID":"A.b","paths":["NOT /w/i/*","/w/*"]}]"#, "https://e.com/z", "no_rule_matched"),
        Row(#""details":[{"appID":"A.b","paths":["*","NOT /w/*"]}]"#, "https://e.com/w/2", "match 0"),
        Row(#""details":[{"appID":"A.b","paths":["/f/*/bar/201?/p"]}]"#, "https://e.com/f/x/y/bar/2016/p", "match 0"),
        Row(
            #""details":[{"appID":"A.b","paths":["/f/*/bar/201?/p"]}]"#,
            "https://e.com/f/x/bar/2025/p",
            "no_rule_matched"
        ),
        Row(#""details":[{"appID":"A.b","paths":["/a"]}]"#, "https://e.com/a?b=c#d", "match 0"),
        Row(#""details":[{"appID":"A.b","paths":["/A"]}]"#, "https://e.com/a", "no_rule_matched"),
        Row(#""details":[{"appID":"A.b","paths":["a"]}]"#, "https://e.com/a", "no_rule_matched"),
        Row(#""details":[{"appID":"A.b","paths":["ab","ab/"]}]"#, "https://e.com/ab", "match 0"),
        Row(#""details":[{"appID":"A.b","paths":["*"]}]"#, "https://e.com", "match 0"),
        Row(#""details":[{"appID":"A.b","paths":["not /a"]}]"#, "https://e.com/a", "exclude 0"),
        Row(#""details":[{"appID":"A.b","paths":["NOT/a","NOT  /a","*"]}]"#, "https://e.com/a", "match 2"),
        Row(#""details":[{"appID":"A.b","paths":["NOT *","/a"]}]"#, "https://e.com/a", "exclude 0"),
        Row(#""details":[{"appID":"A.b","paths":["/a?b=1"]}]"#, "https://e.com/a?b=1", "no_rule_matched"),
        Row(#""details":[{"appID":"A.b","paths":["/b","/$(digit)"]}]"#, "https://e.com/7", "match 1"),
    ]

    static let variables = [
        variable(#""food":["pizza","sushi"]"#, "/$(food)/x", "https://e.com/sushi/x", "match 0"),
        variable(#""food":["pizza","sushi"]"#, "/$(food)/x", "https://e.com/taco/x", "no_rule_matched"),
        variable(#""food":["pizza","sushi"]"#, "/$(Food)/x", "https://e.com/pizza/x", "no_rule_matched"),
        variable(#""Canadian food":["poutine"]"#, "/$(Canadian food)", "https://e.com/poutine", "match 0"),
        variable(#""kind":["a*z","q?"]"#, "/$(kind)/x", "https://e.com/abcz/x", "match 0"),
        variable(#""kind":["a*z","q?"]"#, "/$(kind)/x", "https://e.com/qq/x", "match 0"),
        variable(#""kind":["a*z","q?"]"#, "/$(kind)/x", "https://e.com/q/x", "no_rule_matched"),
        variable(#""a":["x"],"b":["$(a)"]"#, "/$(b)", "https://e.com/x", "no_rule_matched"),
        variable(#""a":["x"],"b":["$(a)","y"]"#, "/$(b)", "https://e.com/y", "match 0"),
        variable(#""v":["",  "x"]"#, "/a$(v)b", "https://e.com/ab", "match 0"),
        variable(#""v":"x""#, "/$(v)", "https://e.com/x", "match 0"),
        variable(#""v":[]"#, "/$(v)", "https://e.com/x", "no_rule_matched"),
        variable(#""v":5"#, "/$(v)", "https://e.com/x", "no_rule_matched"),
        variable(#""v":["ab","abc"]"#, "/$(v)$(v)d", "https://e.com/abcabd", "match 0"),
        variable(#""v":["a","ab"]"#, "/$(v)bc", "https://e.com/abc", "match 0"),
        variable(#""v":["A"]"#, "/$(v)", "https://e.com/a", "no_rule_matched"),
        variable(#""digit":["x"]"#, "/$(digit)", "https://e.com/x", "match 0"),
        variable(#""digit":["x"]"#, "/$(digit)", "https://e.com/7", "no_rule_matched"),
        variable("", "/$(nothing)", "https://e.com/x", "no_rule_matched"),
        variable("", "/$(digit", "https://e.com/7", "no_rule_matched"),
        variable("", "/$(digit", "https://e.com/$(digit", "no_rule_matched"),
        variable("", "/$()", "https://e.com/x", "no_rule_matched"),
        variable("", "/a$b", "https://e.com/a$b", "match 0"),
        variable("", "/$(digit)", "https://e.com/7", "match 0"),
        variable("", "/$(digit)", "https://e.com/77", "no_rule_matched"),
        variable("", "/$(digit)$(digit)", "https://e.com/77", "match 0"),
        variable("", "/$(digit)*", "https://e.com/7abc", "match 0"),
        variable("", "/$(alpha)", "https://e.com/Q", "match 0"),
        variable("", "/$(alpha)", "https://e.com/7", "no_rule_matched"),
        variable("", "/$(upper)", "https://e.com/q", "no_rule_matched"),
        variable("", "/$(upper)", "https://e.com/Q", "match 0"),
        variable("", "/$(lower)", "https://e.com/Q", "no_rule_matched"),
        variable("", "/$(lower)", "https://e.com/q", "match 0"),
        variable("", "/$(alnum)", "https://e.com/7", "match 0"),
        variable("", "/$(alnum)", "https://e.com/-", "no_rule_matched"),
        variable("", "/$(xdigit)", "https://e.com/F", "match 0"),
        variable("", "/$(xdigit)", "https://e.com/f", "match 0"),
        variable("", "/$(xdigit)", "https://e.com/g", "no_rule_matched"),
        variable("", "/$(lang)_$(region)", "https://e.com/fr_CA", "match 0"),
        variable("", "/$(lang)_$(region)", "https://e.com/en-US", "no_rule_matched"),
        variable("", "/$(lang)_$(region)", "https://e.com/qq_ZZ", "no_rule_matched"),
        variable("", "/$(lang)", "https://e.com/haw", "match 0"),
        variable("", "/$(region)", "https://e.com/GB", "match 0"),
        variable("", "/$(region)", "https://e.com/UK", "no_rule_matched"),
        variable("", "/$(region)", "https://e.com/us", "no_rule_matched"),
        folded(#""v":["A"]"#, "/$(v)", "https://e.com/a", "match 0"),
        folded("", "/$(upper)", "https://e.com/q", "match 0"),
        folded("", "/$(lower)", "https://e.com/Q", "match 0"),
        folded("", "/$(region)", "https://e.com/us", "match 0"),
        folded(#""V":["a"]"#, "/$(v)", "https://e.com/a", "no_rule_matched"),
    ]

    private static func variable(_ variables: String, _ path: String, _ url: String, _ expected: String) -> Row {
        Row(
            #""substitutionVariables":{\#(variables)},"details":[{"appIDs":["A.b"],"components":[{"/":"\#(path)"}]}]"#,
            url,
            expected
        )
    }

    private static func folded(_ variables: String, _ path: String, _ url: String, _ expected: String) -> Row {
        Row(
            #""substitutionVariables":{\#(variables)},"defaults":{"caseSensitive":false},"#
                + #""details":[{"appIDs":["A.b"],"components":[{"/":"\#(path)"}]}]"#,
            url,
            expected
        )
    }

    @Test(arguments: forms) func form(_ row: Row) throws { try row.check() }
    @Test(arguments: order) func firstRuleDecides(_ row: Row) throws { try row.check() }
    @Test(arguments: defaults) func nearerLevelWins(_ row: Row) throws { try row.check() }
    @Test(arguments: paths) func legacyPath(_ row: Row) throws { try row.check() }
    @Test(arguments: variables) func substitution(_ row: Row) throws { try row.check() }
}
