import ArgumentParser
import LinkRouting
import Networking

struct TenantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants",
        abstract: "List, archive and remove tenants.",
        discussion: """
            EXAMPLES
              fingerpost tenants list
              fingerpost tenants archive shop
              fingerpost tenants remove shop
            """,
        subcommands: [List.self, Archive.self, Unarchive.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tenants that the key has access to.",
            discussion: """
                EXAMPLE
                  fingerpost tenants list --json
                """
        )

        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let client = try admin.client()
            let tenants = try await reportingRefusals { try await client.list("tenants") }
            guard !json else { return show(.array(tenants)) }
            let rows = tenants.map { tenant in
                let live = (tenant["live"]?.members ?? []).map { "\($0.key) \($0.value.int ?? 0)" }
                return [
                    tenant["id"]?.text ?? "", live.isEmpty ? "no table" : live.joined(separator: ", "),
                    tenant["archivedAt"]?.text ?? "",
                ]
            }
            show(TextColumns(rows, under: ["tenant", "live", "archived"]))
        }
    }

    struct Archive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Archive a tenant: its links are unmatched, and it cannot be changed.",
            discussion: """
                EXAMPLE
                  fingerpost tenants archive shop

                The tenant keeps its hosts, tables, keys and events. 'fingerpost tenants unarchive' makes it active \
                again. Needs a key for all tenants.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await reportingRefusals {
                try await admin.client().send(.post, "tenants/\(tenant)/archive", json: nil)
            }
            show("\(tenant) is archived: its links are unmatched")
        }
    }

    struct Unarchive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an archived tenant active again.",
            discussion: """
                EXAMPLE
                  fingerpost tenants unarchive shop
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await reportingRefusals {
                try await admin.client().send(.post, "tenants/\(tenant)/unarchive", json: nil)
            }
            show("\(tenant) is active")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an archived tenant's tables, drafts and suites, and release its hosts.",
            discussion: """
                EXAMPLE
                  fingerpost tenants remove shop

                This cannot be undone. The name stays reserved, and the tenant's events stay until retention drops \
                them. Needs a key for all tenants.
                """
        )

        @ArgumentParser.Argument(help: "The tenant; archive it first.") var tenant: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await reportingRefusals {
                try await admin.client().send(.delete, "tenants/\(tenant)", json: nil)
            }
            show("\(tenant) is removed")
        }
    }
}
