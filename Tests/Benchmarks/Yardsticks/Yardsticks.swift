import ArgumentParser

/// The servers with which the service is compared, and a client with a constant rate. Each server listens on a free
/// port of 127.0.0.1, prints `NAME http://…`, and runs until SIGTERM.
@main
struct Yardsticks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Yardsticks",
        abstract: "Minimal servers, and an open-loop client.",
        subcommands: [Echo.self, Hello.self, Durable.self, Load.self]
    )
}
