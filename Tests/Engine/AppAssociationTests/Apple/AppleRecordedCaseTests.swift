import AppAssociation
import FoundationEssentials
import LinkRouting
import Testing

/// Recorded runs of Apple's `swcutil`, examples from Apple's documentation, and results of other implementations.
struct AppleRecordedCaseTests {
    @Test(.enabled(if: AppleData.hasCases, "SKIPPED: ../shared/data/aasa_cases.jsonl is not there"))
    func decisionAndRuleAgreeWithEveryRecordedCase() throws {
        let lines = try Data(contentsOf: AppleData.cases).split(separator: 0x0A)
        #expect(lines.count >= 118)
        for (index, line) in lines.enumerated() {
            let row = try JSONReader.parse(line, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            let file = AppleAppSiteAssociation(root: try #require(row["aasa"]))
            let decision = file.decision(
                for: try #require(row["url"]?.text),
                app: row["app"]?.text,
                domain: row["domain"]?.text
            )
            let name = "case \(index): \(row["note"]?.text ?? "")"
            #expect(decision.outcome.rawValue == row["decision"]?.text, Comment(rawValue: name))
            if let rule = row["rule_index"]?.int { #expect(decision.rule == Int(rule), Comment(rawValue: name)) }
        }
    }
}
