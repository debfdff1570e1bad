import ArgumentParser
import LinkRouting
import Networking

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Show which rows of a tenant's log are kept, wait for export or can be dropped, and drop them.",
        discussion: """
            EXAMPLES
              fingerpost retention shop
              fingerpost retention shop --apply
              fingerpost retention shop --force "the bucket was given up, ticket 4711"

            A server drops expired rows automatically after every midnight UTC. Rows that have not been exported are \
            kept however old they are. --force drops them anyway, and the audit log records who did it and why.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Drop rows now that can be dropped.") var apply = false
    @ArgumentParser.Option(help: "Also drop rows that wait for export, for this reason.") var force: String?
    @Flag(help: "Print JSON.") var json = false

    func validate() throws { try requireReason("--force", force) }

    func run() async throws {
        let answer = try await reportingRefusals {
            let client = try admin.client()
            let path = "tenants/\(tenant)/retention"
            guard apply || force != nil else { return try await client.send(.get, path) }
            return try await client.send(
                .post,
                path,
                json: .object(["force": force.map { .object(["reason": .string($0)]) }])
            )
        }
        guard !json else { return show(answer.body) }
        show(RetentionText(answer.body, of: tenant, isApplied: apply || force != nil).lines)
    }
}
