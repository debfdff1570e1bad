import ArgumentParser
import LinkRouting
import Networking

struct DraftsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drafts",
        abstract: "List, plan, test, publish and remove drafts of tables on a server.",
        discussion: """
            EXAMPLES
              fingerpost drafts list shop
              fingerpost drafts plan shop --draft spring
              fingerpost drafts publish shop --draft spring --message "Spring sale"
            """,
        subcommands: [List.self, Plan.self, Test.self, Publish.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List drafts with the revision that each is based on.",
            discussion: """
                EXAMPLE
                  fingerpost drafts list shop
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let drafts = try await reportingRefusals { try await admin.client().list("tenants/\(tenant)/drafts") }
            guard !json else { return show(.object(["drafts": .array(drafts)])) }
            let rows = drafts.map { draft in
                let base = draft["base"]?.int.map { "from revision \($0)" } ?? "from nothing"
                let writer = draft["actor"]?["name"]?.text
                return [
                    draft["draft"]?.text ?? "", (draft["routes"]?.int ?? 0).counted("route"), base,
                    draft["writtenAt"]?.text ?? "", writer ?? "",
                ]
            }
            show(TextColumns(rows, under: ["draft", "table", "base", "written", "by"]))
        }
    }

    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what publishing a draft would change.",
            discussion: """
                EXAMPLE
                  fingerpost drafts plan shop --draft spring

                Exit code 0 when nothing would change, 2 when something would, 1 when it would be rejected.
                """
        )

        @OptionGroup var location: DraftOptions
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let plan = try await reportingRefusals {
                try await TablePlanning.Plan(admin.client().send(.post, "\(location.path)/plan", query: location.query))
            }
            try plan.report(isReady: !plan.isRefused, json: json)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run the stored suites, or a suite file, against a draft.",
            discussion: """
                EXAMPLES
                  fingerpost drafts test shop --draft spring
                  fingerpost drafts test shop --suite shop.suite.yaml

                Exit code 1 when a case fails.
                """
        )

        @OptionGroup var location: DraftOptions
        @ArgumentParser.Option(help: "A suite file, instead of the stored ones.") var suite: String?
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try suite.map { Array(try readText($0).utf8) }
            let answer = try await reportingRefusals {
                try await admin.client().send(.post, "\(location.path)/test", query: location.query, body: body)
            }
            let suites = answer.body["suites"]?.elements ?? []
            let failures = suites.flatMap { $0["failures"]?.elements ?? [] }
            if json {
                show(answer.body)
            } else {
                let failed = SuiteFailureLines(failures)
                failed.lines.forEach { show($0) }
                let cases = suites.reduce(0) { $0 + ($1["cases"]?.int ?? 0) }
                show("\(cases.counted("case")), \(failed.caseCount) failed")
                if suites.isEmpty {
                    warn(
                        "No suite is stored for this environment: name a file with --suite, or use 'fingerpost suites push'."
                    )
                }
            }
            if !failures.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish a draft, merged with the live table.",
            discussion: """
                EXAMPLE
                  fingerpost drafts publish shop --draft spring --message "Spring sale"

                --dry-run has the exit codes of plan.
                """
        )

        @OptionGroup var location: DraftOptions
        @OptionGroup var note: NoteOptions
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Only show what would change.") var dryRun = false
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            guard !dryRun else {
                let plan = try await reportingRefusals {
                    try await TablePlanning.Plan(
                        admin.client().send(.post, "\(location.path)/plan", query: location.query)
                    )
                }
                return try plan.report(isReady: plan.isReady(override: note.override), json: json)
            }
            let (client, path, query, note) = (try admin.client(), location.path, location.query, note.json)
            let answer = try await reportingRefusalsOfChanges {
                try await showingProgress("publishing") {
                    try await client.send(.post, "\(path)/publish", query: query, json: note)
                }
            }
            guard !json else { return show(answer.body) }
            show(ChangeLines(answer.body["changes"]).lines)
            show("revision \(answer.body["revision"]?.int ?? 0) is live\(admin.placeText)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a draft.",
            discussion: """
                EXAMPLE
                  fingerpost drafts remove shop --draft spring
                """,
            aliases: ["delete"]
        )

        @OptionGroup var location: DraftOptions
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await reportingRefusalsOfChanges {
                try await admin.client().send(.delete, location.path, query: location.query)
            }
            show("\(location.draft) removed")
        }
    }
}

/// Options that select a draft.
struct DraftOptions: ParsableArguments {
    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(help: "The draft's name.") var draft = "main"

    var path: String { "tenants/\(tenant)/draft" }
    var query: [(String, String)] { [("draft", draft)] }
}
