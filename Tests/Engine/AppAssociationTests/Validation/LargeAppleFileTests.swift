import AppAssociation
import LinkRouting
import Testing

/// Hostile files of almost 1 MiB. Most took more than a minute, or gigabytes of memory, or had findings of many times
/// their size.
struct LargeAppleFileTests {
    struct File: CustomTestStringConvertible {
        let testDescription: String
        let file: String
        /// The codes of the findings after AASA-TOO-LARGE, each with its number of findings.
        let codes: [String: Int]

        init(_ description: String, _ file: String, _ codes: [String: Int] = [:]) {
            testDescription = description
            self.file = file
            self.codes = codes.merging(["AASA-TOO-LARGE": 1]) { $1 }
        }
    }

    private static let files = [
        File(
            "spaces",
            rules(#"{"/":"/\#(repeated(" ", 450_000) + repeated("a", 450_000))"}"#),
            ["AASA-ENCODING": 1]
        ),
        File(
            "regional indicators",
            rules(#"{"/":"/\#(repeated("\u{1F1E6}", 225_000))"}"#),
            ["AASA-ENCODING": 1]
        ),
        File("unterminated variables", rules(#"{"/":"/\#(repeated("$(", 450_000))"}"#), ["AASA-UNKNOWN-VARIABLE": 1]),
        File(
            "rules with a variable of many values",
            rules(
                list(22_500) { #"{"/":"/$(v)\#($0)"}"# },
                before: #""substitutionVariables":{"v":[\#(list(45_000) { "\"a\($0)\"" })]}"#
            )
        ),
        File(
            "elements below a long key",
            #"{"\#(repeated("k", 450_000))":[\#(list(225_000) { _ in "1" })]}"#,
            ["AASA-UNKNOWN-SERVICE": 1, "AASA-NO-SERVICE": 1]
        ),
        File(
            "values of a variable with a long name",
            rules(
                #"{"/":"/a"}"#,
                before: #""substitutionVariables":{"\#(repeated("k", 450_000))":[\#(list(225_000) { _ in "1" })]}"#
            ),
            ["AASA-VARIABLE-VALUE": 100]
        ),
        File(
            "rules of an app with a long name",
            #"{"applinks":{"details":{"\#(repeated("k", 450_000))":{"components":[\#(list(35_000) { #"{"/":"b\#($0)"}"# })]}}}}"#,
            ["AASA-DETAILS-DICTIONARY": 1, "AASA-APP-ID": 1, "AASA-NO-SLASH": 100]
        ),
        File(
            "a long path in the defaults",
            rules(list(20_000) { _ in #"{"?":"a"}"# }, before: #""defaults":{"/":"/\#(repeated("a", 600_000))"}"#)
        ),
        File(
            "query items in the defaults",
            rules(
                list(30_000) { _ in #"{"exclude":true}"# } + #",{"/":"*"}"#,
                before: #""defaults":{"?":{\#(list(30_000) { #""q\#($0)":"*""# })}}"#
            ),
            ["AASA-OPTIONAL-ITEM": 100, "AASA-EXCLUDES-EVERYTHING": 100, "AASA-UNREACHABLE-RULE": 62]
        ),
        File("rules for one path with different queries", rules(list(45_000) { #"{"?":"q\#($0)"}"# })),
        File(
            "a value of stars",
            rules(
                #"{"/":"/$(v)"},{"/":"/a"}"#,
                before: #""substitutionVariables":{"v":["\#(repeated("*", 600_000))"]}"#
            )
        ),
        File(
            "stars and empty values",
            rules(
                #"{"/":"/\#(repeated("*$(v)", 150_000))"},{"/":"/\#(repeated("*$(v)", 30_000))"}"#,
                before: #""substitutionVariables":{"v":[""]}"#
            ),
            ["AASA-VARIABLE-VALUE": 1, "AASA-COMPLEXITY": 2]
        ),
        File(
            "characters that are compared decoded",
            rules(
                #"{"/":"/\#(repeated("?", 450_000))"},{"/":"/\#(repeated("?", 450_000))"}"#,
                before: #""defaults":{"percentEncoded":false}"#
            )
        ),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: files) func largeFileIsValidatedInTime(_ row: File) {
        let found = AppleAppSiteAssociation.validate(Array(row.file.utf8))

        #expect(Dictionary(found.map { ($0.code.rawValue, 1) }, uniquingKeysWith: +) == row.codes)
        #expect(AssociationReport([.init("body", found)]).json().utf8.count < 4 * row.file.utf8.count)
    }

    /// A client that has disconnected cancels the work.
    @Test func cancelledValidationEnds() {
        let rules = Self.list(30_000) { #"{"/":"b\#($0)"}"# }
        let file = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.a"],"components":[\#(rules)]}]}}"#
        var looks = 0
        let budget = WorkBudget(steps: .max) {
            looks += 1
            return looks > 1
        }

        #expect(AppleAppSiteAssociation.validate(Array(file.utf8), within: budget).map(\.code) == [.tooLarge])
        #expect(looks == 2)
    }

    @Test func longKeyIsCutInFindings() {
        let file = #"{"applinks":{"details":[],"\#(Self.repeated("k", 200))":1,"\#(Self.repeated("é", 101))":2}}"#
        let found = AppleAppSiteAssociation.validate(Array(file.utf8)).filter { $0.code == .unknownKey }
        let keys = [Self.repeated("k", 200), Self.repeated("é", 98) + "…"]

        #expect(found.map(\.pointer) == keys.map { "/applinks/\($0)" })
        #expect(found.map(\.message) == keys.map { "Unknown key '\($0)': devices ignore it." })
    }

    private static func rules(_ rules: String, before members: String = #""apps":[]"#) -> String {
        #"{"applinks":{\#(members),"details":[{"appIDs":["ABCDE12345.com.a"],"components":[\#(rules)]}]}}"#
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
    }
}
