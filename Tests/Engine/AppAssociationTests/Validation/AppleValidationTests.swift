import AppAssociation
import FoundationEssentials
import LinkRouting
import Testing

struct AppleValidationTests {
    /// A file and its findings: code, first letter of the severity, line, column and pointer.
    struct Row: CustomStringConvertible {
        let file: String
        let expected: [String]

        init(_ file: String, _ expected: [String]) {
            self.file = file
            self.expected = expected
        }

        /// Rules of one entry. Pointers are relative to `components`; columns are omitted.
        init(rules: String, _ expected: [String]) {
            file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.a"],"components":[\#(rules)]}]}}"#
            self.expected = expected
        }

        init(paths: String, _ expected: [String]) {
            file = #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a","paths":[\#(paths)]}]}}"#
            self.expected = expected
        }

        var description: String { String(file.prefix(200)) }
    }

    static let app = #""appIDs":["ABCDE12345.com.a"]"#

    static let rows: [Row] = [
        // The file as a whole.
        Row("", ["AASA-INVALID-JSON"]),
        Row("<!doctype html><html></html>", ["AASA-HTML"]),
        Row("\u{FEFF}{}", ["AASA-BYTE-ORDER-MARK"]),
        Row(#"{"applinks":{"details":[],}}"#, ["AASA-INVALID-JSON"]),
        Row("[]", ["AASA-ROOT-TYPE"]),
        Row("{}", ["AASA-NO-SERVICE"]),
        Row(#"{"webcredentials":{"apps":["ABCDE12345.com.a"]},"mine":1}"#, ["AASA-UNKNOWN-SERVICE /mine"]),
        Row(#"{"applink":{}}"#, ["AASA-NO-SERVICE", "AASA-UNKNOWN-SERVICE /applink"]),
        Row(
            #"{"webcredentials":{"apps":["ABCDE12345.com.a"]},"webcredentials":{"apps":["ABCDE12345.com.b"]}}"#,
            ["AASA-DUPLICATE-KEY /webcredentials"]
        ),
        Row(#"{"appclips":[]}"#, ["AASA-SERVICE-APPS /appclips"]),
        Row(#"{"appclips":{"apps":["com.a"]}}"#, ["AASA-APP-ID /appclips/apps/0"]),
        Row(#"{"appclips":{"apps":["ABCDE12345.ABCDE12345.com.a"]}}"#, ["AASA-APP-ID /appclips/apps/0"]),
        // applinks and its entries.
        Row(#"{"applinks":[]}"#, ["AASA-DETAILS-TYPE /applinks"]),
        Row(#"{"applinks":{}}"#, ["AASA-DETAILS-MISSING /applinks"]),
        Row(#"{"applinks":{"details":"x"}}"#, ["AASA-DETAILS-TYPE /applinks/details"]),
        Row(#"{"applinks":{"details":[]}}"#, ["AASA-DETAILS-EMPTY /applinks/details"]),
        Row(#"{"applinks":{"details":["x"]}}"#, ["AASA-DETAILS-TYPE /applinks/details/0"]),
        Row(
            #"{"applinks":{"apps":["ABCDE12345.com.a"]}}"#,
            ["AASA-DETAILS-MISSING /applinks", "AASA-APPS-NOT-EMPTY /applinks/apps"]
        ),
        Row(
            #"{"applinks":{"apps":["x"],"details":[{\#(app),"components":[{"/":"/a"}]}]}}"#,
            ["AASA-APPS-NOT-EMPTY /applinks/apps"]
        ),
        Row(
            #"{"applinks":{"apps":[],"details":{"ABCDE12345.com.a":{"paths":["/a"]}}}}"#,
            ["AASA-DETAILS-DICTIONARY /applinks/details"]
        ),
        Row(
            #"{"applinks":{"details":[{"appID":"ABCDE12345.com.a","paths":["/a"]}]}}"#,
            ["AASA-APPS-MISSING /applinks/details/0"]
        ),
        Row(#"{"applinks":{"details":[{"components":[{"/":"/a"}]}]}}"#, ["AASA-NO-APP-ID /applinks/details/0"]),
        Row(
            #"{"applinks":{"details":[{"appIDs":["abcde12345.com.a"],"components":[{"/":"/a"}]}]}}"#,
            ["AASA-APP-ID-PREFIX /applinks/details/0/appIDs/0"]
        ),
        Row(
            #"{"applinks":{"details":[{"appIDs":["TEAM_ID.com.a","XXXXXXXXXX.com.a","com.a"],"components":[{"/":"/a"}]}]}}"#,
            (0...2).map { "AASA-APP-ID /applinks/details/0/appIDs/\($0)" }
        ),
        Row(
            #"{"applinks":{"details":[{\#(app),"components":[{"/":"/a"}]},{\#(app),"components":[{"/":"/b"}]}]}}"#,
            ["AASA-DUPLICATE-APP /applinks/details/1"]
        ),
        Row(
            #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a",\#(app),"components":[{"/":"/a"}],"paths":["/a"]}]}}"#,
            ["AASA-MIXED-APP-IDS /applinks/details/0/appID", "AASA-MIXED-RULES /applinks/details/0/paths"]
        ),
        Row(
            #"{"applinks":{"details":[{"appID":"ABCDE12345.com.a","components":[{"/":"/a"}]}]}}"#,
            ["AASA-MIXED-FORMS /applinks/details/0/appID"]
        ),
        Row(
            #"{"applinks":{"apps":[],"details":[{\#(app),"paths":["/a"]}]}}"#,
            ["AASA-MIXED-FORMS /applinks/details/0/paths"]
        ),
        Row(#"{"applinks":{"details":[{\#(app)}]}}"#, ["AASA-NO-RULES /applinks/details/0"]),
        Row(
            #"{"applinks":{"details":[{\#(app),"components":{}}]}}"#,
            ["AASA-VALUE-TYPE"]
        ),
        Row(rules: "", ["AASA-EMPTY-RULES"]),
        Row(rules: #"{"/":"/a","exclude":true}"#, ["AASA-EXCLUDE-ONLY/0"]),
        Row(
            #"{"applinks":{"details":[{\#(app),"exclude":true,"components":[{"/":"/a"}]}]}}"#,
            ["AASA-UNKNOWN-KEY /applinks/details/0/exclude"]
        ),
        // A comment is no error anywhere.
        Row(
            #"{"applinks":{"details":[{\#(app),"comment":"x","components":[{"/":"/a"}]}]}}"#,
            ["AASA-UNKNOWN-KEY /applinks/details/0/comment"]
        ),
        // Rules.
        Row(rules: #"{"path":"/x"}"#, ["AASA-UNKNOWN-KEY/0/path"]),
        Row(rules: #"{"/":"/x","casesensitive":false}"#, ["AASA-UNKNOWN-KEY/0/casesensitive"]),
        Row(rules: #""/x""#, ["AASA-VALUE-TYPE/0"]),
        Row(rules: #"{"/":5}"#, ["AASA-VALUE-TYPE/0/~1"]),
        Row(rules: #"{"/":"/a","?":{"x":true}}"#, ["AASA-VALUE-TYPE/0/?/x"]),
        Row(rules: #"{"/":"/a","?":[]}"#, ["AASA-VALUE-TYPE/0/?"]),
        Row(rules: #"{"/":"/a","exclude":"no"},{"/":"/b"}"#, ["AASA-VALUE-TYPE/0/exclude"]),
        Row(rules: #"{"/":"/a","?":{"x":"*"}}"#, ["AASA-OPTIONAL-ITEM/0/?/x"]),
        Row(
            rules: #"{"?":{"x":"*"},"exclude":true},{"/":"/a"}"#,
            ["AASA-EXCLUDES-EVERYTHING/0", "AASA-OPTIONAL-ITEM/0/?/x", "AASA-UNREACHABLE-RULE/1"]
        ),
        // Unreachable rules.
        Row(rules: #"{"/":"*"},{"/":"/a","exclude":true}"#, ["AASA-UNREACHABLE-RULE/1"]),
        Row(rules: #"{"/":"/a/*"},{"/":"/a/b","exclude":true},{"/":"/b"}"#, ["AASA-UNREACHABLE-RULE/1"]),
        Row(rules: #"{"/":"/a"},{"/":"/a/?*"},{"/":"/a/*","exclude":true},{"/":"/b"}"#, ["AASA-UNREACHABLE-RULE/2"]),
        Row(
            rules: #"{"/":"/a/*","?":{"x":"?*"}},{"/":"/a/b","?":{"x":"?*"},"exclude":true},{"/":"/c"}"#,
            ["AASA-UNREACHABLE-RULE/1"]
        ),
        Row(rules: #"{"/":"/$(lang)/*"},{"/":"/en/*","exclude":true},{"/":"/c"}"#, ["AASA-UNREACHABLE-RULE/1"]),
        Row(rules: #"{"/":"/A*","caseSensitive":false},{"/":"/ab","exclude":true}"#, ["AASA-UNREACHABLE-RULE/1"]),
        Row(rules: #"{"/":"/a*"},{"/":"/Ab","exclude":true},{"/":"/c"}"#, []),
        Row(rules: #"{"/":"/a/*","?":{"x":"1"}},{"/":"/a/b","exclude":true},{"/":"/c"}"#, []),
        Row(rules: #"{"/":"/a/*","\u0023":"x"},{"/":"/a/b","exclude":true},{"/":"/c"}"#, []),
        Row(paths: #""*","NOT /admin/*""#, ["AASA-UNREACHABLE-RULE /applinks/details/0/paths/1"]),
        // Patterns.
        Row(rules: #"{"/":"/x?id=1"}"#, ["AASA-QUERY-IN-PATH/0/~1"]),
        Row(rules: #"{"/":"/#/route"}"#, ["AASA-FRAGMENT-IN-PATH/0/~1"]),
        Row(rules: #"{"/":"https://a.example/x"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(rules: #"{"/":"a.example/x"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(rules: #"{"/":"/user/:id"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(rules: #"{"/":"/user/{id}"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(rules: #"{"/":"/user/.*"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(
            rules: #"{"/":"/user/<int:id>"},{"/":"/b/[id]"},{"/":"/c/[...rest]"},{"/":"/d/(x|y)"}"#,
            (0...3).map { "AASA-PATH-SYNTAX/\($0)/~1" }
        ),
        Row(
            rules: #"{"/":"/user/$id"},{"/":"/@name"},{"/":"/$5"},{"/":"/(tabs)/x"}"#,
            (0...3).map { "AASA-PATH-SYNTAX/\($0)/~1" }
        ),
        Row(rules: #"{"/":"/x","?":{"id":"[0-9]+"}}"#, ["AASA-PATH-SYNTAX/0/?/id"]),
        Row(rules: #"{"/":"/x","?":{"id":":id"}}"#, ["AASA-PATH-SYNTAX/0/?/id"]),
        Row(rules: #"{"/":"/x","?":{"id":"{id}"}}"#, ["AASA-PATH-SYNTAX/0/?/id"]),
        Row(rules: #"{"/":"/x","?":{"id":".*"}}"#, ["AASA-PATH-SYNTAX/0/?/id"]),
        Row(rules: #"{"/":"/x","?":{"id":"\\d+"}}"#, ["AASA-PATH-SYNTAX/0/?/id"]),
        Row(rules: #"{"/":"/x","?":{"tab":"(a|b)"}}"#, ["AASA-PATH-SYNTAX/0/?/tab"]),
        Row(rules: #"{"/":"/x","?":"id=[0-9]+&x=*"}"#, ["AASA-PATH-SYNTAX/0/?"]),
        Row(rules: #"{"/":"/x","?":"id=:id"}"#, ["AASA-PATH-SYNTAX/0/?"]),
        Row(rules: ##"{"/":"/x","#":"item-[0-9]+"}"##, ["AASA-PATH-SYNTAX/0/#"]),
        Row(rules: ##"{"/":"/x","#":"/item/:id"}"##, ["AASA-PATH-SYNTAX/0/#"]),
        Row(rules: ##"{"/":"/x","#":"!/item/<id>"}"##, ["AASA-PATH-SYNTAX/0/#"]),
        Row(
            rules: #"{"/":"/a/$(digit)/?*_(?*)/*splat","?":{"v":"1.*","t":"?*","l":"$(lang)","m":"a@b","n":"x+y"}}"#,
            []
        ),
        Row(rules: #"{"/":"NOT /x"}"#, ["AASA-PATH-SYNTAX/0/~1"]),
        Row(paths: #""!/x""#, ["AASA-PATH-SYNTAX /applinks/details/0/paths/0"]),
        Row(paths: #""NOT/x","/y""#, ["AASA-PATH-SYNTAX /applinks/details/0/paths/0"]),
        Row(paths: "5", ["AASA-VALUE-TYPE /applinks/details/0/paths/0"]),
        Row(rules: #"{"/":"abc"}"#, ["AASA-NO-SLASH/0/~1"]),
        Row(rules: #"{"/":"/café"}"#, ["AASA-ENCODING/0/~1"]),
        Row(rules: #"{"/":"/a b"}"#, ["AASA-ENCODING/0/~1"]),
        Row(rules: #"{"/":"/caf%C3%A9","percentEncoded":false}"#, ["AASA-ENCODING/0/~1"]),
        Row(rules: #"{"/":"/caf%c3%a9"}"#, ["AASA-ESCAPE-CASE/0/~1"]),
        Row(rules: #"{"/":"/a\\b"}"#, ["AASA-BACKSLASH/0/~1"]),
        Row(rules: #"{"/":"/\#(String(repeating: "a*", count: 65))"}"#, ["AASA-COMPLEXITY/0/~1"]),
        Row(rules: #"{"/":"/$(Lang)/x"}"#, ["AASA-UNKNOWN-VARIABLE/0/~1"]),
        Row(rules: #"{"/":"/$(lang"}"#, ["AASA-UNKNOWN-VARIABLE/0/~1"]),
        Row(rules: #"{"/":"/about"},{"/":"/About"}"#, ["AASA-LETTER-CASE/1"]),
        Row(
            #"{"applinks":{"substitutionVariables":{"a":["x","$(b)"],"lang":["x"],"c":5},"details":[{\#(app),"components":[{"/":"/$(a)"}]}]}}"#,
            [
                "AASA-VARIABLE-VALUE /applinks/substitutionVariables/a/1",
                "AASA-SHADOWED-VARIABLE /applinks/substitutionVariables/lang",
                "AASA-VARIABLE-VALUE /applinks/substitutionVariables/c",
            ]
        ),
        Row(
            #"{"applinks":{"defaults":{"caseSensitve":false},"details":[{\#(app),"components":[{"/":"/a"}]}]}}"#,
            ["AASA-UNKNOWN-KEY /applinks/defaults/caseSensitve"]
        ),
        // Rules that are dead, or match more than they seem to.
        Row(
            #"{"applinks":{"substitutionVariables":{"v":[],"w":["x",""],"a//b":["x"]},"details":[{\#(app),"components":[{"/":"/$(v)/x"}]}]}}"#,
            [
                "AASA-VARIABLE-VALUE /applinks/substitutionVariables/v",
                "AASA-VARIABLE-VALUE /applinks/substitutionVariables/w/1",
                "AASA-VARIABLE-VALUE /applinks/substitutionVariables/a~1~1b",
            ]
        ),
        Row(rules: ##"{"/":"/a","#":"#top"}"##, ["AASA-DELIMITER/0/#"]),
        Row(rules: #"{"/":"/a","?":"?a=1"}"#, ["AASA-DELIMITER/0/?"]),
        Row(rules: #"{"/":"/a","?":{"?a":"1"}}"#, ["AASA-DELIMITER/0/?/?a"]),
        Row(rules: #"{"/":"/a","?":"?*"}"#, []),
        Row(rules: #"{"/":"/a","?":{"na%20me":"x"}}"#, ["AASA-ENCODING/0/?/na%20me"]),
        Row(rules: "{}", ["AASA-EMPTY-RULE/0"]),
        Row(rules: #"{"comment":"x"}"#, ["AASA-EMPTY-RULE/0"]),
        Row(
            #"{"applinks":{"details":[{\#(app),"defaults":{"/":"/a"},"components":[{}]}]}}"#,
            []
        ),
        Row(rules: #"{"/":"/a"},{"/":"/b","exclude":true}"#, ["AASA-POINTLESS-EXCLUSION/1"]),
        Row(paths: #""/a","NOT /b""#, ["AASA-POINTLESS-EXCLUSION /applinks/details/0/paths/1"]),
        Row(
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.a","ABCDE12345.com.a"],"components":[{"/":"/a"}]}]}}"#,
            ["AASA-DUPLICATE-APP /applinks/details/0/appIDs/1"]
        ),
        // Valid, documented content.
        Row(
            #"{"applinks":{"substitutionVariables":{"food":["burrito","pizza"]},"defaults":{"caseSensitive":false},"details":[{\#(app),"defaults":{"percentEncoded":false},"components":[{"\u0023":"no_universal_links","exclude":true,"comment":"x"},{"/":"/buy/*"},{"/":"/help/website/*","exclude":true},{"/":"/help/*","?":{"articleNumber":"????"}},{"/":"/$(food)/$(lang)_$(region)/"}]}]},"webcredentials":{"apps":["ABCDE12345.com.a"]},"appclips":{"apps":["ABCDE12345.com.a.Clip"]},"activitycontinuation":{"apps":["ABCDE12345.com.a"]}}"#,
            []
        ),
        Row(paths: #""NOT /m/callback/*","/m/?*","*""#, []),
        Row(rules: #"{"/":"/a"},{"/":"*","exclude":true}"#, []),
    ]

    /// A correction keeps what the rule means, and fits the list that it is for.
    @Test(
        arguments: [
            (
                Row(rules: #"{"/":"?xtor=","exclude":true},{"/":"*"}"#, []),
                #"Write {"?": {"xtor": "?*"}, "exclude": true}."#
            ),
            (Row(rules: #"{"/":"/a?id=1&x=2"}"#, []), #"Write {"/": "/a", "?": {"id": "1", "x": "2"}}."#),
            (Row(rules: #"{"/":"/a?id=*"}"#, []), #"Write {"/": "/a", "?": {"id": "?*"}}."#),
            (
                Row(rules: ##"{"/":"/a#b","exclude":true},{"/":"*"}"##, []),
                ##"Write {"/": "/a", "#": "b", "exclude": true}."##
            ),
            (
                Row(paths: #""/a?id=1""#, []),
                "Remove it, or write all rules as 'components', which have conditions for queries and fragments."
            ),
            (Row(paths: #""NOT /a/:id","*""#, []), #"Write "NOT /a/?*"."#),
            (
                Row(
                    #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a","paths":["*"],"exclude":["/z*"]}]}}"#,
                    []
                ),
                #"Write "NOT /z*" at the beginning of 'paths'."#
            ),
        ] as [(Row, String)]
    )
    func fixIsNoWorseThanTheMistake(_ row: Row, _ fix: String) {
        #expect(AppleAppSiteAssociation.validate(Array(row.file.utf8)).map(\.fix) == [fix])
    }

    @Test(arguments: rows) func everyMistakeIsFoundAndNothingElse(_ row: Row) {
        let found = AppleAppSiteAssociation.validate(Array(row.file.utf8)).map { finding in
            let pointer = finding.pointer.replacing("/applinks/details/0/components", with: "")
            return pointer.isEmpty || finding.pointer != pointer
                ? "\(finding.code)\(pointer)" : "\(finding.code) \(pointer)"
        }

        #expect(found == row.expected)
    }

    @Test func everyFindingHasAFixAndAPosition() {
        for row in Self.rows {
            for finding in AppleAppSiteAssociation.validate(Array(row.file.utf8)) {
                #expect(finding.message.hasSuffix(".") && finding.fix.hasSuffix("."), "\(finding)")
                #expect(finding.position.line >= 1 && finding.position.column >= 1)
            }
        }
    }

    /// Other tests cover size, signatures and entitlements.
    @Test func everyCodeOfTheCatalogueHasARow() {
        let tested = Set(
            Self.rows.flatMap { AppleAppSiteAssociation.validate(Array($0.file.utf8)) }.map(\.code.rawValue)
        )
        let others: Set = [
            "AASA-ROOT-ONLY", "AASA-SIGNATURE",
            "AASA-ENTITLEMENT", "AASA-ENTITLEMENT-MODE", "AASA-SIGNED", "AASA-TOO-LARGE",
            // Codes about hosting: tested below and in the tests of `association doctor`.
            "AASA-NOT-SERVED", "AASA-REDIRECT", "AASA-CONTENT-TYPE", "AASA-CDN-FAILURE", "AASA-CDN-STALE",
            "AASA-HOST-NOT-COVERED", "AASA-NOT-PUBLISHED", "AASA-APP-NOT-NAMED", "AASA-TEST-ADVICE",
        ]

        #expect(tested.union(others) == Set(AssociationFinding.appleCatalogue.map(\.code.rawValue)))
    }

    // MARK: Hosting

    @Test(
        arguments: [
            (200, nil, "application/json", []), (200, nil, "Application/JSON; charset=utf-8", []),
            (200, nil, "application/octet-stream", ["AASA-CONTENT-TYPE"]), (200, nil, nil, ["AASA-CONTENT-TYPE"]),
            (301, "https://b.example/", nil, ["AASA-REDIRECT"]), (307, nil, "application/json", ["AASA-REDIRECT"]),
            (403, nil, "text/html", ["AASA-NOT-SERVED"]), (404, nil, nil, ["AASA-NOT-SERVED"]),
            (503, nil, "application/json", ["AASA-NOT-SERVED"]),
        ] as [(Int, String?, String?, [String])]
    )
    func hostingIsValidated(status: Int, redirect: String?, type: String?, codes: [String]) {
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.a"],"components":[{"/":"/buy/*"}]}]}}"#
        let hosting = AssociationHosting(status: status, redirect: redirect, contentType: type)
        let found = AppleAppSiteAssociation.validate(Array(file.utf8), hosting: hosting)

        #expect(found.map(\.code.rawValue) == codes)
        #expect(redirect == nil || found.contains { $0.message.contains("to 'https://b.example/'") })
    }

    @Test func errorPageIsNotReadAsAFile() {
        let hosting = AssociationHosting(status: 404, contentType: "text/html")
        #expect(AppleAppSiteAssociation.validate(Array("<html>".utf8), hosting: hosting).map(\.code) == [.notServed])
        #expect(AssetLinks.validate(Array("<html>".utf8), hosting: hosting).map(\.code) == [.androidNotServed])
    }

    @Test func contentDeliveryNetworkIsComparedWithTheHost() {
        let file = Array("{}".utf8)
        #expect(AppleCDNResponse(status: 200, body: file).findings(origin: file).isEmpty)
        #expect(AppleCDNResponse(status: 200, body: file).findings(origin: nil).isEmpty)
        #expect(AppleCDNResponse(status: 200, body: []).findings(origin: file).map(\.code) == [.cdnStale])
        let failed = AppleCDNResponse(
            status: 404,
            failureReason: "SWCERR00101 Bad HTTP Response: 404",
            triedURL: "https://a/"
        )
        #expect(failed.findings(origin: file).map(\.code) == [.cdnFailure])
        #expect(failed.findings(origin: nil).first?.message.contains("SWCERR00101 Bad HTTP Response: 404") == true)
    }

    @Test func differenceNamesTheFirstPlace() throws {
        for (left, right, pointer) in [
            (#"{"a":1,"b":[1,2]}"#, #"{"b":[1,2],"a":1}"#, nil), (#"{"a":1}"#, #"{"a":2}"#, "/a"),
            (#"{"a/b":{"x":[1,{"y":0}]}}"#, #"{"a/b":{"x":[1,{"y":1}]}}"#, "/a~1b/x/1/y"),
            (#"{"a":[1]}"#, #"{"a":[1,2]}"#, "/a/1"), (#"{"a":[1,2]}"#, #"{"a":[1]}"#, "/a/1"),
            (#"{"a":1,"b":2}"#, #"{"a":1}"#, "/b"), (#"{"a":1}"#, #"{"a":1,"b":2}"#, "/b"), ("[]", "{}", ""),
        ] {
            let limits = JSONReader.Limits(maximumBytes: 1_000)
            let first = try JSONReader.parse(left, limits: limits)
            #expect(first.difference(to: try JSONReader.parse(right, limits: limits))?.pointer == pointer)
        }
    }

    // MARK: Places

    @Test func magazineWithoutCommasIsReportedWithItsPlace() throws {
        let file = """
            {"applinks": {"apps": [], "details": {
              "2XNJA5XN6D.com.medium.reader": {"paths": ["NOT /m/callback/*", "NOT /m/global-identity" "*"]}
            }}}
            """
        let found = AppleAppSiteAssociation.validate(Array(file.utf8))

        #expect(found.map(\.code) == [.invalidJSON])
        #expect(found.first?.position == JSONNode.Position(line: 2, column: 92))
        #expect(found.first?.message.contains("drop the whole file") == true)
    }

    @Test(arguments: [
        (#"{"applinks":{"apps":[],"details":[{"appID":{TEAM_ID}.{BUNDLE_ID}","paths":["*"]}]}}"#, 1, 45),
        (#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a","paths":["*","NOT /admin/*"]}]}}"#, 1, 76),
    ])
    func mistakeOfTheGuidesHasItsPlace(_ file: String, _ line: Int, _ column: Int) {
        let found = AppleAppSiteAssociation.validate(Array(file.utf8))

        #expect(found.count == 1)
        #expect(found.first.map { [$0.position.line, $0.position.column] } == [line, column])
        #expect(found.first?.severity == .error)
    }

    @Test func unknownKeysSayThatTheRuleTakesEverything() {
        let rules = #"{"source":"x"},{"action":"x"},{"component":"x"},{"limit":1}"#
        let file = Row(rules: rules, []).file
        let unknown = AppleAppSiteAssociation.validate(Array(file.utf8)).filter { $0.code == .unknownKey }

        #expect(unknown.count == 4)
        #expect(unknown.allSatisfy { $0.severity == .error && $0.message.contains("matches every URL") })
    }

    // MARK: Size and signature

    @Test func largeFileIsValidated() {
        let rules = (0..<6_000).map { #"{"/":"/some/longer/path/\#($0)"}"# }.joined(separator: ",")
        let found = AppleAppSiteAssociation.validate(Array(Row(rules: rules, []).file.utf8))

        #expect(found.map(\.code) == [.tooLarge])
    }

    /// Files of almost 1 MiB. Comparing all pairs of their parts takes minutes.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            Row(
                #"{"applinks":{"details":[{"appIDs":[\#(list(40_000) { #""ABCDE12345.a.b\#($0)""# })],"components":[{"/":"/a"}]}]}}"#,
                ["AASA-TOO-LARGE"]
            ),
            Row(
                #"{"applinks":{"substitutionVariables":{\#(list(10_000) { #""v\#($0)":["a"]"# })},"details":[{\#(app),"components":["#
                    + list(20_000) { #"{"/":"/$(w\#($0))"}"# } + "]}]}}",
                ["AASA-TOO-LARGE"] + Array(repeating: "AASA-UNKNOWN-VARIABLE", count: 100)
            ),
            Row(
                #"{"applinks":{"substitutionVariables":{\#(list(10_000) { #""v\#($0)":["a"]"# })},"details":[{\#(app),"components":[{"/":""#
                    + (0..<40_000).map { "$(other\($0))" }.joined() + #""}]}]}}"#,
                ["AASA-TOO-LARGE", "AASA-UNKNOWN-VARIABLE", "AASA-COMPLEXITY"]
            ),
            Row(
                #"{"applinks":{"substitutionVariables":{\#(list(12_000) { #""\#(long)v\#($0)":["a"]"# })},"details":[{\#(app),"components":["#
                    + list(100) { rule in
                        #"{"/":"/\#((0..<8).map { "$(\(long)abc\(rule)\($0))" }.joined())"}"#
                    } + "]}]}}",
                ["AASA-TOO-LARGE"] + Array(repeating: "AASA-UNKNOWN-VARIABLE", count: 100)
            ),
        ]
    )
    func largeFileIsValidatedInTime(_ row: Row) {
        let found = AppleAppSiteAssociation.validate(Array(row.file.utf8))

        #expect(found.map(\.code.rawValue).filter(Set(row.expected).contains) == row.expected)
        #expect(found.allSatisfy { $0.message.utf8.count < 500 })
    }

    private static let long = String(repeating: "x", count: 35)

    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
    }

    @Test func manyUnknownVariablesAreNamedInPart() {
        let text = (1...10).map { "$(zz\($0))" }.joined()
        let found = AppleAppSiteAssociation.validate(Array(Row(rules: #"{"/":"/\#(text)"}"#, []).file.utf8))

        #expect(
            found.first { $0.code == .unknownVariable }?.message
                == "No variable is called 'zz1', 'zz10', 'zz2', 'zz3', 'zz4', 'zz5', 'zz6', 'zz7' (and 2 more): the pattern "
                + "matches nothing."
        )
    }

    @Test func signedFileIsReportedAsSigned() {
        #expect(AppleAppSiteAssociation.validate([0x30, 0x82, 0x01, 0x02]).map(\.code) == [.signed])
    }

    @Test func manyFindingsOfACodeAreCut() {
        let rules = (0..<500).map { #"{"/":"/a\#($0)","patch":1}"# }.joined(separator: ",")

        #expect(AppleAppSiteAssociation.validate(Array(Row(rules: rules, []).file.utf8)).count == 100)
    }

    // MARK: Files

    @Test(arguments: [
        ("taxi", "farechoice.taxi"), ("magazine", "medium.com"), ("blogs", "app.example.com"),
        ("shop", "www.yourappdomain.com"),
    ])
    func generatedFileHasNoFindings(_ tenant: String, _ host: String) throws {
        let router = try Examples.router(tenant)

        #expect(AppleAppSiteAssociation.validate(AASAGenerator.file(for: host, router: router)) == [])
    }

    @Test func legacyPathsAreWarnedAboutAndNoMore() throws {
        let policy = AssociationPolicy(legacyPaths: true)
        let generator = AASAGenerator(host: "medium.com", router: try Examples.router("magazine"), policy: policy)
        let found = AppleAppSiteAssociation.validate(generator.file())

        #expect(Set(found.map(\.code)) == [.mixedAppIDs, .mixedRules])
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    // MARK: Entitlements

    @Test(arguments: [
        ("applinks:www.acme.com", []), ("webcredentials:*.acme.com", []), ("applinks:xn--bcher-kva.example", []),
        ("applinks:www.acme.com?mode=developer", ["AASA-ENTITLEMENT-MODE"]),
        ("applinks:https://www.acme.com/path", ["AASA-ENTITLEMENT"]), ("www.acme.com", ["AASA-ENTITLEMENT"]),
        ("applinks:www.acme.com:443", ["AASA-ENTITLEMENT"]), ("applinks:www.acme.com/", ["AASA-ENTITLEMENT"]),
        ("applinks:bücher.example", ["AASA-ENTITLEMENT"]), ("applinks:", ["AASA-ENTITLEMENT"]),
        ("appclips:*.acme.com", ["AASA-ENTITLEMENT"]), ("applinks:www.acme.com?mode=debug", ["AASA-ENTITLEMENT"]),
    ])
    func entitlementIsValidated(_ value: String, _ codes: [String]) {
        #expect(Entitlement.validate(value).map(\.code.rawValue) == codes)
    }
}
