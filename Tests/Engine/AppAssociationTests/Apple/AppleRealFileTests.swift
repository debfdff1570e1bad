import AppAssociation
import FoundationEssentials
import LinkRouting
import Testing

/// Files published by third parties.
struct AppleRealFileTests {
    @Test(.enabled(if: AppleData.hasRealFiles, "SKIPPED: ../shared/data/aasa_real is not there"))
    func everyPublishedFileIsReadOrItsErrorHasAPosition() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: AppleData.realFiles.path)
        #expect(!files.isEmpty)
        for name in files {
            let bytes = Array(try Data(contentsOf: AppleData.realFiles.appending(path: name)))
            let file: AppleAppSiteAssociation
            do throws(JSONSyntaxError) {
                file = try AppleAppSiteAssociation(parsing: bytes)
            } catch {
                #expect(error.line >= 1 && !error.message.isEmpty)
                continue
            }
            for entry in file.applinks?.details ?? [] {
                for rule in entry.ruleList { try check(rule, of: entry, in: file) }
            }
            for url in ["https://e.com", "https://e.com/a/b?c=d#e", "https://e.com/%"] {
                #expect(file.decision(for: url).json["decision"] != nil)
            }
        }
    }

    /// A URL derived from a rule's path must be decided by that rule or an earlier one.
    private func check(
        _ rule: AppleAppSiteAssociation.Rule,
        of entry: AppleAppSiteAssociation.Entry,
        in file: AppleAppSiteAssociation
    ) throws {
        let merged = file.merged(rule, of: entry)
        guard merged.query.level == .builtIn, merged.fragment.level == .builtIn, let app = entry.appIDs.first,
            !merged.path.value.utf8.contains(where: { "$?#\\ <>\"`".utf8.contains($0) || $0 >= 0x80 })
        else { return }
        let path = merged.path.value.utf8.starts(with: "/".utf8) ? merged.path.value : "/" + merged.path.value
        guard merged.percentEncoded.value, path.utf8.count > 2, merged.path.value.utf8.count > 1 else { return }
        let decision = file.decision(for: "https://e.com" + path, app: app)
        guard decision.entry == entry.index else { return }
        #expect(try #require(decision.rule) <= rule.index)
    }
}
