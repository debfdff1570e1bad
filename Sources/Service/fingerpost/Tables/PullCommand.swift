import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import Networking

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Write a server's live settings and table to a tenant file.",
        discussion: """
            EXAMPLES
              fingerpost pull shop -f shop.yaml
              fingerpost pull shop --server https://links.internal:8081 > shop.yaml

            plan and apply accept the file. Comments in an existing file are lost, its 'links' stay. A file with changes that are not live \
            is replaced only with --force. The key needs the scope tables:read.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(name: [.short, .long], help: "The file to write (default: standard output).") var file:
        String?
    @Flag(help: "Replace the file even if it has changes that are not live.") var force = false
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Write JSON.") var json = false

    func run() async throws {
        let client = try admin.client()
        let document = try await reportingRefusals {
            let settings = try await client.send(.get, "tenants/\(tenant)/settings")
            var links: JSONNode?
            if let file, !force { links = try await linksOfUnchanged(file, client) }
            var table: JSONNode?
            var revision: Int64?
            do {
                let live = try await client.send(.get, "tenants/\(tenant)/table")
                (table, revision) = (live.body, live.eTag.flatMap { Int64($0) })
            } catch let refusal as AdminClient.Refusal where refusal.code == "no_table" {
                table = nil
            }
            return JSONNode.object([
                "formatVersion": .int(1), "tenant": .string(tenant), "basedOn": revision.map { .int($0) },
                "settingsBasedOn": settings.eTag.flatMap { Int64($0) }.map { .int($0) },
                "settings": settings.body["settings"],
                "table": table, "links": links,
            ])
        }
        let text = json ? document.json(.pretty) + "\n" : try Document.yaml(document)
        guard let file else { return show(document: text) }
        try write(text, toFile: file)
        show("\(file): \((document["table"]?["routes"]?.elements?.count ?? 0).counted("route"))")
    }

    /// Returns the short links of an existing file. Throws if it has changes, to the table or the settings that it was
    /// pulled from, that are not live.
    private func linksOfUnchanged(_ file: String, _ client: AdminClient) async throws -> JSONNode? {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        let text = try readText(file)
        guard let document = try? TenantDocument(text) else {
            throw fail("\(file) is not a tenant file; choose another name, or use --force to replace it.", .failed)
        }
        let live = try await table("table", client)
        var base = live
        if let revision = document.basedOn { base = try await table("revisions/\(revision)/table", client) }
        let merge = TableMerge(base: base, live: live, draft: document.table ?? base)
        guard merge.conflicts.isEmpty, TableDiff(from: live, to: merge.content).isEmpty,
            try await hasSettings(document, client)
        else {
            throw fail(
                "\(file) has changes that are not live; apply them, or use --force to replace it.",
                .failed
            )
        }
        return document.links
    }

    /// Returns a table of the tenant; an empty one if there is none.
    private func table(_ path: String, _ client: AdminClient) async throws -> JSONNode {
        do {
            return try await client.send(.get, "tenants/\(tenant)/\(path)").body
        } catch let refusal as AdminClient.Refusal where ["no_table", "unknown_revision"].contains(refusal.code) {
            return .object([:])
        }
    }

    /// Whether a file has no settings but those that it was pulled with, or those that are live.
    private func hasSettings(_ document: TenantDocument, _ client: AdminClient) async throws -> Bool {
        guard let settings = document.settings else { return true }
        let pulled = document.settingsBasedOn.map { [("revision", "\($0)")] }
        let queries: [[(String, String)]] = (pulled.map { [$0] } ?? []) + [[]]
        for query in queries {
            do {
                let stored = try await client.send(.get, "tenants/\(tenant)/settings", query: query).body["settings"]
                if TableDiff.fields(from: stored ?? .null, to: settings).isEmpty { return true }
            } catch let refusal as AdminClient.Refusal where refusal.code == "unknown_revision" {}
        }
        return false
    }
}
