import ArgumentParser
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

            plan and apply accept the file. Comments in an existing file are lost. The key needs the scope tables:read.
            """
    )

    @ArgumentParser.Argument(help: "The tenant.") var tenant: String
    @ArgumentParser.Option(name: [.short, .long], help: "The file to write (default: standard output).") var file:
        String?
    @OptionGroup var admin: AdminOptions
    @Flag(help: "Write JSON.") var json = false

    func run() async throws {
        let client = try admin.client()
        let document = try await reportingRefusals {
            let settings = try await client.send(.get, "tenants/\(tenant)/settings")
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
                "settings": settings.body["settings"],
                "table": table,
            ])
        }
        let text = json ? document.json(.pretty) + "\n" : try Document.yaml(document)
        guard let file else { return show(document: text) }
        try write(text, toFile: file)
        show("\(file): \((document["table"]?["routes"]?.elements?.count ?? 0).counted("route"))")
    }
}
