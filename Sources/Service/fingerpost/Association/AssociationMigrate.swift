import AppAssociation
import ArgumentParser
import Foundation
import HTTPTransport
import LinkCatalog
import LinkRouting
import LinkServer

struct AssociationMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create a tenant file from a published apple-app-site-association file.",
        discussion: """
            EXAMPLES
              fingerpost association migrate apple-app-site-association \\
                --host www.acme.com --out acme.yaml
              fingerpost association migrate apple-app-site-association \\
                --host www.acme.com --app ABCDE12345.com.acme --json
              curl -s https://www.acme.com/.well-known/apple-app-site-association |
                fingerpost association migrate - --host www.acme.com --host acme.com

            Each rule becomes one route, or two if one pattern cannot express it. A rule that a table cannot express, \
            or would resolve differently from iOS, is reported on standard error with a link on which the two differ. \
            In that case nothing is written: resolve the reports first, or use --partial to write the closest routes.

            Without --json, the tenant file is written as YAML, or as JSON if its name ends in .json. With --json, one \
            object is printed: the tenant, the reports, and whether every rule was migrated.

            EXIT CODES
              0  every rule was migrated
              1  a rule is unresolved
              65 unreadable input
              74 a write failed
            """
    )

    @ArgumentParser.Argument(help: "The file; - reads standard input.") var file: String
    @ArgumentParser.Option(help: "The host that serves the file, or *.HOST; may be repeated.")
    var host: [String] = []
    @ArgumentParser.Option(help: "Migrate only this application identifier, TEAMID.bundle (default: all in the file).")
    var app: String?
    @ArgumentParser.Option(help: "The tenant id (default: the brand in the first host's name).") var tenant: String?
    @ArgumentParser.Option(help: "Write the tenant file here instead of printing it.") var out: String?
    @Flag(help: "Replace an existing tenant file.") var force = false
    @Flag(help: "Write the tenant even if rules are unresolved.") var partial = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard !host.isEmpty else { throw ValidationError("Name the host that serves the file with --host.") }
        guard tenant.map({ TenantID($0) != nil }) ?? true else {
            throw ValidationError("'\(tenant ?? "")' is not a tenant id; use 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        }
    }

    func run() async throws {
        if let out { try requireReplaceable(out, inputs: [file], force: force) }
        let migration = try migration()
        let isWritten = migration.isComplete || partial
        if !json {
            for report in migration.reports {
                warn("\(file):\(report.line)")
            }
        }
        if isWritten, let out { try write(migration.document, to: out) }
        if json {
            show(migration.json)
        } else if isWritten, out == nil {
            show(document: try Document.yaml(migration.document))
        }
        guard migration.isComplete else {
            let count = migration.reports.count(where: \.isUnresolved)
            let rules = count == 1 ? "1 report is unresolved" : "\(count) reports are unresolved"
            throw fail(
                partial
                    ? "\(rules); the tenant has the closest routes."
                    : "\(rules), so nothing was written; resolve them in the file, or write the closest routes with --partial.",
                .failed
            )
        }
    }

    private func migration() throws -> AssociationMigration {
        let bytes = try readBytes(file)
        let parsed: AppleAppSiteAssociation
        do throws(JSONSyntaxError) {
            parsed = try AppleAppSiteAssociation(parsing: bytes)
        } catch {
            throw fail(
                "\(file): \(error.description) Devices drop the whole file; nothing was migrated.",
                .unreadableInput
            )
        }
        do throws(AssociationMigration.Problem) {
            return try AssociationMigration(of: parsed, hosts: host, app: app, tenant: tenant.flatMap { TenantID($0) })
        } catch {
            throw fail("\(file): \(error.description)", .unreadableInput)
        }
    }

    private func write(_ document: JSONNode, to path: String) throws {
        let isJSON = path.hasSuffix(".json")
        let text = isJSON ? document.json(.pretty) + "\n" : try Document.yaml(document)
        try fingerpost.write(text, toFile: path)
    }
}
