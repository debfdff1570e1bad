import AppAssociation
import FoundationEssentials
import LinkRouting
import TestSupport
import Testing

/// docs/association.md lists every code exactly.
struct AssociationDocumentTests {
    @Test func tableOfCodesIsTheCatalogue() throws {
        let file = Repository.file("docs/association.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `AASA-") || $0.hasPrefix("| `DAL-") }
            .map(String.init)

        #expect(
            rows == AssociationFinding.catalogue.map { "| `\($0.code)` | \($0.severity.rawValue) | \($0.title) |" }
        )
    }
}
