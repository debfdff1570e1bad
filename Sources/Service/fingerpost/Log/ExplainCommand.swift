import ArgumentParser
import LinkCatalog
import LinkRouting
import Networking

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why a recorded link led where it did.",
        discussion: """
            EXAMPLES
              fingerpost explain 01939e2c-7d00-7000-8000-000000000001
              fingerpost explain 7 --tenant shop --json

            The recorded parts of the link are resolved again, with the revisions of table and settings that answered \
            it. Notes say what was not recorded. Reads from a server, with a key that has the scopes exports:read and \
            tables:read.
            """
    )

    @ArgumentParser.Argument(help: "The id or the seq of an event.") var event: String
    @ArgumentParser.Option(help: "The tenant (default: the only one of the key).") var tenant: String?
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let explanation = try await reportingRefusals {
            var client = try admin.client()
            client.needs = KeyNeeds([.exportsRead, .tablesRead])
            let tenant = if let tenant { tenant } else { try await onlyTenant(client) }
            return try await client.send(.get, "tenants/\(tenant)/events/\(event)/explain").body
        }
        json ? show(explanation) : show(ExplanationText(explanation).lines)
    }

    private func onlyTenant(_ client: AdminClient) async throws -> String {
        var client = client
        // The tenants of a server are those of all environments.
        client.environment = nil
        let tenants = try await client.list("tenants").compactMap { $0["id"]?.text }
        guard let tenant = tenants.first, tenants.count == 1 else {
            let names = tenants.prefix(10).joined(separator: ", ")
            throw fail(
                tenants.isEmpty
                    ? "the key has access to no tenant."
                    : "the key has access to \(tenants.count) tenants; name one with --tenant, such as: \(names).",
                .failed
            )
        }
        return tenant
    }
}
