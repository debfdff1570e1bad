import AppAssociation
import FoundationEssentials
import LinkRouting
import Testing

struct AndroidValidationTests {
    private static let print =
        "34:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
    private static let second =
        "24:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
    private static let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#
    private static let target =
        #""target":{"namespace":"android_app","package_name":"com.a","sha256_cert_fingerprints":["\#(print)","\#(second)"]}"#

    private static func statement(relation: String = relation, target: String = target, more: String = "") -> String {
        "[{\(relation),\(target)\(more)}]"
    }

    private static func rules(_ rules: String) -> String {
        statement(
            more:
                #","relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[\#(rules)]}}"#
        )
    }

    private static func app(package: String = "com.a", _ prints: String) -> String {
        statement(
            target:
                #""target":{"namespace":"android_app","package_name":"\#(package)","sha256_cert_fingerprints":\#(prints)}"#
        )
    }

    /// A file and the codes that validation reports, in file order.
    static let rows: [(file: String, codes: [String])] = [
        (statement(), []),
        (rules(#"{"/":"/a/*"},{"/":"/b","?":{"x":"1"}},{"\u0023":"f"}"#), ["DAL-MANIFEST"]),
        ("", ["DAL-INVALID-JSON"]), ("[{},]", ["DAL-INVALID-JSON"]), ("<html>", ["DAL-HTML"]),
        ("{}", ["DAL-ROOT-TYPE"]), (#"{"applinks":{}}"#, ["DAL-ROOT-TYPE"]), ("[]", ["DAL-NO-STATEMENTS"]),
        ("[1]", ["DAL-STATEMENT"]),
        (statement(more: #","mine":1,"mine":2"#), ["DAL-UNKNOWN-KEY", "DAL-DUPLICATE-KEY", "DAL-UNKNOWN-KEY"]),
        (statement(relation: #""relation":"delegate_permission/common.handle_all_urls""#), ["DAL-RELATION"]),
        (statement(relation: #""relation":["delegate_permission/common.other"]"#), ["DAL-UNSUPPORTED-RELATION"]),
        ("[{\(relation)}]", ["DAL-TARGET"]),
        (statement(target: #""target":{"namespace":"android","package_name":"com.a"}"#), ["DAL-NAMESPACE"]),
        (statement(target: #""target":{"namespace":"web","site":"example.com"}"#), ["DAL-SITE"]),
        (app(package: "1a", #"["\#(print)","\#(second)"]"#), ["DAL-PACKAGE-NAME"]),
        (app("[]"), ["DAL-FINGERPRINTS"]), (app(#""\#(print)""#), ["DAL-FINGERPRINTS"]),
        (app(#"["\#(print.lowercased())","\#(second)"]"#), ["DAL-FINGERPRINT"]),
        (app(#"["YOUR_FINGERPRINT","\#(second)"]"#), ["DAL-FINGERPRINT"]),
        (app(#"["\#(print)"]"#), ["DAL-ONE-FINGERPRINT"]),
        (#"[{"include":"ftp://a.example/x"}]"#, ["DAL-INCLUDE"]),
        (rules(#"{"/":"/a","exclude":true}"#), ["DAL-MANIFEST", "DAL-EXCLUDE-ONLY"]),
        (rules(#"{"/":"*"},{"/":"/a","exclude":true}"#), ["DAL-MANIFEST", "DAL-UNREACHABLE-RULE"]),
        (rules(#"{"?":"a=1"}"#), ["DAL-MANIFEST", "DAL-QUERY-TYPE"]),
        (rules(#"{"/":""}"#), ["DAL-MANIFEST", "DAL-RULE-VALUE"]),
        (rules(#"{},{"/":"/a"}"#), ["DAL-MANIFEST", "DAL-EMPTY-RULE"]),
        (rules(#"{"/":"/a","caseSensitive":false}"#), ["DAL-MANIFEST", "DAL-RULE-KEY"]),
        (rules(#"{"/":"*/terms/*"}"#), ["DAL-MANIFEST", "DAL-STAR-STOPS"]),
        (rules(#"{"/":"/a/?*/b"}"#), ["DAL-MANIFEST", "DAL-GREEDY-WILDCARD", "DAL-STAR-STOPS"]),
        (rules(#"{"/":"/c++/?*"}"#), ["DAL-MANIFEST", "DAL-GREEDY-WILDCARD"]),
        (rules(#"{"/":"/a+?*"}"#), ["DAL-MANIFEST", "DAL-GREEDY-WILDCARD"]),
        (rules(#"{"/":"/a","?":{"a+b":"?*"}}"#), ["DAL-MANIFEST", "DAL-GREEDY-WILDCARD"]),
        (rules(#"{"/":"/a/?*"},{"/":"/b/*"},{"/":"/c++"}"#), ["DAL-MANIFEST"]),
        (rules(#"{"/":"/a","?":{"b":"?*"}}"#), ["DAL-MANIFEST"]),
        (rules(#"{"/":"abc"}"#), ["DAL-MANIFEST", "DAL-NO-SLASH"]),
        (rules(#"{"/":"/a*?"}"#), ["DAL-MANIFEST", "DAL-WILDCARD-AFTER-STAR"]),
        (rules(#"{"/":"/a/**"}"#), ["DAL-MANIFEST", "DAL-WILDCARD-AFTER-STAR"]),
        (rules(#"{"/":"/user/:id"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/user/{id}"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/user/<int:id>"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/user/[id]/x"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/docs/[...rest]"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/@name/$5/1.0*"}"#), ["DAL-MANIFEST"]),
        (rules(#"{"/":"/user/.*"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/a","comments":"x"}"#), ["DAL-MANIFEST"]),
        (statement() + String(repeating: " ", count: 1 << 20), ["DAL-TOO-LARGE"]),
        (rules(#"{"/":"/a?x=1"}"#), ["DAL-MANIFEST", "DAL-PATH-SYNTAX"]),
        (rules(#"{"/":"/caf%C3%A9"}"#), ["DAL-MANIFEST", "DAL-ENCODING"]),
        // Rules in a place that Android does not read.
        (
            statement(
                more:
                    #","relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_links_components":[{"/":"/a"}]}}"#
            ), ["DAL-MISPLACED-RULES"]
        ),
        (
            statement(
                more:
                    #","relation_extensions":{"delegate_permission/common.get_login_creds":{"dynamic_app_link_components":[{"/":"/a"}]}}"#
            ), ["DAL-MISPLACED-RULES"]
        ),
        (
            statement(
                relation: #""relation":["delegate_permission/common.get_login_creds"]"#,
                more:
                    #","relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"/a"}]}}"#
            ), ["DAL-MISPLACED-RULES", "DAL-MANIFEST"]
        ),
        (
            statement(more: #","relation_extensions":{"dynamic_app_link_components":[{"/":"/a"}]}"#),
            ["DAL-MISPLACED-RULES"]
        ),
        (
            statement(
                relation: #""relation":["delegate_permission/common.query_webapk"]"#,
                target: #""target":{"namespace":"web","site":"https://www.example.com/manifest.json"}"#
            ), ["DAL-WEBAPK"]
        ),
        (
            statement(
                relation: #""relation":["delegate_permission/common.query_webapk"]"#,
                target: #""target":{"namespace":"web","site":"https://www.example.com"}"#
            ), []
        ),
        // The same certificate twice is one certificate.
        (app(#"["\#(print)","\#(print)"]"#), ["DAL-ONE-FINGERPRINT"]),
        (
            "[{\(relation),\(target)},"
                + rules(#"{"/":"/a"}"#).dropFirst().dropLast() + "," + rules(#"{"/":"/b"}"#).dropFirst(),
            ["DAL-MANIFEST", "DAL-SEVERAL-RULE-SETS"]
        ),
    ]

    @Test(arguments: rows) func everyMistakeIsFoundAndNothingElse(_ file: String, _ codes: [String]) {
        let found = AssetLinks.validate(Array(file.utf8))

        #expect(found.map(\.code.rawValue) == codes)
        #expect(found.allSatisfy { $0.message.hasSuffix(".") && $0.fix.hasSuffix(".") && $0.position.line >= 1 })
    }

    @Test(arguments: [
        (#"{"/":"/a"},{"/":"/b"},{"/":"/a"}"#, [2]),
        (#"{"/":"/a*"},{"/":"/a?"},{"/":"/ab*c"},{"/":"/*"}"#, [1, 2]),
        (#"{"/":"/a*b"},{"/":"/axb"}"#, []),
        (##"{"/":"**"},{"/":"/a"},{"?":{"q":"1"}},{"#":"f"}"##, [1, 2, 3]),
        (#"{"/":"/*"},{"?":{"q":"1"}}"#, []),
        (##"{"#":"f*"},{"#":"f"},{"#":"g"},{"/":"/a"}"##, [1]),
        (#"{"?":{"q":"*"}},{"?":{"q":"1","r":"2"}},{"?":{"r":"2"}}"#, [1]),
        (#"{"?":{"q":"1","r":"*"}},{"?":{"q":"1"}},{"?":{"r":"2","q":"1"}}"#, [2]),
        (##"{"/":"/a","?":{"q":"*"}},{"/":"/a"},{"/":"/a","?":{"q":"1"},"#":"f"}"##, [2]),
    ])
    func unreachableRulesAreFound(_ rules: String, _ unreachable: [Int]) {
        let found = AssetLinks.validate(Array(Self.rules(rules).utf8)).filter { $0.code == .androidUnreachableRule }

        #expect(found.map(\.pointer) == unreachable.map { "\(Self.pointerToRules)/\($0)" })
    }

    private static let pointerToRules =
        "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_components"

    @Test func placeOfAPatternNamesItsItem() {
        let rules = ##"{"/":"/a%41","?":{"a/b":"%42"},"#":"%43"}"##
        let found = AssetLinks.validate(Array(Self.rules(rules).utf8)).filter { $0.code == .androidEncoding }

        #expect(found.map(\.pointer) == ["~1", "?/a~1b", "#"].map { "\(Self.pointerToRules)/0/\($0)" })
        #expect(found.map(\.position.column) == found.map(\.position.column).sorted())
    }

    /// A file of almost 1 MiB. Comparing all pairs of its parts takes minutes.
    struct LargeFile: CustomTestStringConvertible {
        let testDescription: String
        let file: String
        let codes: [String]
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            LargeFile(
                testDescription: "query items",
                file: rules("{\"?\":{\((0..<60_000).map { "\"k\($0)\":\"*\"" }.joined(separator: ","))}}"),
                codes: ["DAL-MANIFEST"]
            ),
            LargeFile(
                testDescription: "paths",
                file: rules(
                    (0..<2_000).map { "{\"/\":\"/\(String(repeating: "a", count: 480))/\($0)x*\"}" }.joined(
                        separator: ","
                    )
                ),
                codes: ["DAL-MANIFEST"]
            ),
            LargeFile(
                testDescription: "rules below a long key",
                file: statement(
                    more: ",\"relation_extensions\":{\"\(String(repeating: "k", count: 450_000))\":{"
                        + (0..<20_000).map { "\"x\($0)\":[{\"/\":\"a\"}]" }.joined(separator: ",") + "}}"
                ),
                codes: Array(repeating: "DAL-MISPLACED-RULES", count: 100)
            ),
            LargeFile(
                testDescription: "wrong fingerprints",
                file: app("[\(Array(repeating: "\"x\"", count: 200_000).joined(separator: ","))]"),
                codes: Array(repeating: "DAL-FINGERPRINT", count: 100)
            ),
        ]
    )
    func largeFileIsValidatedInTime(_ large: LargeFile) {
        #expect(AssetLinks.validate(Array(large.file.utf8)).map(\.code.rawValue) == large.codes)
    }

    /// A client that has disconnected cancels the work.
    @Test func cancelledValidationEnds() {
        let paths = (0..<1_000).map { "/a\($0)" } + (0..<20_000).map { "/a%41\($0)" }
        let file = Self.rules(paths.map { "{\"/\":\"\($0)\"}" }.joined(separator: ","))
        var looks = 0
        let budget = WorkBudget(steps: .max) {
            looks += 1
            return looks > 1
        }

        let found = AssetLinks.validate(Array(file.utf8), within: budget)

        #expect(found.map(\.code) == [.manifest])
        #expect(looks == 3)
    }

    @Test func findingHasItsPlace() {
        let file = """
            [
             {"relation":["delegate_permission/common.handle_all_urls"],
              "target":{"namespace":"android","package_name":"com.a"}}
            ]
            """
        let found = AssetLinks.validate(Array(file.utf8)).first

        #expect(found?.pointer == "/0/target/namespace" && found?.severity == .error)
        #expect(found?.position.line == 3 && found?.position.column == 25)
    }

    @Test(arguments: [
        (#"{"/":"/a/?*/b"}"#, "'/a/?*/b' does not match '/a/x/b'.", "Write '*' in place of every '?*', or"),
        (#"{"/":"/a/?*/b","exclude":true},{"/":"*"}"#, "'/a/?*/b' does not match '/a/x/b'.", "Write '*' in place"),
        (#"{"/":"/c++/?*"}"#, "'/c++/?*' does not match '/c++/x'.", "Write '/c??/?*'."),
        (#"{"/":"/a+?*"}"#, "'/a+?*' matches '/ax'.", "Write '/a??*'."),
        (#"{"?":{"a+b":"?*"}}"#, "'a+b=?*' does not match 'a+b=x'.", "Write '*' in place of every '?*'"),
    ])
    func verdictOfAndroid15HasAnExample(_ rules: String, _ verdict: String, _ fix: String) {
        let found = AssetLinks.validate(Array(Self.rules(rules).utf8)).filter { $0.code == .greedyWildcard }

        #expect(found.count == 1 && found.first?.severity == .warning)
        #expect(found.first?.message.hasSuffix("there, \(verdict)") == true, "\(found)")
        #expect(found.first?.fix.hasPrefix(fix) == true, "\(found)")
    }

    @Test(arguments: [
        statement(target: #""target":{"namespace":"web","site":"https://a.example"}"#),
        statement(
            relation:
                #""relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"]"#
        ),
        #"[{"include":"https://a.example/assetlinks.json"}]"#,
    ])
    func documentedFormHasNoFindings(_ file: String) {
        #expect(AssetLinks.validate(Array(file.utf8)) == [])
    }

    /// Beside a certificate of the app's own, such a file verifies the apps of strangers too.
    @Test(arguments: [
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C",
        "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC",
    ])
    func publishedPrivateKeyIsAnError(_ fingerprint: String) {
        let found = AssetLinks.validate(Array(Self.app(#"["\#(Self.second)","\#(fingerprint)"]"#).utf8))

        #expect(found.map(\.code) == [.publishedPrivateKey] && found.first?.severity == .error)
        #expect(found.first?.pointer == "/0/target/sha256_cert_fingerprints/1")
    }

    @Test func exampleFingerprintOfGooglesGuideIsReported() {
        let example = "14" + Self.print.dropFirst(2)
        let found = AssetLinks.validate(Array(Self.app(#"["\#(example)","\#(Self.second)"]"#).utf8))

        #expect(found.map(\.code) == [.exampleFingerprint])
    }

    @Test(
        arguments: [
            (200, "application/json", []), (200, "text/html", ["DAL-CONTENT-TYPE"]), (301, nil, ["DAL-REDIRECT"]),
            (403, nil, ["DAL-NOT-SERVED"]),
        ] as [(Int, String?, [String])]
    )
    func hostingIsValidated(_ status: Int, _ type: String?, _ codes: [String]) {
        let hosting = AssociationHosting(status: status, redirect: "https://b.example/", contentType: type)
        let found = AssetLinks.validate(Array(Self.statement().utf8), hosting: hosting)

        #expect(found.map(\.code.rawValue) == codes)
    }

    /// Thirty-two pairs: the given ones, repeated.
    private static func repeated(_ pairs: String) -> String {
        let group = pairs.split(separator: ":")
        return (0..<32).map { String(group[$0 % group.count]) }.joined(separator: ":")
    }

    private static func count(from start: Int = 0, by step: Int = 1) -> String {
        (0..<32).map { index in
            let pair = String((start + index * step) & 255, radix: 16, uppercase: true)
            return pair.count < 2 ? "0\(pair)" : pair
        }
        .joined(separator: ":")
    }

    @Test(
        arguments: [
            (repeated("AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99"), true), (repeated("00"), true),
            (repeated("AB:CD"), true), (repeated("DE:AD:BE:EF"), true), (repeated("12:34:56:78:9A:BC:DE:F0"), true),
            (repeated("12:34:56:78:90"), true), (repeated("A1:B2:C3:D4:E5:F6"), true),
            (repeated("1A:2B:3C:4D:5E:6F:7A:8B:9C:0D:1E:2F:3A:4B:5C:6D:7E:8F:9A:0B"), true),
            (count(), true), (count(from: 1), true), (count(from: 0xFF, by: -1), true), (count(by: 0x11), true),
            ("DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09:00:00:00:00:00:00:00:00:00:00:00:00", true),
            (print, false), (second, false),
            ("3C:5A:0F:77:91:2B:E4:D8:66:1F:A0:3D:52:C9:8E:70:1B:44:F6:9A:0D:2E:83:B7:5F:C1:68:1D:94:EE:37:A2", false),
            ("E6:6E:2F:D2:33:F4:8B:79:B8:79:6B:4C:01:D7:21:AC:2D:1B:97:A9:DA:79:64:CB:F3:46:24:2E:88:F2:63:96", false),
        ] as [(String, Bool)]
    )
    func fingerprintThatSomebodyMadeUpIsReported(_ fingerprint: String, _ isReported: Bool) {
        let codes = AssetLinks.validate(Array(Self.app(#"["\#(fingerprint)"]"#).utf8)).map(\.code.rawValue)
        #expect(codes.contains("DAL-EXAMPLE-FINGERPRINT") == isReported)
    }

    @Test func everyCodeOfTheCatalogueHasARow() {
        let tested = Set(Self.rows.flatMap(\.codes))
            .union(["DAL-PUBLIC-KEY", "DAL-EXAMPLE-FINGERPRINT", "DAL-CONTENT-TYPE", "DAL-REDIRECT", "DAL-NOT-SERVED"])
            .union(["DAL-HOST-NOT-COVERED", "DAL-NOT-PUBLISHED", "DAL-APP-NOT-NAMED"])
            // GoogleResponseTests has a case for each of these.
            .union(["DAL-GOOGLE-UNANSWERED", "DAL-GOOGLE-ERROR", "DAL-GOOGLE-NOT-LINKED", "DAL-GOOGLE-DIFFERS"])

        #expect(tested == Set(AssociationFinding.androidCatalogue.map(\.code.rawValue)))
    }

    @Test func generatedFileHasNoErrors() throws {
        let router = try Examples.router("shop")
        let found = AssetLinks.validate(AssetLinksGenerator.file(for: "www.yourappdomain.com", router: router))

        #expect(found.allSatisfy { $0.severity != .error }, "\(found)")
    }

    @Test(
        .enabled(if: AndroidData.exists(AndroidData.realFiles), "SKIPPED: ../shared/data/assetlinks_real is not there")
    )
    func everyPublishedFileHasAVerdict() throws {
        var verdicts: [String: Set<String>] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: AndroidData.realFiles.path)
        where name.hasSuffix(".json") {
            let bytes = Array(try Data(contentsOf: AndroidData.realFiles.appending(path: name)))
            verdicts[String(name.dropLast(".json".count))] = Set(AssetLinks.validate(bytes).map(\.code.rawValue))
        }

        #expect(verdicts.count > 30)
        // A root that is an object, other namespaces, lower-case fingerprints, a placeholder, exclusions only, a '*'
        // without backtracking.
        #expect(verdicts["JulesAKT__kiln-client"]?.contains("DAL-ROOT-TYPE") == true)
        for name in [
            "01000001x01001110x01010011x01001000__myapp-deeplinks", "5eeman__rapidsnark-instant-app",
            "deco-sites__ffloresta", "fluster-app__fluster-website",
        ] {
            #expect(verdicts[name]?.contains("DAL-NAMESPACE") == true, "\(name)")
        }
        for name in [
            "emresiimseek__bal-alsana", "26rakesh__m-instawebsite", "Aaron-53__marine-share", "43Mission__share43",
        ] {
            #expect(verdicts[name]?.contains("DAL-FINGERPRINT") == true, "\(name)")
        }
        #expect(verdicts["16569__accel-link"]?.contains("DAL-EXCLUDE-ONLY") == true)
        #expect(verdicts["WelcometoMyGarden__welcometomygarden"]?.contains("DAL-STAR-STOPS") == true)
    }
}
