import ArgumentParser

/// Measures a `LinkClient`, and what an app without one does. Prints one JSON object for `bench.py`.
@main
struct ClientBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ClientBench",
        abstract: "Measure loading a signed table in an app, and resolving links with it; flip its bits.",
        subcommands: [Sign.self, Load.self, Resolve.self, Flip.self]
    )
}

/// Invalid input for the benchmark.
struct InputError: Error, CustomStringConvertible {
    var description: String
}
