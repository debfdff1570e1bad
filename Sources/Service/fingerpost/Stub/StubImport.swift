import ArgumentParser

struct StubImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make stubs from the files of other programs.",
        discussion: """
            EXAMPLE
              fingerpost stub import har session.har Tests/Stubs
            """,
        subcommands: [ImportHAR.self]
    )
}
