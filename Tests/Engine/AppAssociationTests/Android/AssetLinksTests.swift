import LinkRouting
import Testing

@testable import AppAssociation

/// Parsing of `assetlinks.json`, and which statements are effective.
struct AssetLinksTests {
    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")
    private static let relation = #""relation":["delegate_permission/common.handle_all_urls"]"#
    private static let good = #"{\#(relation),"target":{"namespace":"web","site":"https://e.com"}}"#

    private static func app(_ fields: String) -> String {
        #"{\#(relation),"target":{"namespace":"android_app",\#(fields)}}"#
    }

    private static func web(_ site: String) -> String {
        #"{\#(relation),"target":{"namespace":"web","site":"\#(site)"}}"#
    }

    private static func related(_ relation: String) -> String {
        #"{"relation":\#(relation),"target":{"namespace":"web","site":"https://e.com"}}"#
    }

    @Test(arguments: [
        ("1", "", "the statement is not an object"), ("{}", "", "no relation array specified"),
        (related("\"a/b\""), "/relation", "the relation is not an array"), (related("[]"), "/relation", "is empty"),
        (related("[\"a/b\",1]"), "/relation/1", "invalid relation"),
        (related("[\"a\"]"), "/relation/0", "relation string"),
        (related("[\"a/b/c\"]"), "/relation/0", "relation string"), (related("[\"/b\"]"), "/relation/0", "'kind'"),
        (related("[\"A/b\"]"), "/relation/0", "'kind'"), (related("[\"a/*\"]"), "/relation/0", "'detail'"),
        ("{\(relation)}", "", "no target specified"), (#"{\#(relation),"target":[]}"#, "/target", "not an object"),
        (#"{\#(relation),"target":{}}"#, "/target", "no namespace field"),
        (#"{\#(relation),"target":{"namespace":"ios_app"}}"#, "/target/namespace", "unrecognized namespace"),
        (#"{\#(relation),"target":{"namespace":"web"}}"#, "/target", "no site field"),
        (web("e.com"), "/target/site", "Url is not well formatted"), (web("https://"), "/target/site", "host"),
        (web("https://e.com/"), "/target/site", "path"), (web("https://e.com?a"), "/target/site", "query parameters"),
        (web("https://e.com#a"), "/target/site", "fragment"), (web("https://a@e.com"), "/target/site", "user"),
        (web("https://e.com:65536"), "/target/site", "port"), (web("https://e.com:0"), "/target/site", "port"),
        (web("ftp://e.com"), "/target/site", "only http"), (web("https:e.com"), "/target/site", "well formatted"),
        (app(#""x":1"#), "/target", "no package_name field"),
        (app(#""package_name":"a b""#), "/target/package_name", "name"),
        (app(#""package_name":"1a""#), "/target/package_name", "invalid package name"),
        (app(#""package_name":"a..b""#), "/target/package_name", "invalid package name"),
        (app(#""package_name":"a.b""#), "/target", "no sha256_cert_fingerprints"),
        (
            app(#""package_name":"a.b","sha256_cert_fingerprints":"x""#), "/target/sha256_cert_fingerprints",
            "not an array"
        ),
        (app(#""package_name":"a.b","sha256_cert_fingerprints":[]"#), "/target/sha256_cert_fingerprints", "is empty"),
        (app(#""package_name":"a.b","sha256_cert_fingerprints":[1]"#), "/target/sha256_cert_fingerprints/0", "string"),
        (
            app(#""package_name":"a.b","sha256_cert_fingerprints":["0a"]"#), "/target/sha256_cert_fingerprints/0",
            "malformed"
        ),
        (#"{"include":1}"#, "/include", "not a string"), (#"{"include":"mailto://a@b"}"#, "/include", "non-HTTP URL"),
        (#"{"include":"https://e.com:99999/x"}"#, "/include", "not a valid URL"),
        (#"{"include":"https://e.com/x",\#(relation)}"#, "/include", "must not have a relation or a target"),
    ])
    func oneMalformedStatementDoesNotVoidTheOthers(_ statement: String, _ place: String, _ words: String) throws {
        let file = try AssetLinks(parsing: "[\(Self.good),\(statement),\(Self.good)]".utf8)
        #expect(file.statements.count == 3)
        guard case .failure(let malformation) = file.statements[1].content else {
            Issue.record("The statement is read.")
            return
        }
        #expect(malformation.pointer == "/1\(place)")
        #expect(malformation.message.contains(words), "\(malformation.message)")
        #expect(malformation.position.line == 1 && malformation.position.column > 1)
        let site = try WebSite("https://e.com")
        for index in [0, 2] {
            #expect(file.statements[index].content == .success(.relations([.handleAllURLs], to: [.web(site)])))
        }
    }

    @Test func aListOfFingerprintsIsATargetForEach() throws {
        let other = Array(repeating: "FF", count: 32).joined(separator: ":")
        let fields = #""package_name":"a.b_1","sha256_cert_fingerprints":["\#(Self.fingerprint)","\#(other)"],"x":1"#
        let file = try AssetLinks(parsing: "[\(Self.app(fields))]".utf8)
        let package = try #require(PackageName("a.b_1"))
        let targets = [Self.fingerprint, other].compactMap { CertificateFingerprint($0) }.map {
            StatementAsset.androidApp(package, $0)
        }
        #expect(file.statements.first?.content == .success(.relations([.handleAllURLs], to: targets)))
        #expect(file.statements.first?.packageName == "a.b_1")
    }

    @Test(arguments: ["{}", "1", "\"x\"", "null", "[]"])
    func aWrongRootHoldsNoStatement(_ json: String) throws {
        #expect(try AssetLinks(parsing: json.utf8).statements.isEmpty)
    }

    @Test(arguments: [
        ("", JSONSyntaxError.Kind.empty), ("[1,]", .trailingComma), ("<html>", .html), ("\u{FEFF}[]", .byteOrderMark),
        (String(repeating: "[", count: 65), .tooDeep), (String(repeating: " ", count: 16 << 20 + 1), .tooLarge),
    ])
    func invalidJSONIsAnErrorWithItsPosition(_ text: String, _ kind: JSONSyntaxError.Kind) {
        let error = #expect(throws: JSONSyntaxError.self) { try AssetLinks(parsing: text.utf8) }
        #expect(error?.kind == kind)
    }

    @Test(arguments: [
        ("https://E.com", "https://e.com."), ("HTTP://e.com:80", "http://e.com."),
        ("https://e.com:444", "https://e.com.:444"),
        ("https://e.com.", "https://e.com."), ("http://e.com:443", "http://e.com.:443"),
        ("https://e.com:", "https://e.com."),
    ])
    func theDefaultPortAndTheDotOfTheRootMakeNoDifference(_ text: String, _ written: String) throws {
        #expect(try WebSite(text).description == written)
    }

    @Test(arguments: [
        ("0a" + String(repeating: "0A", count: 31), true), (String(repeating: "0a:", count: 31) + "0a", true),
        (String(repeating: "0A ", count: 32), true), (String(repeating: "0A", count: 31), false), ("", false),
        (String(repeating: "0G", count: 32), false),
    ])
    func aFingerprintIsNormalisedWhereItsDigitsAreThere(_ text: String, _ isThere: Bool) {
        #expect(CertificateFingerprint(normalising: text)?.description == (isThere ? Self.fingerprint : nil))
        #expect(CertificateFingerprint(text) == nil)
    }

    /// Replaces each value of a complete file by each kind of JSON value, one at a time.
    @Test func anyValueMayHaveAnyType() throws {
        let rules = JSONNode.array([
            .object([
                "/": .string("/a*"), "?": .object(["b": .string("?*")]), "#": .string("c"), "exclude": .bool(true),
            ])
        ])
        let full = JSONNode.array([.statement(rules: rules), .object(["include": .string("https://e.com/x")])])
        let others: [JSONNode] = [
            .null, .bool(true), .int(-1), .string(""), .string("*"), .array([]), .object([:]), .array([.null]),
        ]
        let variants = others.flatMap { full.variants(replacingAValueBy: $0) }
        #expect(variants.count > 100)
        for variant in variants {
            let file = AssetLinks(root: variant)
            for url in ["https://e.com", "https://e.com/a/b?b=d&&b=#c", "https://e.com/%ff%", "https://[/", ""] {
                let decision = file.decision(for: url)
                #expect(decision.json["decision"]?.text == decision.outcome.rawValue)
            }
        }
    }
}
