import AppAssociation
import FoundationEssentials
import Testing

/// Validates files published by third parties. A person reading the files determined the expected findings.
struct AppleRealFileValidationTests {
    @Test(.enabled(if: AppleData.hasRealFiles, "SKIPPED: ../shared/data/aasa_real is not there"))
    func everyPublishedFileHasAVerdict() throws {
        var verdicts: [String: [String]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: AppleData.realFiles.path)
        where name.hasSuffix(".json") {
            let bytes = Array(try Data(contentsOf: AppleData.realFiles.appending(path: name)))
            let found = AppleAppSiteAssociation.validate(bytes)
            verdicts[String(name.prefix(8))] = Set(found.map(\.code.rawValue)).sorted()
        }

        #expect(verdicts.count > 50)
        // A control character, a comment, an empty file, a superfluous comma, a missing bracket.
        for name in ["27473725", "AMakhiev", "5eeman__", "PavelBod", "TheScali", "AKyashki"] {
            #expect(verdicts[name] == ["AASA-INVALID-JSON"], "\(name)")
        }
        // Placeholders, bundle IDs without a prefix, prefixes that are too short.
        for name in ["0Itsuki0", "BrettM86", "calintam", "houtzage"] {
            #expect(verdicts[name]?.contains("AASA-APP-ID") == true, "\(name)")
        }
        #expect(verdicts["JulesAKT"] == ["AASA-APP-ID-PREFIX", "AASA-MIXED-APP-IDS", "AASA-MIXED-RULES"])
        // A signed file whose content repeats paths with a slash at the end.
        #expect(verdicts["ethanhua"] == ["AASA-SIGNATURE", "AASA-SIGNED", "AASA-UNREACHABLE-RULE"])
        #expect(verdicts["muizidn_"] == ["AASA-DETAILS-DICTIONARY", "AASA-POINTLESS-EXCLUSION"])
        #expect(verdicts["AlexKure"]?.contains("AASA-UNREACHABLE-RULE") == true)
        #expect(verdicts["19lmyers"] == ["AASA-OPTIONAL-ITEM"])
    }
}
