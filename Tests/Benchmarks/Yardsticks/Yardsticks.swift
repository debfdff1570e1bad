import ArgumentParser

/// What the service is measured against, and what offers load at a constant rate. Each server listens on a free port of
/// 127.0.0.1, prints `NAME http://…`, and answers until SIGTERM.
@main
struct Yardsticks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Yardsticks",
        abstract: "Servers that do nothing, and an open-loop client.",
        subcommands: [Echo.self, Hello.self, Durable.self, Load.self]
    )
}
