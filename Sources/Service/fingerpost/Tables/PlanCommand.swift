import ArgumentParser

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what applying a tenant file to a server would change.",
        discussion: """
            EXAMPLES
              fingerpost plan -f shop.yaml
              fingerpost plan -f shop.yaml --server https://links.internal:8081 \\
                --environment staging --json
              fingerpost plan -f checkout-team.yaml --owner checkout

            Prints the changes by route, the findings, the cases of stored suites that would fail, and the links of \
            those suites that would move between the app and the browser. The key needs the scope tables:read.
            Exit code 0 when nothing would change, 2 when something would, 1 when it would be rejected.
            """
    )

    @ArgumentParser.Option(name: [.short, .long], help: "A tenant file; - reads standard input.") var file: String
    @ArgumentParser.Option(help: "The tenant id, if the file has none.") var tenant: String?
    @OptionGroup var limits: OwnerOptions
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let (plan, advice) = try await reportingRefusals {
            let client = try admin.client()
            let planning = TablePlanning(
                file: try await limits.file(TableFile(file, tenant: tenant), client),
                client: client,
                now: SystemClock.now()
            )
            let plan = try await showingProgress("checking") { try await planning.plan() }
            return (plan, limits.advice(about: plan, of: planning.file))
        }
        let isReady = plan.isReady(isAccepting: limits.removeOthers)
        let rejection = isReady ? nil : plan.rejection(of: file, with: [], .would)
        try plan.report([advice, rejection], isReady: isReady, json: json)
    }
}
