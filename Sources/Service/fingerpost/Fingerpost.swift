import ArgumentParser
import Foundation
import LinkEvents
import LinkStorage
import Logging

@main
struct Fingerpost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerpost",
        abstract: "Resolves links to their destinations and records every resolution.",
        discussion: """
            EXAMPLES
              fingerpost serve --data ./data --demo
              fingerpost resolve yourapp://product/123 --table config/examples/shop.yaml \\
                --explain
              fingerpost test config/examples/shop.suite.yaml \\
                --table config/examples/shop.yaml

            Examples and messages name files of the source, such as config/examples/shop.yaml. The Debian package
            has them in /usr/share/doc/fingerpost.

            EXIT CODES
              0  success
              1  a check or test failed, or a server rejected the request
              2  something would change
              64 invalid usage
              65 an input or a file of the data directory cannot be read
              69 a server did not respond, or the service cannot listen on an address
              70 internal error
              74 a file cannot be opened, or a write failed
              75 the data directory is in use
              78 invalid configuration
            """,
        version: BuildInfo.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Run",
                subcommands: [ServeCommand.self, ConsoleCommand.self, MigrateCommand.self, ConfigCommand.self]
            ),
            CommandGroup(
                name: "Table",
                subcommands: [
                    CheckCommand.self, PlanCommand.self, ApplyCommand.self, PullCommand.self, DraftsCommand.self,
                    ReplayCommand.self, PromoteCommand.self, RevisionsCommand.self, RoutesCommand.self,
                    SuitesCommand.self, TenantsCommand.self, TableCommand.self, CodegenCommand.self,
                    SchemaCommand.self,
                ]
            ),
            CommandGroup(
                name: "Link",
                subcommands: [
                    ResolveCommand.self, LinksCommand.self, EventsCommand.self, ExplainCommand.self, StatsCommand.self,
                ]
            ),
            CommandGroup(name: "Association", subcommands: [AssociationCommand.self]),
            CommandGroup(
                name: "Data",
                subcommands: [
                    ExportCommand.self, RetentionCommand.self, EraseCommand.self, VerifyLogCommand.self,
                    BackupCommand.self, RestoreCommand.self,
                ]
            ),
            CommandGroup(name: "Several nodes", subcommands: [FleetCommand.self, StoreCommand.self]),
            CommandGroup(name: "Key", subcommands: [KeysCommand.self, AuditCommand.self]),
            CommandGroup(
                name: "Test",
                subcommands: [TestCommand.self, TestKitCommand.self, StubCommand.self, ConformanceCommand.self]
            ),
        ]
    )

    static func main() async {
        // With SIGPIPE ignored, a closed pipe becomes a write error, which every command reports in the same way.
        signal(SIGPIPE, SIG_IGN)
        var failure = await runCommand()
        if let told = failure as? CommandFailure { failure = tell(told) }
        if let help = failure, exitCode(for: help).isSuccess {
            let text = fullMessage(for: help)
            if !text.isEmpty { StandardOutput.write(examplesLast(text) + "\n") }
            failure = nil
        }
        do throws(StandardOutput.Failure) {
            try StandardOutput.flush()
        } catch {
            failure = tell(error.failure)
        }
        ProcessLog.flush()
        exit(withError: failure)
    }

    /// Returns the general help page with its examples and exit codes after the commands. The argument parser writes them
    /// before. Other pages stay as they are.
    private static func examplesLast(_ help: String) -> String {
        guard let start = help.firstRange(of: "EXAMPLES\n"),
            let usage = help.firstRange(of: "USAGE: fingerpost <subcommand>"), start.lowerBound < usage.lowerBound
        else { return help }
        let examples = help[start.lowerBound..<usage.lowerBound].trimmingCharacters(in: .newlines)
        let commands = help[usage.lowerBound...].trimmingCharacters(in: .newlines)
        return "\(help[..<start.lowerBound])\(commands)\n\n\(examples)"
    }

    /// Runs the command. Returns its error; nil if it succeeded.
    private static func runCommand() async -> (any Error)? {
        // Swift reads the arguments from /proc, which a chroot may lack.
        guard !CommandLine.arguments.isEmpty else { return fail("/proc is not mounted; mount it.", .ioError) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Swift replaces bytes that are not UTF-8 by this character.
        if let index = arguments.firstIndex(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
            return fail("argument \(index + 1) is not UTF-8; write it as UTF-8.", .invalidUsage)
        }
        // The argument parser shows the general help instead.
        if arguments.first == "help", let failure = UsageText(Array(arguments.dropFirst())).failureOfUnknownCommand {
            return failure
        }
        do {
            var command = try parseAsRoot()
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            return nil
        } catch let failure as StandardOutput.Failure {
            return failure.failure
        } catch let error as StorageError {
            return fail(error)
        } catch let error as any DiskError {
            return fail(error.description, .ioError)
        } catch {
            if let failure = StorageError(error) { return fail(failure) }
            guard exitCode(for: error) == .validationFailure else { return error }
            return UsageText(arguments).failure(message(for: error))
        }
    }

    /// Prints a failure on standard error, in the format of the log if there is one, and returns its exit code.
    private static func tell(_ failure: CommandFailure) -> ExitCode {
        if ProcessLog.isStarted, !failure.lines.isEmpty {
            Logger(label: "fingerpost").critical(
                "the service cannot run",
                metadata: ["error": "\(failure.reason)", "exit_code": .stringConvertible(failure.status.rawValue)]
            )
        } else {
            failure.lines.forEach(warn)
        }
        return ExitCode(failure.status.rawValue)
    }
}

/// A failure that says what is wrong with the data directory, with its exit code.
func fail(_ error: StorageError) -> CommandFailure {
    guard let status = ExitStatus(rawValue: error.exitCode) else {
        preconditionFailure("every code of a storage error is one of the documented ones")
    }
    return fail(error.description, status)
}
