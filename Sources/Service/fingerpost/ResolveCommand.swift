import ArgumentParser
import LinkCatalog
import LinkRouting
import LinkServer

struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve a link against a table file, without a server.",
        discussion: """
            EXAMPLES
              fingerpost resolve yourapp://product/123 --table config/examples/shop.yaml
              fingerpost resolve https://yourappdomain.com/product/123 \\
                --table config/examples/shop.yaml \\
                --context '{"platform": "ios", "appVersion": "3.2.0"}' --explain
            """
    )

    @ArgumentParser.Argument(help: "The link.") var url: String
    @ArgumentParser.Option(help: "A tenant or table file, YAML or JSON; - reads standard input.") var table: String
    @ArgumentParser.Option(help: "The context, as in POST /resolve.") var context = "{}"
    @Flag(help: "Show the routes that came near, and why they did not match.") var explain = false
    @Flag(help: "Print the answer of POST /resolve as JSON on one line.") var json = false

    func run() async throws {
        let table = try OfflineTable(table, now: SystemClock.now())
        var warnings: [String] = []
        let node: JSONNode
        let facts: LinkContext
        do {
            node = try JSONReader.parse(context, limits: JSONReader.Limits(maximumBytes: 16_384))
            facts = try LinkContext(DocumentField(node, path: "context"), warnings: &warnings)
        } catch let error as JSONSyntaxError {
            throw fail("--context is not JSON: \(error.description)", .unreadableInput)
        } catch let error as DocumentError {
            throw fail("--context: \(error.description)", .unreadableInput)
        }
        var response = table.answer(url, in: facts, explanation: explain ? .included : .omitted)
        response.warnings += warnings
        let bytes = response.json()
        guard !json else { return show(json: String(decoding: bytes, as: UTF8.self)) }
        let landings = try Self.landings(node, facts).map { name, context in
            ResolutionText.Landing(name: name, answer: try Self.read(table.answer(url, in: context).json()))
        }
        let answer = try Self.read(bytes)
        let id = answer["route"]?["id"]?.text
        let route = table.router.table.routes.first { $0.id.rawValue == id }
        show(ResolutionText(answer, landings: landings, route: route).lines)
    }

    private static func read(_ bytes: [UInt8]) throws -> JSONNode {
        try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }

    /// The contexts to show: those of the platforms, with and without the app, as far as the caller's leaves them open.
    private static func landings(_ node: JSONNode, _ facts: LinkContext) -> [(name: String, context: LinkContext)] {
        let platforms = node["platform"] == nil ? [Platform.ios, .android, .other] : [facts.platform ?? .other]
        return platforms.flatMap { platform -> [(name: String, context: LinkContext)] in
            let name = platform == .other ? "elsewhere" : platform.rawValue
            let states =
                node["installed"] == nil && [.ios, .android].contains(platform) ? [true, false] : [facts.installed]
            return states.map { installed in
                var context = facts
                context.platform = platform
                context.installed = installed
                return (installed ? name : "\(name), no app", context)
            }
        }
    }
}
