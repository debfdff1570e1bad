import AppAssociation
import Testing

/// The answer reports behaviour that Apple does not document, with its place in the file.
struct AppleNoteTests {
    struct Row: CustomTestStringConvertible {
        let applinks: String
        let notes: [String]

        /// A note is `code pointer`, with the pointer relative to `/applinks`.
        init(_ applinks: String, _ notes: String...) { self.init(applinks, notes) }

        init(_ applinks: String, _ notes: [String]) {
            self.applinks = applinks
            self.notes = notes
        }

        var testDescription: String { applinks }
    }

    static let rows = [
        Row(#""details":[{"appIDs":["A.b"],"components":[{"/":"/x"}]}]"#),
        Row(#""apps":[],"details":[{"appID":"A.b","paths":["NOT /x","*"]}]"#),
        Row(#""apps":["A.b"],"details":[{"appID":"A.b","paths":["*"]}]"#, "apps_beside_details /apps"),
        Row(#""apps":["A.b"]"#, "apps_without_details /apps"),
        Row(#""details":[{"appID":"A.b"}]"#, "no_rules /details/0"),
        Row(#""details":[{"appIDs":["A.b"],"paths":["*"]}]"#, "app_ids_beside_paths /details/0"),
        Row(#""details":[{"appID":"A.b","components":"/x","paths":["*"]}]"#, "components_type /details/0"),
        Row(#""details":[{"appID":"A.b","appID":"A.b","paths":["*"]}]"#, "duplicate_key /details/0"),
        Row(#""details":[],"details":[{"appID":"A.b","paths":["*"]}]"#, "duplicate_key "),
        component("5", "rule_type /details/0/components/0"),
        component(#"{"/":5}"#, "pattern_type /details/0/components/0/~1"),
        component(##"{"#":null}"##, "pattern_type /details/0/components/0/#"),
        component(#"{"?":5}"#, "query_type /details/0/components/0/?"),
        component(#"{"?":{}}"#, "empty_query /details/0/components/0/?"),
        component(#"{"?":{"a/b":true}}"#, "item_type /details/0/components/0/?/a~1b"),
        component(#"{"?":{"a":"1","a":"2"}}"#, "duplicate_key /details/0/components/0/?"),
        component(#"{"/":"/y","/":"/x"}"#, "duplicate_key /details/0/components/0"),
        component(#"{"exclude":"false"}"#, "flag_type /details/0/components/0/exclude"),
        component(#"{"caseSensitive":1}"#, "flag_type /details/0/components/0/caseSensitive"),
        component(#"{"percentEncoded":null}"#, "flag_type /details/0/components/0/percentEncoded"),
        component(#"{"/":"/$(nothing)"}"#, "unknown_variable /details/0/components/0/~1"),
        component(#"{"?":{"a":"$("}}"#, "unterminated_variable /details/0/components/0/?/a"),
        component(##"{"#":"\\*"}"##, "backslash /details/0/components/0/#"),
        component(#"{"/":"\#(String(repeating: "*a", count: 65))"}"#, "complexity /details/0/components/0/~1"),
        component(#"{"/":"\#(String(repeating: "*a", count: 64))"}"#),
        component(#"{"/":"/$(region)"}"#),
        component(#"{"/":"/x?*"}"#, "slash_added /details/0/components/0"),
        component(#"{"/":"/??*"}"#, "slash_added /details/0/components/0"),
        component(#"{"/":"/x/*"}"#), component(#"{"/":"/x*"}"#), component(#"{"/":"/?*"}"#),
        component(#"{"/":"x"}"#, "one_character /details/0/components/0"),
        component(#"{"?":{"a%20b":"x"}}"#, "encoded_name /details/0/components/0"),
        component(#"{"?":"$(region)"}"#, "locale_code_case /details/0/components/0"),
        component(
            #"{"?":"É","caseSensitive":false,"percentEncoded":false}"#,
            "non_ascii_folding /details/0/components/0"
        ),
        Row(
            #""substitutionVariables":{"digit":["x"]},"details":[{"appIDs":["A.b"],"components":[{"/":"$(digit)"}]}]"#,
            "shadowed_variable /details/0/components/0/~1"
        ),
        Row(
            #""substitutionVariables":{"v":["$(digit)",5]},"details":[{"appIDs":["A.b"],"components":[{"/":"$(v)"}]}]"#,
            "variable_type /details/0/components/0/~1",
            "variable_in_value /details/0/components/0/~1"
        ),
        Row(
            #""substitutionVariables":{"v":5},"details":[{"appIDs":["A.b"],"components":[{"/":"$(v)"}]}]"#,
            "unknown_variable /details/0/components/0/~1",
            "variable_type /details/0/components/0/~1"
        ),
        Row(
            #""defaults":{"exclude":1},"details":[{"appIDs":["A.b"],"components":[{}]}]"#,
            "flag_type /defaults/exclude"
        ),
        Row(
            #""details":[{"appIDs":["A.b"],"defaults":{"/":5},"components":[{}]}]"#,
            "pattern_type /details/0/defaults/~1"
        ),
        Row(#""details":[{"appID":"A.b","paths":["not /y"]}]"#, "not_in_lower_case /details/0/paths/0"),
        Row(#""details":[{"appID":"A.b","paths":[5]}]"#, "pattern_type /details/0/paths/0"),
        Row(#""details":[{"appID":"A.b","paths":["/$(x)"]}]"#, "unknown_variable /details/0/paths/0"),
        // Rules after the deciding one are not evaluated.
        Row(#""details":[{"appID":"A.b","components":[{"/":"/x"},{"/":5}]}]"#),
    ]

    private static func component(_ component: String, _ notes: String...) -> Row {
        Row(#""details":[{"appIDs":["A.b"],"components":[\#(component)]}]"#, notes)
    }

    @Test(arguments: rows)
    func theFilesOwnNotes(_ row: Row) throws {
        let file = try AppleAppSiteAssociation(parsing: #"{"applinks":{\#(row.applinks)}}"#.utf8)
        let decision = file.decision(for: "https://e.com/x?us", app: "A.b")
        let notes = decision.notes.map { "\($0.code.rawValue) \(($0.pointer ?? "").dropFirst("/applinks".count))" }
        #expect(notes == row.notes)
    }

    @Test func entriesOfAnObjectHaveNoOrder() throws {
        let json = #"{"applinks":{"details":{"A.b":{"paths":["/y"]},"A.c":{"paths":["*"]}}}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/x")
        #expect((decision.app, decision.entry) == ("A.c", 1))
        #expect(decision.notes.map(\.code) == [.dictionaryOrder, .orderAcrossApps])
    }

    @Test func notesOfAFileFullOfOdditiesAreFew() throws {
        let rules = repeatElement(#"{"/":"/\\"},5"#, count: 3_000).joined(separator: #",{"/":"/y"},"#)
        let json = #"{"applinks":{"defaults":{"/":"/y"},"details":[{"appID":"A.b","components":[\#(rules)]}]}}"#
        let decision = try AppleAppSiteAssociation(parsing: json.utf8).decision(for: "https://e.com/x")
        #expect(decision.reason == .noRuleMatched)
        #expect(decision.notes.count == 100)
    }
}
