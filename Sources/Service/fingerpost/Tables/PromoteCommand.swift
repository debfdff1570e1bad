import ArgumentParser
import LinkCatalog
import LinkRouting
import Networking

struct PromoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Publish the table of one environment in another.",
        discussion: """
            EXAMPLES
              fingerpost promote shop --from staging
              fingerpost promote shop 8 --from staging --to production \\
                --message "Spring sale"

            Promotes the live table, or that of an earlier revision. The table must pass the check and the stored \
            suites in the target environment, too.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Argument(help: "The revision (default: the live one of the source environment).")
    var revision: Int64?
    @ArgumentParser.Option(help: "The source environment (default: --environment).") var from: String?
    @ArgumentParser.Option(help: "The target environment.") var to = "production"
    @OptionGroup var note: NoteOptions
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard let source = from ?? admin.environment else {
            throw ValidationError("add --from with the environment whose table you want, such as --from staging.")
        }
        guard from == nil || admin.environment == nil || from == admin.environment else {
            throw ValidationError("--from and --environment name different environments; remove --environment.")
        }
        guard source != to else {
            throw ValidationError("--from and --to are both '\(to)'; name two environments.")
        }
    }

    func run() async throws {
        let answer = try await reportingRefusalsOfChanges {
            var client = try admin.client()
            client.environment = from ?? admin.environment
            var number = revision
            if number == nil {
                client.needs = KeyNeeds([.tablesRead, .publish])
                number = try await client.send(.get, "tenants/\(tenant)/table").eTag.flatMap { Int64($0) }
            }
            return try await client.send(
                .post,
                "tenants/\(tenant)/revisions/\(number ?? 0)/promote",
                query: [("to", to)],
                json: note.json
            )
        }
        json ? show(answer.body) : show(answer.revisionText)
    }
}
