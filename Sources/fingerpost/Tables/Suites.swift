import ArgumentParser
import Foundation
import LinkCommands
import LinkRouting
import OutboundHTTP

struct Suites: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage a tenant's stored suites; a table that fails one is not published.",
        discussion: """
            EXAMPLES
              fingerpost suites list shop
              fingerpost suites push shop suites/*.yaml
              fingerpost suites show shop checkout > checkout.yaml
              fingerpost suites remove shop checkout
            """,
        subcommands: [List.self, Push.self, Show.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the stored suites.",
            discussion: """
                EXAMPLE
                  fingerpost suites list shop
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @OptionGroup var admin: AdminOptions
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let suites = try await reportingRefusals { try await admin.client().list("tenants/\(tenant)/suites") }
            guard !json else { return show(.object(["suites": .array(suites)])) }
            let rows = suites.map { [$0["suite"]?.text ?? "", ($0["cases"]?.int ?? 0).counted("case")] }
            show(TextColumns(rows, others: .left).lines)
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store suites; each is named after its file, without .suite.yaml, .yaml or .json.",
            discussion: """
                EXAMPLE
                  fingerpost suites push shop config/examples/shop.suite.yaml
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "Suite files.") var files: [String]
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let client = try admin.client()
            let suites = try files.map { (file: $0, name: SuiteFileName($0).text, text: try readText($0)) }
            for suite in suites {
                do {
                    let answer = try await client.send(
                        .put,
                        "tenants/\(tenant)/suites/\(suite.name)",
                        body: Array(suite.text.utf8)
                    )
                    show("\(suite.name)  \((answer.body["cases"]?.int ?? 0).counted("case"))")
                } catch let refusal as AdminClient.Refusal {
                    throw refusal.failure(in: suite.file)
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a stored suite as it was written.",
            discussion: """
                EXAMPLE
                  fingerpost suites show shop checkout > checkout.yaml
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "The suite's name.") var name: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let answer = try await reportingRefusals {
                try await admin.client().send(.get, "tenants/\(tenant)/suites/\(name)")
            }
            show(document: String(decoding: answer.bytes, as: UTF8.self))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a stored suite.",
            discussion: """
                EXAMPLE
                  fingerpost suites remove shop checkout
                """,
            aliases: ["delete"]
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "The suite's name.") var name: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            _ = try await reportingRefusals {
                try await admin.client().send(.delete, "tenants/\(tenant)/suites/\(name)")
            }
            show("\(name) removed")
        }
    }
}

/// The name under which a suite's file is stored.
struct SuiteFileName {
    let text: String

    init(_ path: String) {
        var name = (path as NSString).lastPathComponent
        for ending in [".suite.yaml", ".suite.yml", ".suite.json", ".yaml", ".yml", ".json"]
        where name.hasSuffix(ending) {
            name.removeLast(ending.count)
            break
        }
        text = name
    }
}

struct Routes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Export and import a draft's routes as NDJSON.",
        discussion: """
            EXAMPLES
              fingerpost routes export shop > routes.ndjson
              fingerpost routes import shop routes.ndjson --draft spring
            """,
        subcommands: [Export.self, Import.self]
    )

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the routes of a draft, or of the live table if there is no draft, one per line.",
            discussion: """
                EXAMPLE
                  fingerpost routes export shop > routes.ndjson
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Option(help: "The draft's name.") var draft = "main"
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let answer = try await reportingRefusals {
                try await admin.client().send(
                    .get,
                    "tenants/\(tenant)/draft/routes",
                    query: [("draft", draft)],
                    headers: [("Accept", "application/x-ndjson")]
                )
            }
            show(document: String(decoding: answer.bytes, as: UTF8.self))
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write routes to a draft: each replaces the route with its id; new ones are appended.",
            discussion: """
                EXAMPLES
                  fingerpost routes import shop routes.ndjson
                  fingerpost routes import shop - --replace < routes.ndjson
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "A file with one route per line; - reads standard input.") var file: String
        @ArgumentParser.Option(help: "The draft's name.") var draft = "main"
        @Flag(help: "Remove all other routes.") var replace = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let client = try admin.client()
            let bytes = try readBytes(file)
            let (tenant, draft, mode) = (tenant, draft, replace ? "replace" : "merge")
            let answer = try await reportingRefusals {
                try await showingProgress("importing") {
                    try await client.send(
                        .post,
                        "tenants/\(tenant)/draft/routes",
                        query: [("draft", draft), ("mode", mode)],
                        headers: [("Content-Type", "application/x-ndjson")],
                        body: bytes
                    )
                }
            }
            show("draft \(draft): \((answer.body["routes"]?.int ?? 0).counted("route"))")
            show(FindingLines(answer.body["findings"]?.elements ?? []).lines)
        }
    }
}
