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
            suites in the target environment, too. It is rejected if it would undo what was changed in the target since \
            the last promotion; --force permits that. --dry-run has the exit codes of plan.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Argument(help: "The revision (default: the live one of the source environment).")
    var revision: Int64?
    @ArgumentParser.Option(help: "The source environment (default: --environment).") var from: String?
    @ArgumentParser.Option(help: "The target environment.") var to = "production"
    @Flag(help: "Also undo changes that were made in the target since the last promotion.") var force = false
    @Flag(help: "Only show what would change.") var dryRun = false
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
        try await reportingRefusalsOfChanges {
            var client = try admin.client()
            client.environment = from ?? admin.environment
            var number = revision
            if number == nil {
                client.needs = KeyNeeds(dryRun ? [.tablesRead] : [.tablesRead, .publish])
                number = try await client.send(.get, "tenants/\(tenant)/table").eTag.flatMap { Int64($0) }
            }
            let path = "tenants/\(tenant)/revisions/\(number ?? 0)"
            guard !dryRun else {
                let plan = TablePlanning.Plan(try await client.send(.get, "\(path)/plan", query: [("to", to)]))
                let isReady = plan.isReady(override: note.override, isAccepting: force)
                return try plan.report([isReady ? nil : plan.undoing(in: to)], isReady: isReady, json: json)
            }
            let members = (note.json.members ?? []) + (force ? [JSONNode.Member("force", .bool(true))] : [])
            let answer = try await client.send(
                .post,
                "\(path)/promote",
                query: [("to", to)],
                json: JSONNode(.object(members))
            )
            json ? show(answer.body) : show(answer.revisionLines)
        }
    }
}

extension TablePlanning.Plan {
    /// What the promotion would undo in its target; nil for nothing.
    fileprivate func undoing(in target: String) -> String? {
        guard let unasked else { return nil }
        let changes = ChangeLines(unasked).lines.joined(separator: "; ")
        return "It would be rejected without --force, because it undoes changes of '\(target)': \(changes)"
    }
}
