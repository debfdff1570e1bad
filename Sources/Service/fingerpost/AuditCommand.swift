import ArgumentParser
import LinkCatalog
import LinkRouting
import Networking

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List and verify the audit log.",
        discussion: """
            EXAMPLES
              fingerpost audit list --tenant shop
              fingerpost audit verify --data ./data
            """,
        subcommands: [List.self, Verify.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List who changed what, newest first.",
            discussion: """
                EXAMPLE
                  fingerpost audit list --tenant shop --limit 20
                """
        )

        @ArgumentParser.Option(help: "Only this tenant.") var tenant: String?
        @ArgumentParser.Option(help: "The maximum number of entries.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let query = [("limit", "\(limit)")] + (tenant.map { [("tenant", $0)] } ?? [])
            let answer = try await reportingRefusals { try await admin.client().send(.get, "audit", query: query) }
            guard !json else { return show(answer.body) }
            let entries = answer.body["audit"]?.elements ?? []
            show(TextColumns(AuditText(entries).rows, under: AuditText.headers))
            if let tenant, entries.isEmpty {
                warn("The audit log has no entry of '\(tenant)'. 'fingerpost tenants list' lists the tenants.")
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify the hash chain of the audit log and report where it is broken.",
            discussion: """
                EXAMPLES
                  fingerpost audit verify --data ./data
                  fingerpost audit verify --data ./data --json

                Store the printed head hash elsewhere: with it you can detect that rows at the end were removed or the \
                chain was rewritten. Exit code 1 when the chain is broken.
                """
        )

        @ArgumentParser.Option(help: "The data directory.") var data = "data"
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let verdict = try await DirectoryClient.open(data, readsLog: false) {
                try await $0.send(.post, "audit/verify", json: nil).body
            }
            let isIntact = verdict["intact"]?.bool == true
            if json {
                show(verdict, .compact)
            } else if isIntact {
                show("intact: \(verdict["rows"]?.int ?? 0) rows, head \(verdict["head"]?.text ?? "-")")
            } else {
                show("broken at row \(verdict["brokenAt"]?.int ?? 0)")
            }
            guard isIntact else { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }
}
