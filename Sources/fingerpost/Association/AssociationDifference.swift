import AppAssociation
import ArgumentParser
import LinkCatalog
import LinkCommands
import LinkRouting

struct AssociationDifference: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List links that a new table moves between the app and the browser.",
        discussion: """
            EXAMPLE
              fingerpost association diff live.yaml draft.yaml --suite config/examples/shop.suite.yaml

            The exit code is 0 whether or not links move.
            """
    )

    @ArgumentParser.Argument(help: "The live tenant file.") var before: String
    @ArgumentParser.Argument(help: "The tenant file to be published.") var after: String
    @ArgumentParser.Option(help: "A link suite whose links to compare; may be repeated.") var suite: [String] = []
    @ArgumentParser.Option(help: "A link to compare; may be repeated.") var link: [String] = []
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !suite.isEmpty || !link.isEmpty else { throw ValidationError("Provide links with --suite or --link.") }
    }

    func run() async throws {
        var links = link
        for path in suite {
            do {
                links += try LinkSuite(try readText(path)).cases.map(\.link)
            } catch let error as DocumentError {
                throw fail("\(path): \(error.description)", .unreadableInput)
            }
        }
        var seen: Set<String> = []
        links = links.filter { seen.insert($0).inserted }
        let now = SystemClock.now()
        let diff = AssociationDiff(
            of: links,
            from: try OfflineTable(before, now: now).router,
            to: try OfflineTable(after, now: now).router
        )
        guard !json else { return show(diff.json, .compact) }
        for move in diff.moves {
            show(
                "\(move.link): \(move.app) moves from \(Self.name(move.before, move)) to \(Self.name(move.after, move))"
            )
        }
        show("\(diff.moves.count) of \(diff.judged) links move")
    }

    private static func name(_ place: AssociationDiff.Place, _ move: AssociationDiff.Move) -> String {
        switch place {
        case .app: "the app"
        case .browser: move.platform == .ios ? "Safari" : "the browser"
        case .manifest: "the app's manifest"
        }
    }
}
