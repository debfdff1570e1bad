import ArgumentParser

struct StubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stub",
        abstract: "Run a stub server for tests of apps; it reads WireMock's folders.",
        discussion: """
            EXAMPLES
              fingerpost stub                                  # any free port, no stubs
              fingerpost stub Tests/Stubs --port 8080
              fingerpost stub Tests/Stubs --detach --pid-file stub.pid
              fingerpost stub stop --pid-file stub.pid
              fingerpost stub report http://127.0.0.1:8080 > stubs.xml
              fingerpost stub Tests/Stubs --record https://staging.example.com
              fingerpost stub verify Tests/Stubs https://staging.example.com
              fingerpost stub import har session.har Tests/Stubs
            """,
        subcommands: [
            StubRun.self, StubStop.self, StubReport.self, StubVerify.self, StubImport.self, StubExport.self,
            StubCA.self,
        ],
        defaultSubcommand: StubRun.self
    )
}
