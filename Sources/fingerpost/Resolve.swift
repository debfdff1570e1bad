import ArgumentParser
import LinkAPI
import LinkCatalog
import LinkCommands
import LinkRouting

struct Resolve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Resolve a link against a table file, without a server.",
        discussion: """
            EXAMPLE
              fingerpost resolve https://yourappdomain.com/product/123 --table config/examples/shop.yaml \\
                --context '{"platform": "ios", "appVersion": "3.2.0"}' --explain
            """
    )

    @ArgumentParser.Argument(help: "The link.") var url: String
    @ArgumentParser.Option(help: "A tenant or table file, YAML or JSON; - reads standard input.") var table: String
    @ArgumentParser.Option(help: "The context, as in POST /resolve.") var context = "{}"
    @Flag(help: "Explain why other routes did not match.") var explain = false
    @Flag(help: "Print JSON on one line; by default it is indented.") var json = false

    func run() async throws {
        let table = try OfflineTable(table, now: SystemClock.now())
        var warnings: [String] = []
        let facts: LinkContext
        do {
            let node = try JSONReader.parse(context, limits: JSONReader.Limits(maximumBytes: 16_384))
            facts = try LinkContext(DocumentField(node, path: "context"), warnings: &warnings)
        } catch let error as JSONSyntaxError {
            throw fail("--context is not JSON: \(error.description)", .unreadableInput)
        } catch let error as DocumentError {
            throw fail("--context: \(error.description)", .unreadableInput)
        }
        var response = table.answer(url, in: facts, explanation: explain ? .included : .omitted)
        response.warnings += warnings
        let bytes = response.json()
        guard json else {
            show(try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20)))
            return
        }
        show(json: String(decoding: bytes, as: UTF8.self))
    }
}
