import ArgumentParser
import LinkCatalog
import LinkRouting

struct ApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a tenant file to a server: write its settings and publish its table.",
        discussion: """
            EXAMPLES
              fingerpost apply -f shop.yaml --message "Spring sale"
              fingerpost apply -f shop.yaml --suite shop.suite.yaml --dry-run
              fingerpost apply -f checkout-team.yaml --owner checkout
              fingerpost apply -f shop.yaml \\
                --override "Case 12 is known to be wrong, ticket 481"

            Settings, table and suites go live together or, if one of them is rejected, not at all. \
            Changes that others publish at the same time are kept; it is a conflict only if both sides changed the \
            same route. With --suite, the table must pass the suites, which are then stored: no later table may fail \
            them.
            A pulled file names the revision that it is based on; only your changes since then are applied. A file \
            without that replaces the whole table: routes that it does not contain are removed. If it has no other \
            route of their owner, that needs --remove-others. With --owner, only the routes of that owner are \
            changed; those of other teams and the settings are left as they are.
            The key needs the scopes tables:read, tables:write and publish; to change the settings or create a \
            tenant, it needs admin. tables:read suffices for --dry-run.
            Exit code 0 when the file is live, 1 when it was rejected; --dry-run has the exit codes of plan.
            """
    )

    @ArgumentParser.Option(name: [.short, .long], help: "A tenant file; - reads standard input.") var file: String
    @ArgumentParser.Option(help: "The tenant id, if the file has none.") var tenant: String?
    @ArgumentParser.Option(help: "A description of the change.") var message = ""
    @ArgumentParser.Option(help: "Who approved the change; may be repeated.") var approved: [String] = []
    @ArgumentParser.Option(help: "A suite to store; may be repeated.") var suite: [String] = []
    @ArgumentParser.Option(help: "Publish even if a stored suite fails, for this reason.") var override: String?
    @Flag(help: "Only show what would change.") var dryRun = false
    @OptionGroup var limits: OwnerOptions
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws { try requireReason("--override", override) }

    /// A key that is limited to the routes of an owner can neither store nor override suites.
    private var needs: KeyNeeds {
        KeyNeeds(
            [.tablesRead, .tablesWrite, .publish],
            owner: suite.isEmpty && override == nil ? limits.owner : nil,
            tenant: limits.owner == nil ? .mayBeNew : .exists
        )
    }

    func run() async throws {
        let note = JSONNode.object([
            "message": .string(message), "approvals": .array(approved.map(JSONNode.string)),
            "override": override.map { .object(["reason": .string($0)]) },
            "removeOthers": limits.removeOthers ? .bool(true) : nil,
        ])
        try await reportingRefusalsOfChanges {
            var client = try admin.client()
            if !dryRun { client.needs = needs }
            let planning = TablePlanning(
                file: try await limits.file(TableFile(file, tenant: tenant), client),
                client: client,
                suites: try suite.map { path in (name: SuiteFileName(path).text, text: try readText(path)) },
                now: SystemClock.now()
            )
            let plan = try await showingProgress("checking") { try await planning.plan() }
            let isReady = plan.isReady(override: override, isAccepting: limits.removeOthers)
            let advice = limits.advice(about: plan, of: planning.file)
            if dryRun || !isReady || plan.isEmpty && suite.isEmpty {
                let names = planning.suites.map(\.name)
                let rejection = isReady ? nil : plan.rejection(of: file, with: names, dryRun ? .would : .was)
                return try plan.report([advice, rejection], isReady: isReady, json: json)
            }
            let published = try await showingProgress("publishing") { try await planning.apply(plan, note) }
            if json { return show(published) }
            show(plan.lines + [advice].compactMap(\.self))
            if let revision = published["revision"]?.int {
                show("revision \(revision) is live\(admin.placeText)")
            } else if plan.changesSettings {
                show("the settings are live")
            }
            for suite in planning.suites {
                show("suite \(suite.name) is stored: a later table must pass it, too")
            }
        }
    }
}
