import ArgumentParser
import LinkCatalog
import LinkRouting
import Networking

struct RevisionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revisions",
        abstract: "List, compare, roll back and prune published revisions.",
        discussion: """
            EXAMPLES
              fingerpost revisions list shop
              fingerpost revisions diff shop 7
              fingerpost revisions rollback shop 7 --message "Back to before the sale"
            """,
        subcommands: [List.self, Diff.self, Rollback.self, Prune.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the revisions, newest first.",
            discussion: """
                EXAMPLE
                  fingerpost revisions list shop --limit 20
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Option(help: "The maximum number of revisions.") var limit = 100
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await reportingRefusals {
                try await admin.client().send(.get, "tenants/\(tenant)/revisions", query: [("limit", "\(limit)")])
            }
            guard !json else { return show(answer.body) }
            let rows = (answer.body["revisions"]?.elements ?? []).map(\.revisionCells)
            let headers = ["revision", "environment", "published", "by", "table", "origin", "message", "override"]
            show(TextColumns(rows, under: headers))
        }
    }

    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what changed from one revision to another, by default to the live one.",
            discussion: """
                EXAMPLES
                  fingerpost revisions diff shop 7
                  fingerpost revisions diff shop 7 9 --json
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "The revision to compare from.") var from: Int64
        @ArgumentParser.Argument(help: "The revision to compare to (default: the live one).") var to: Int64?
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let answer = try await reportingRefusals {
                try await admin.client().send(
                    .get,
                    "tenants/\(tenant)/revisions/\(from)/diff",
                    query: to.map { [("to", "\($0)")] } ?? []
                )
            }
            guard !json else { return show(answer.body) }
            let words = (answer.body["changes"]?["words"]?.elements ?? []).compactMap(\.text)
            show(words.isEmpty ? ["nothing changed"] : words)
        }
    }

    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish the table of an earlier revision again, under a new number.",
            discussion: """
                EXAMPLE
                  fingerpost revisions rollback shop 7 --message "Back to before the sale"

                Rejected when the table no longer passes the check, for example because the settings no longer have an \
                app or host that it names. --dry-run has the exit codes of plan.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "The revision.") var revision: Int64
        @OptionGroup var note: NoteOptions
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Only show what would change.") var dryRun = false
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            guard !dryRun else {
                let plan = try await reportingRefusals {
                    try await TablePlanning.Plan(
                        admin.client().send(.get, "tenants/\(tenant)/revisions/\(revision)/plan")
                    )
                }
                return try plan.report(isReady: plan.isReady(override: note.override), json: json)
            }
            let answer = try await reportingRefusalsOfChanges {
                try await admin.client().send(
                    .post,
                    "tenants/\(tenant)/revisions/\(revision)/rollback",
                    json: note.json
                )
            }
            json ? show(answer.body) : show(answer.revisionLines)
        }
    }

    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete old revisions, but never one that is live or that a draft is based on.",
            discussion: """
                EXAMPLE
                  fingerpost revisions prune shop --keep 50 --older-than-days 90
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Option(help: "How many of the newest revisions to keep.") var keep = 50
        @ArgumentParser.Option(help: "Also keep revisions that are not older than this number of days.")
        var olderThanDays = 90
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func validate() throws {
            guard (1...1_000_000).contains(keep) else {
                throw ValidationError("--keep is \(keep); write a number from 1 to 1000000.")
            }
            guard (0...36_500).contains(olderThanDays) else {
                throw ValidationError("--older-than-days is \(olderThanDays); write a number from 0 to 36500.")
            }
        }

        func run() async throws {
            let body = JSONNode.object(["keep": .int(keep), "olderThanDays": .int(olderThanDays)])
            let answer = try await reportingRefusalsOfChanges {
                try await admin.client().send(.post, "tenants/\(tenant)/revisions/prune", json: body)
            }
            guard !json else { return show(answer.body) }
            show("\((answer.body["pruned"]?.elements?.count ?? 0).counted("revision")) deleted")
        }
    }
}

/// Options that accompany a publication: message and override.
struct NoteOptions: ParsableArguments {
    @ArgumentParser.Option(help: "A description of the change.") var message = ""
    @ArgumentParser.Option(help: "Publish even if a stored suite fails, for this reason.") var override: String?

    func validate() throws { try requireReason("--override", override) }

    var json: JSONNode {
        .object(["message": .string(message), "override": override.map { .object(["reason": .string($0)]) }])
    }
}

/// Throws if the value of an option that is a reason is empty.
func requireReason(_ option: String, _ reason: String?) throws {
    guard reason?.isEmpty != true else {
        throw ValidationError("\(option) needs a reason, which the audit log records; write \(option) \"REASON\".")
    }
}

extension AdminClient.Response {
    /// The changes of a rollback or promotion, and the revision that it made live.
    var revisionLines: [String] {
        guard status != 200 else {
            return ["revision \(body["revision"]?.int ?? 0) has this table and is live already"]
        }
        return ChangeLines(body["changes"]).lines
            + [body.revisionCells.filter { !$0.isEmpty }.joined(separator: "  ")]
    }
}

extension JSONNode {
    /// A revision as the cells of a table.
    fileprivate var revisionCells: [String] {
        [
            "\(self["revision"]?.int ?? 0)", self["environment"]?.text ?? "", self["publishedAt"]?.text ?? "",
            self["actor"]?["name"]?.text ?? "", (self["routes"]?.int ?? 0).counted("route"), originText ?? "",
            self["message"]?.text ?? "", overrideText ?? "",
        ]
    }
}
