import ArgumentParser

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the effective configuration; it contains no secrets.",
        discussion: """
            EXAMPLE
              FINGERPOST_PUBLIC_PORT=9000 fingerpost config --config config/fingerpost.yaml
            """
    )

    @OptionGroup var flags: ConfigurationFlags

    func run() async throws {
        for (key, value) in try await flags.read().effective { show("\(key): \(value)") }
    }
}
