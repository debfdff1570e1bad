import Foundation
import Testing

/// docs/api.md gives each problem the status that the server answers with; `BadInputTests` asks the server itself.
struct ProblemDocumentTests {
    @Test(arguments: BadInputTests.publicCases + BadInputTests.adminCases)
    func documentNamesCodeAndStatus(_ bad: BadInputTests.Case) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let document = try String(contentsOf: file, encoding: .utf8)
        #expect(document.contains("\n| `\(bad.code)` | \(bad.status) | "))
    }
}
