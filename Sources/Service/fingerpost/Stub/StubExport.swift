import ArgumentParser

struct StubExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write stubs or a journal for other programs.",
        discussion: """
            EXAMPLE
              fingerpost stub export har Tests/Stubs > stubs.har
            """,
        subcommands: [ExportHAR.self]
    )
}
