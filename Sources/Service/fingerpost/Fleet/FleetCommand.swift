import ArgumentParser
import Foundation
import LinkRouting
import PostgresStorage

/// Commands for nodes that share a catalog in PostgreSQL. They need no running node.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show and manage nodes that share a catalog in PostgreSQL.",
        discussion: """
            EXAMPLES
              fingerpost fleet status --config /etc/fingerpost.yaml
              fingerpost fleet forget links-3 --config /etc/fingerpost.yaml

            The configuration's 'store' names the database. docs/fleet.md is the guide.
            """,
        subcommands: [Status.self, Forget.self, AcceptHistory.self, Prepare.self]
    )

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the nodes with their versions and what they have of the catalog.",
            discussion: """
                EXAMPLE
                  fingerpost fleet status --config /etc/fingerpost.yaml

                A node reports every 30 seconds; 'catalog' is the number of the last change of the audit log that it had
                then. The exit code is 1 if one has not reported for two minutes, or does not follow the catalog or the
                short links.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let now = SystemClock.now()
            let fleet = try await store.using { try await $0.fleet(at: now) }
            let rows = fleet.map { node, problem in
                let age = max(now.milliseconds - node.seenAt.milliseconds, 0) / 1_000
                return [node.name, node.version, "\(node.catalog)", "\(age) s", problem ?? "follows"]
            }
            guard !rows.isEmpty else { return show("No node has reported yet.") }
            show(TextColumns(rows, under: ["node", "version", "catalog", "reported before", "state"]))
            guard fleet.allSatisfy({ $0.problem == nil }) else { throw ExitCode(1) }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a node that is gone for good.",
            discussion: """
                EXAMPLE
                  fingerpost fleet forget links-3 --config /etc/fingerpost.yaml

                Links of apps do not expire while a node is missing, because it may have seen clicks. A node that still
                runs appears again.
                """
        )

        @ArgumentParser.Argument(help: "The node's name in 'fingerpost fleet status'.") var node: String
        @OptionGroup var store: StoreOptions

        func run() async throws {
            guard try await store.using({ [node] in try await $0.forget(node) }) else {
                throw fail("there is no node '\(node)'; 'fingerpost fleet status' lists them.", .failed)
            }
            show("\(node) is forgotten.")
        }
    }

    struct AcceptHistory: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let all nodes follow a database that lost changes.",
            discussion: """
                EXAMPLE
                  fingerpost fleet accept-history --config /etc/fingerpost.yaml

                For a failover or a recovery that lost publications, keys or short links. Each node then replaces its
                copy once, and the lost changes are gone everywhere. deploy/runbooks/catalog-away.md says how to look at
                them before.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.using { try await $0.acceptHistory() }
            show("Accepted. The nodes follow within two seconds.")
        }
    }

    struct Prepare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create or migrate the tables; `serve` does the same if its user may.",
            discussion: """
                EXAMPLE
                  FINGERPOST_STORE_USER=fingerpost_owner fingerpost fleet prepare \\
                    --config /etc/fingerpost.yaml

                For nodes whose user may not create tables. Run it with the new version before its nodes start.
                """
        )

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let warnings = try await store.using { try await $0.prepare() }
            for warning in warnings { StandardError.write(Array("fingerpost: warning: \(warning)\n".utf8)) }
            show("The tables are up to date.")
        }
    }
}
