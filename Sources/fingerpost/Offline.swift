import ArgumentParser
import LinkAPI
import LinkCatalog
import LinkRouting
import LinkServer
import LinkService

/// Resolves links against a tenant's file without a server.
struct OfflineTable {
    private let catalog: Catalog
    /// The router for the file's table and settings.
    let router: Router
    let published: PublishedTable
    /// Set if the file has no settings: the table then applies to every link.
    private let bare: PublishedTable?

    /// Loads a file. Exits with code 65 if it is not a tenant file or has errors.
    init(_ path: String) throws {
        let text = try readText(path)
        do {
            let document = try TenantDocument(text)
            let (settings, table, findings) = document.checked()
            guard let table, !findings.contains(where: { $0.severity == .error }) else {
                let lines =
                    findings.isEmpty ? ["it has no table"] : findings.filter { $0.severity == .error }.map(\.line)
                throw fail("\(path): \(lines[0])", .unreadableInput, more: lines.dropFirst().map { "  \($0)" })
            }
            guard let tenant = document.tenant ?? TenantID("local") else {
                preconditionFailure("'local' is an identifier")
            }
            let ownSettings = try settings ?? Settings(Field(.object([:]), path: "settings"))
            let published = PublishedTable(
                tenant: tenant,
                environment: .production,
                revision: nil,
                settingsRevision: 0,
                settings: ownSettings,
                table: table
            )
            catalog = Catalog([published])
            router = published.router
            self.published = published
            bare = settings == nil ? published : nil
        } catch let error as DocumentError {
            throw fail("\(path): \(error.description)", .unreadableInput)
        }
    }

    /// Returns a suite's failures against the table. A file without settings has no hosts, so its links go directly to
    /// the table.
    func failures(of suite: LinkSuite) -> [SuiteFailure] {
        guard bare != nil else { return suite.failures(against: published, at: Server.now()) }
        return suite.cases.flatMap { one in
            var warnings: [String] = []
            let context = (try? Context(Field(one.context, path: "context"), warnings: &warnings)) ?? Context()
            let answer = answer(one.link, in: context, explanation: one.wantsTrace ? .included : .omitted)
            let node = try? JSONReader.parse(answer.json(), limits: JSONReader.Limits(maximumBytes: 1 << 20))
            return one.failures(of: node ?? .null, suite: suite.name ?? "", sealsContinuations: false)
        }
    }

    /// Returns the response that a server would give, except for `id`, `recorded` and a sealed continuation.
    func answer(_ url: String, in context: Context, explanation: Router.Explanation) -> ResolveResponse {
        var context = context
        context.now = context.now ?? Server.now()
        var answer = catalog.resolve(url, in: context, explanation: explanation)
        if let bare, let link = answer.link {
            answer = CatalogResolution(
                link: link,
                table: bare,
                resolution: bare.router.resolve(link, in: context, explanation: explanation)
            )
        }
        var response = ResolveResponse(answer)
        if answer.resolution.action == .signIn {
            response.warnings.append("Only a server can issue a continuation; offline it is null.")
        }
        return response
    }
}

extension Finding {
    /// The finding as text for people: place, message, example link and fix.
    var line: String {
        let shown = example.map { message.contains($0) ? "" : " Example: \($0)." } ?? ""
        let place = position.flatMap { $0.line > 0 ? "line \($0.line), column \($0.column): " : nil } ?? ""
        return
            "\(severity.rawValue): \(place)\(path.isEmpty ? "" : path + ": ")\(message)\(shown)\(fix.isEmpty ? "" : " \(fix)")"
    }
}

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
        let table = try OfflineTable(table)
        var warnings: [String] = []
        let facts: Context
        do {
            let node = try JSONReader.parse(context, limits: JSONReader.Limits(maximumBytes: 16_384))
            facts = try Context(Field(node, path: "context"), warnings: &warnings)
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

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a table file; a table with errors cannot be published.",
        discussion: """
            EXAMPLE
              fingerpost check config/examples/shop.yaml --json

            Exit code 1 when there is an error, 0 otherwise.
            """
    )

    @ArgumentParser.Argument(help: "A tenant or table file; - reads standard input.") var table: String
    @Flag(help: "Print the findings as JSON.") var json = false

    func run() async throws {
        var findings: [Finding]
        do {
            findings = try TenantDocument(try readText(table)).checked(now: Server.now()).findings
        } catch let error as DocumentError {
            findings = [Finding(error)]
        }
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("findings")
            writer.findings(findings)
            writer.endObject()
            show(json: writer.text)
        } else {
            for finding in findings { show(finding.line) }
            if findings.isEmpty { show("no findings") }
        }
        if findings.contains(where: { $0.severity == .error }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
