import ArgumentParser
import LinkCatalog
import LinkRouting
import LinkServer
import LinkTable

struct TableSign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign the table of a tenant's file for an app, without a server.",
        discussion: """
            EXAMPLE
              fingerpost table sign shop.yaml --app ios --signing-key table.jwk \\
                --revision 7 --settings-revision 3 --output shop.table

            An app never replaces its table by an older one, so --revision and --settings-revision must be those of the \
            server's tables, or lower. 'table export' fetches the table that a server has signed.
            """
    )

    @ArgumentParser.Argument(help: "A tenant file.") var file: String
    @OptionGroup var scope: TableScopeOptions
    @ArgumentParser.Option(help: "The file of the private key.") var signingKey: String
    @ArgumentParser.Option(help: "The revision number of the table, at most that of the server.") var revision: Int64
    @ArgumentParser.Option(help: "The revision number of the settings, at most that of the server.")
    var settingsRevision: Int64
    @ArgumentParser.Option(help: "The tenant of a file that names none.") var tenant: String?
    @ArgumentParser.Option(help: "The file to write.") var output: String

    func validate() throws {
        guard revision >= 1, settingsRevision >= 0 else {
            throw ValidationError("--revision is 1 or more, and --settings-revision is 0 or more.")
        }
    }

    func run() async throws {
        let keys = TableKeyFiles(signingKey)
        try requireReplaceable(output, inputs: [file, keys.path, keys.nextPath])
        // Reports errors of the table as 'check' does.
        let offline = try OfflineTable(file, now: SystemClock.now())
        let document = try TableFile(file, tenant: tenant)
        guard let table = document.table, let settings = document.settings else {
            throw fail("\(file) must have 'settings' and 'table'; an app needs both.", .unreadableInput)
        }
        let claims = TableClaims(
            scope: try scope.scope(of: document.tenant),
            revision: Revision(rawValue: revision),
            settingsRevision: settingsRevision,
            issuedAt: SystemClock.now()
        )
        let known = Set(offline.published.settings.environments + [.production])
        let environment = claims.scope.environment
        guard known.contains(environment) else {
            let advice =
                environment.nearest(among: known).map { "did you mean '\($0)'?" }
                ?? "they have \(known.map(\.rawValue).sorted().joined(separator: ", "))."
            throw fail("\(file): the settings have no environment '\(environment)'; \(advice)", .unreadableInput)
        }
        do {
            let key = try keys.current()
            let bytes = try TableSigner(key).sign(try TableContent(claims, table: table, settings: settings))
            try write(String(decoding: bytes, as: UTF8.self), toFile: output)
            show("\(output): \(bytes.count) bytes, signed with the key \(key.publicKey.id)")
        } catch let error as TableContentError {
            throw fail("\(file): \(error)", .unreadableInput)
        } catch let error as TableRejection {
            throw fail("\(file): \(error)", .failed)
        }
    }
}
