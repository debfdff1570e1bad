import Foundation
import TestSupport
import Testing
import fingerpost

/// docs/reference.md is what `fingerpost schema --format markdown` prints.
struct ReferencePageTests {
    private static let repository = Repository.folder

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    @Test func pageIsCurrent() throws {
        let page = ReferencePage(configuration: try Self.text("config/fingerpost.yaml")).markdown
        let isCurrent = try Self.text("docs/reference.md") == page
        #expect(isCurrent, "run: fingerpost schema --format markdown > docs/reference.md")
    }

    @Test func everyLinkLeadsToAHeading() throws {
        let page = try Self.text("docs/reference.md")
        let headings = page.matches(of: /\n##+ ([^\n]+)/).map { $0.output.1.lowercased().replacing(" ", with: "-") }
        #expect(Set(headings).count == headings.count)
        let links = Set(page.matches(of: /\]\(#([^)]+)\)/).map { String($0.output.1) })
        #expect(links.subtracting(headings.map { $0.replacing(",", with: "") }) == [])
        #expect(links.count > 20)
    }
}
