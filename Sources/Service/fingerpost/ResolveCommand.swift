import ArgumentParser
import LinkCatalog
import LinkRouting
import LinkServer

struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve a link against a table file or a server.",
        discussion: """
            EXAMPLES
              fingerpost resolve yourapp://product/123 --table config/examples/shop.yaml
              fingerpost resolve https://yourappdomain.com/product/123 \\
                --table config/examples/shop.yaml \\
                --context '{"platform": "ios", "appVersion": "3.2.0"}' --explain
              fingerpost resolve yourapp://product/123 --server http://127.0.0.1:8080

            A server is asked for each platform that is shown, and records the links with the purpose 'test'. \
            --explain needs a tenant with `explain: public`, or a key with the scope explain.
            """
    )

    @ArgumentParser.Argument(help: "The link.") var url: String
    @OptionGroup var answers: AnswerOptions
    @ArgumentParser.Option(help: "The context, as in POST /resolve.") var context = "{}"
    @Flag(help: "Show the routes that came near, and why they did not match.") var explain = false
    @Flag(help: "Print the answer of POST /resolve as JSON on one line.") var json = false

    func run() async throws {
        let source = try LinkSource(answers)
        let node: JSONNode
        let facts: LinkContext
        var warnings: [String] = []
        do {
            node = try JSONReader.parse(context, limits: JSONReader.Limits(maximumBytes: 16_384))
            facts = try LinkContext(DocumentField(node, path: "context"), warnings: &warnings)
        } catch let error as JSONSyntaxError {
            throw fail("--context is not JSON: \(error.description)", .unreadableInput)
        } catch let error as DocumentError {
            throw fail("--context: \(error.description)", .unreadableInput)
        }
        let answer = try await source.answer(url, in: node, facts, explain: explain, warnings: warnings)
        guard !json else { return show(answer, .compact) }
        var landings: [ResolutionText.Landing] = []
        for (name, platform, installed) in Self.landings(node, facts) {
            var context = facts
            (context.platform, context.installed) = (platform, installed)
            let member = node.setting("platform", .string(platform.rawValue)).setting("installed", .bool(installed))
            let landing = try await source.answer(url, in: member, context)
            landings.append(ResolutionText.Landing(name: name, answer: landing))
        }
        let id = answer["route"]?["id"]?.text
        let route = source.table?.router.table.routes.first { $0.id.rawValue == id }
        show(ResolutionText(answer, landings: landings, route: route).lines)
    }

    /// The contexts to show: those of the platforms, with and without the app, as far as the caller's leaves them open.
    private static func landings(_ node: JSONNode, _ facts: LinkContext) -> [(String, Platform, installed: Bool)] {
        let platforms = node["platform"] == nil ? [Platform.ios, .android, .other] : [facts.platform ?? .other]
        return platforms.flatMap { platform in
            let states =
                node["installed"] == nil && [.ios, .android].contains(platform) ? [true, false] : [facts.installed]
            return states.map { installed in
                (ResolutionText.Landing.name(of: platform, isInstalled: installed), platform, installed)
            }
        }
    }
}

/// The table file or the server that answers the links of a command.
private enum LinkSource {
    case file(OfflineTable)
    case server(ResolveClient)

    init(_ options: AnswerOptions) throws {
        if let table = options.table {
            self = .file(try OfflineTable(table, now: SystemClock.now()))
        } else if let client = try options.client {
            self = .server(client)
        } else {
            preconditionFailure("the options have a table or a server")
        }
    }

    /// Nil for a server, whose routes are not known here.
    var table: OfflineTable? { if case .file(let table) = self { table } else { nil } }

    /// - Parameters:
    ///   - context: The context as JSON, and as it was read, with the warnings about it.
    func answer(
        _ url: String,
        in context: JSONNode,
        _ facts: LinkContext,
        explain: Bool = false,
        warnings: [String] = []
    ) async throws -> JSONNode {
        switch self {
        case .file(let table):
            var response = table.answer(url, in: facts, explanation: explain ? .included : .omitted)
            response.warnings += warnings
            return try JSONReader.parse(response.json(), limits: JSONReader.Limits(maximumBytes: 1 << 20))
        case .server(let client):
            do {
                return try await client.answer(url, in: context, explain: explain)
            } catch let refusal as ResolveClient.Refusal {
                throw refusal.failure(of: url, .failed)
            }
        }
    }
}

extension JSONNode {
    /// Returns the object with this member, in the place of one with the same name.
    fileprivate func setting(_ key: String, _ value: JSONNode) -> JSONNode {
        let others = (members ?? []).filter { $0.key != key }
        return JSONNode(.object(others + [Member(key, value)]))
    }
}
