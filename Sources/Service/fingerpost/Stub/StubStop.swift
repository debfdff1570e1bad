import ArgumentParser

struct StubStop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop a stub server that was started with --detach.",
        discussion: """
            EXAMPLE
              fingerpost stub stop --pid-file stub.pid

            Exits with the exit code of the server: 1 if it ran with --strict and a request or a link had no answer. \
            Exits with 0 if the server has stopped already.
            """
    )

    @ArgumentParser.Option(help: "The file with the process id.") var pidFile: String

    func run() throws { try StubPIDFile.stopServer(pidFile) }
}
