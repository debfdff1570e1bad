import Foundation
import LinkRouting
import TestSupport
import Testing
import fingerpost

/// Servers speak of HTTP requests; a command names commands.
struct CommandWordsTests {
    private static let sources = Repository.file("Sources/Service")

    /// The string literals of the files whose texts reach a command. Literals of several lines are joined.
    private static func serverTexts() throws -> String {
        try [
            "LinkServer/Problems/CatalogErrors+problem.swift", "LinkServer/Problems/PublishingFailure+problem.swift",
            "LinkServer/Problems/EventErrors+problem.swift", "LinkServer/Admin/SuiteController.swift",
            "LinkServer/Admin/KeyController.swift", "LinkServer/Keys/APIKeyAuthenticator.swift",
            "LinkServer/Events/EventController.swift", "LinkServer/Problems/ShortLinkFailure+problem.swift",
            "LinkCatalog/Documents/UnreadableDocument.swift", "LinkServer/Admin/RevisionController.swift",
        ].map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) }.joined()
            .replacing(/"\s*\+ "/, with: "").replacing("\\\"", with: "\"")
    }

    @Test func everyPhraseOccursInTheServersTexts() throws {
        let texts = try Self.serverTexts()
        for phrase in CommandWords(tenant: "shop").phrases {
            #expect(texts.contains(phrase.http), "\(phrase.http)")
        }
    }

    @Test func noRequestIsLeft() throws {
        let texts = CommandWords(tenant: "shop").replacing(in: try Self.serverTexts())
        #expect(texts.matches(of: /(?:PUT|POST|GET|DELETE|at|read) (?:…|\/admin)\/[a-z\/]+/).map(\.output) == [])
    }

    @Test(arguments: [
        (
            "There is no revision 9; list them at …/revisions.",
            "There is no revision 9; 'fingerpost revisions list shop' lists them."
        ),
        ("Archive it first: POST …/archive.", "Archive it first: 'fingerpost tenants archive shop'."),
        ("A text without requests.", "A text without requests."),
    ])
    func commandIsNamedInstead(_ detail: String, _ text: String) {
        let body = JSONNode.object(["detail": .string(detail)])
        #expect(ServerRefusal(status: 404, body: body, tenant: "shop").text == text)
        let unnamed = ServerRefusal(status: 404, body: body).text
        #expect(unnamed == text.replacing("shop", with: "TENANT"))
    }
}
