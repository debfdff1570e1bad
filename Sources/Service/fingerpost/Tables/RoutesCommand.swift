import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import Networking

struct RoutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
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

                Exit code 1 when the draft is saved with errors, which prevent its publication.
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
            try requireRoutes(in: bytes)
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
            let findings = answer.body["findings"]?.elements ?? []
            show(FindingLines(findings).lines)
            guard !findings.contains(where: { $0["severity"]?.text == "error" }) else {
                throw fail("the draft is saved, but it cannot be published with these errors.", .failed)
            }
        }

        /// Throws for an empty file, and for one that has its routes in another form.
        private func requireRoutes(in bytes: [UInt8]) throws {
            let name = file == "-" ? "standard input" : file
            switch bytes.first(where: { !" \t\r\n".utf8.contains($0) }) {
            case nil: throw fail("\(name) has no route; nothing was changed.", .unreadableInput)
            case UInt8(ascii: "["):
                throw fail("\(name) is a list; write one route per line, without [ ] and commas.", .unreadableInput)
            default:
                guard let text = String(validating: bytes, as: UTF8.self), (try? TenantDocument(text)) != nil else {
                    return
                }
                throw fail("\(name) is a tenant file; use 'fingerpost apply -f \(file)'.", .unreadableInput)
            }
        }
    }
}
