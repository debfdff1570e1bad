import ArgumentParser
import LinkCommands
import LinkRouting

/// An error in the arguments, with advice that the argument parser does not give: the command or option that was
/// probably meant, and for `--data` and `--server` the one that the command takes.
struct UsageText {
    private let command: [any ParsableCommand.Type]
    /// The argument at the place of a subcommand, if there is no such subcommand.
    private let unknownCommand: String?

    /// - Parameter arguments: The arguments of the process without its name.
    init(_ arguments: [String]) {
        var command: [any ParsableCommand.Type] = [Fingerpost.self]
        var unknown: String?
        for argument in arguments {
            let children = command[command.count - 1].configuration.subcommands
            guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { break }
            guard let child = children.first(where: { $0.names.contains(argument) }) else {
                unknown = argument
                break
            }
            command.append(child)
        }
        self.command = command
        unknownCommand = unknown
    }

    private var last: any ParsableCommand.Type { command[command.count - 1] }
    private var usage: String { Fingerpost.usageString(for: last) }
    private var name: String { command.map { $0._commandName }.joined(separator: " ") }

    /// - Parameter message: The message of the argument parser.
    func failure(_ message: String) -> CommandFailure {
        if let unknownCommand { return fail(advice(onCommand: unknownCommand), .invalidUsage) }
        if let option = message.wholeMatch(of: /Unknown option '(-[^' ]+)'.*/.dotMatchesNewlines())?.output.1 {
            return fail(advice(onOption: String(option)), .invalidUsage)
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return fail(
            lines.first ?? "invalid arguments",
            .invalidUsage,
            more: lines.dropFirst() + ["Usage: \(usage)", "'\(name) --help' explains the arguments."]
        )
    }

    private func advice(onCommand unknown: String) -> String {
        let names = last.configuration.subcommands.map { $0._commandName }.sorted()
        let list =
            command.count == 1 ? "'fingerpost --help' lists the commands" : "use \(names.joined(separator: ", "))"
        let parents = Fingerpost.configuration.subcommands.filter { parent in
            command.count == 1 && parent.configuration.subcommands.contains { $0.names.contains(unknown) }
        }.map { $0._commandName }
        let refusal = "'\(unknown)' is not a command of '\(name)'"
        if let first = parents.first {
            return "\(refusal), but a subcommand of: \(parents.joined(separator: ", ")). "
                + "Write 'fingerpost \(first) \(unknown)'."
        }
        return "\(refusal); \(unknown.nearest(among: names).map { "did you mean '\(name) \($0)'?" } ?? "\(list).")"
    }

    private func advice(onOption option: String) -> String {
        guard last.configuration.subcommands.isEmpty else {
            return "write the command before its options: \(name) COMMAND \(option) …"
        }
        let options = usage.matches(of: /--[a-z0-9-]+/).map { String($0.output) } + ["--help", "--version"]
        let refusal = "'\(name)' has no option '\(option)'"
        switch option {
        case "--data" where options.contains("--server"):
            return "\(refusal): it works through a server. Use --server ADDRESS and --key."
        case "--server" where options.contains("--data"), "--key" where options.contains("--data"):
            return "\(refusal): it works on a data directory, also on that of a running server. Use --data DIR."
        default:
            let near = option.nearest(among: options.sorted()).map { "did you mean '\($0)'?" }
            return "\(refusal); \(near ?? "'\(name) --help' lists its options.")"
        }
    }
}

extension ParsableCommand {
    fileprivate static var names: [String] { [_commandName] + configuration.aliases }
}
