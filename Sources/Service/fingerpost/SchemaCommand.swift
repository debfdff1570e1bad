import ArgumentParser
import Examples
import LinkCatalog

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of tenant files or suites, for completion and checks in editors.",
        discussion: """
            EXAMPLES
              fingerpost schema > fingerpost.schema.json
              fingerpost schema suite > fingerpost-suite.schema.json
              fingerpost schema --format markdown > docs/reference.md

            With this first line in a file, editors that use yaml-language-server complete its keys:
              # yaml-language-server: $schema=fingerpost.schema.json
            """
    )

    enum File: String, ExpressibleByArgument, CaseIterable { case tenant, suite }
    enum Format: String, ExpressibleByArgument, CaseIterable { case json, markdown }

    @ArgumentParser.Argument(help: "The file that the schema describes: tenant (default) or suite.") var file: File?
    @ArgumentParser.Option(help: "json, or markdown for the reference page of all files and the configuration.")
    var format = Format.json

    func validate() throws {
        guard format == .json || file == nil else {
            throw ValidationError("The markdown page describes all files; omit '\(file?.rawValue ?? "")'.")
        }
    }

    func run() async throws {
        switch (format, file ?? .tenant) {
        case (.json, .tenant): show(DocumentSchema.tenant.node)
        case (.json, .suite): show(DocumentSchema.suite.node)
        case (.markdown, _): show(document: ReferencePage(configuration: Examples.configuration).markdown)
        }
    }
}
