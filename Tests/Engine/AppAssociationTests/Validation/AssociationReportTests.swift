import AppAssociation
import LinkRouting
import Testing

struct AssociationReportTests {
    private static let file = """
        {"applinks": {"details": [
        \t{"appIDs": ["ABCDE12345.com.a"], "components": [{"/": "é", "patch": "/x"}]}
        ]}}
        """

    private static func report(_ name: String = "a b/apple-app-site-association") -> AssociationReport {
        let bytes = Array(file.utf8)
        return AssociationReport([
            AssociationReport.File(name, AppleAppSiteAssociation.validate(bytes), bytes: bytes)
        ])
    }

    @Test func textQuotesTheLineAndHasAdvice() {
        #expect(
            Self.report("f").text.hasPrefix(
                """
                f:2:56: error AASA-ENCODING URLs are compared in encoded form
                """
            )
        )
        let lines = Self.report("f").text.split(separator: "\n")
        #expect(
            lines[1]
                == "    \t{\"appIDs\": [\"ABCDE12345.com.a\"], \"components\": [{\"/\": \"é\", \"patch\": \"/x\"}]}"
        )
        #expect(lines[2] == "    \t" + String(repeating: " ", count: 54) + "^")
        #expect(lines[3] == "    fix: Write \"%C3%A9\", or set \"percentEncoded\": false (iOS 14 and later).")
        #expect(lines.last == "2 errors, 1 info in 1 file")
    }

    @Test func emptyResultIsReported() {
        #expect(AssociationReport([.init("a", []), .init("b", [])]).text == "no findings in 2 files")
    }

    @Test func controlCharactersOfAFileDoNotReachTheTerminal() {
        let bytes = Array("{\"applinks\":{\"details\":[]},\"\\u001b[31m\":1}".utf8)
        let report = AssociationReport([.init("f", AppleAppSiteAssociation.validate(bytes), bytes: bytes)])

        #expect(report.text.contains("No system reads '\\u{1B}[31m'."))
        #expect(!report.text.unicodeScalars.contains("\u{1B}"))
    }

    @Test func sarifHasTheShapeThatCodeHostsAskFor() throws {
        let text = Self.report().sarif(version: "1.2.3")
        let log = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        let run = try #require(log["runs"]?.elements?.first)
        let driver = try #require(run["tool"]?["driver"])
        let rules = try #require(driver["rules"]?.elements)
        let results = try #require(run["results"]?.elements)

        #expect(log["version"]?.text == "2.1.0")
        #expect(log["$schema"]?.text == "https://json.schemastore.org/sarif-2.1.0.json")
        #expect(driver["name"]?.text == "fingerpost" && driver["version"]?.text == "1.2.3")
        #expect(Set(rules.map { $0["id"] }).count == rules.count)
        #expect(results.count == 3)
        for result in results {
            let index = try #require(result["ruleIndex"]?.int)
            #expect(rules[Int(index)]["id"] == result["ruleId"])
            #expect(["error", "warning", "note"].contains(result["level"]?.text))
            #expect(result["message"]?["text"]?.text?.hasSuffix(".") == true)
            let place = result["locations"]?.elements?.first?["physicalLocation"]
            #expect(place?["artifactLocation"]?["uri"]?.text == "a%20b/apple-app-site-association")
            #expect(place?["region"]?["startLine"]?.int == 2)
            #expect((place?["region"]?["startColumn"]?.int ?? 0) >= 1)
        }
    }

    @Test func sarifOfNothingHasNoResults() throws {
        let text = AssociationReport([.init("a", [])]).sarif(version: "1")

        #expect(text.hasSuffix(#""results":[]}]}"#))
    }
}
