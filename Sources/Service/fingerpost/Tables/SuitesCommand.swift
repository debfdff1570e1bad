import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import Networking

struct SuitesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suites",
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
            show(TextColumns(rows, under: ["suite", "size"]))
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store suites; each is named after its file, without .suite.yaml, .yaml or .json.",
            discussion: """
                EXAMPLE
                  fingerpost suites push shop config/examples/shop.suite.yaml

                A suite that the live table fails would prevent each publication and rollback, so it is rejected; 'apply \
                --suite' stores a suite together with its table.
                """
        )

        @ArgumentParser.Argument(help: "The tenant.") var tenant: String
        @ArgumentParser.Argument(help: "Suite files.") var files: [String]
        @Flag(help: "Store the suites even if the live table fails them.") var force = false
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let client = try admin.client()
            let suites = try files.map { (file: $0, name: SuiteFileName($0).text, text: try readText($0)) }
            if !force {
                var failures: [JSONNode] = []
                for suite in suites {
                    failures += try await reportingRefusals {
                        try await self.failures(of: suite.name, suite.text, client)
                    }
                }
                guard failures.isEmpty else {
                    throw fail(
                        "the live table fails the suites, so they were not stored; correct them, or use --force:",
                        .failed,
                        more: SuiteFailureLines(failures).lines
                    )
                }
            }
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

        /// The cases of a suite that the live table fails; none without a live table, for a suite with errors, and if the
        /// key may not read tables.
        private func failures(of name: String, _ text: String, _ client: AdminClient) async throws -> [JSONNode] {
            guard (try? LinkSuite(text)) != nil else { return [] }
            let suites = JSONNode(.object([JSONNode.Member(name, .string(text))]))
            do {
                let request = JSONNode.object(["suites": suites])
                let plan = try await client.send(.post, "tenants/\(tenant)/draft/plan", json: request).body
                guard plan["live"]?.int != nil else { return [] }
                return (plan["suiteFailures"]?.elements ?? []).filter { $0["suite"]?.text == name }
            } catch let refusal as AdminClient.Refusal where refusal.status == 403 {
                return []
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
