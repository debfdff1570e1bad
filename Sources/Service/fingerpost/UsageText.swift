import ArgumentParser
import LinkRouting

/// An error in the arguments, with advice that the argument parser does not give: the command or option that was
/// probably meant, and for `--data` and `--server` the one that the command takes.
struct UsageText {
    private let command: [any ParsableCommand.Type]
    /// The argument at the place of a subcommand, if there is no such subcommand.
    private let unknownCommand: String?
    private let arguments: [String]

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
        // A command that runs without the name of a subcommand takes another word as its first argument.
        let parent = command[command.count - 1].configuration
        if let standard = parent.defaultSubcommand,
            unknown.map({ $0.nearest(among: parent.subcommands.map { $0._commandName }) == nil }) ?? true
        {
            unknown = nil
            command.append(standard)
        }
        self.command = command
        self.arguments = arguments
        unknownCommand = unknown
    }

    private var last: any ParsableCommand.Type { command[command.count - 1] }
    private var usage: String { Fingerpost.usageString(for: last) }
    private var name: String { command.map { $0._commandName }.joined(separator: " ") }

    /// The failure of a command that does not exist, for a request of its help; nil if it exists.
    var failureOfUnknownCommand: CommandFailure? {
        unknownCommand.map { fail(advice(onCommand: $0), .invalidUsage) }
    }

    /// - Parameter message: The message of the argument parser.
    func failure(_ message: String) -> CommandFailure {
        if let failure = failureOfUnknownCommand { return failure }
        if let file = fileWithoutOption {
            return fail("'\(name)' reads its file from an option: write -f \(file).", .invalidUsage)
        }
        if let option = unknownServerOption { return fail(advice(onOption: option), .invalidUsage) }
        if let (option, value) = negativeNumber(message) {
            return fail("'\(value)' is not a valid value of \(option); write a positive number.", .invalidUsage)
        }
        if let text = wrongRevision(message) {
            let isEnvironment = last == PromoteCommand.self && !arguments.contains { $0.hasPrefix("--from") }
            let advice = isEnvironment ? " For an environment, write --from \(text)." : ""
            return fail(
                "'\(text)' is not a revision; write its number, such as 7. 'fingerpost revisions list TENANT' lists "
                    + "them.\(advice)",
                .invalidUsage
            )
        }
        if let advice = adviceOnTenant(message) { return fail(advice, .invalidUsage) }
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

    /// The first argument of a command that has the option `--file`, if it looks like that file and the option is missing.
    private var fileWithoutOption: String? {
        guard arguments.count >= command.count, optionNames.contains("--file"),
            !arguments.contains(where: { $0 == "-f" || $0.hasPrefix("--file") })
        else { return nil }
        let first = arguments[command.count - 1]
        let file = first.hasPrefix("-f") ? String(first.dropFirst(2)) : first
        return [".yaml", ".yml", ".json"].contains { file.hasSuffix($0) } ? file : nil
    }

    /// An option for a server or a data directory that the command does not have: more important than what is missing.
    private var unknownServerOption: String? {
        guard last.configuration.subcommands.isEmpty else { return nil }
        return ["--server", "--data"].first { option in
            arguments.contains { $0 == option || $0.hasPrefix(option + "=") } && !optionNames.contains(option)
        }
    }

    /// An option and the negative number after it, which the argument parser takes for another option; nil if that is not
    /// what it refuses.
    private func negativeNumber(_ message: String) -> (option: String, value: String)? {
        guard let missing = message.wholeMatch(of: /Missing value for '(--[a-z-]+) .*/.dotMatchesNewlines()),
            let index = arguments.firstIndex(of: String(missing.output.1)),
            let value = arguments[(index + 1)...].first, value.wholeMatch(of: /-[0-9]+/) != nil
        else { return nil }
        return (arguments[index], value)
    }

    /// What to write instead of an argument that is probably the tenant of a command with the option `--tenant`; nil for
    /// another mistake.
    private func adviceOnTenant(_ message: String) -> String? {
        guard let match = message.wholeMatch(of: /Unexpected argument '([^']*)'.*/.dotMatchesNewlines()),
            // The option of a stub server names a file.
            optionNames.contains("--tenant"), last != StubRun.self
        else { return nil }
        let text = String(match.output.1)
        if last == ExplainCommand.self, let tenant = arguments.dropFirst(command.count - 1).first,
            !tenant.hasPrefix("-")
        {
            return "the tenant is an option; write: \(name) \(text) --tenant \(tenant)"
        }
        guard TenantID(text) != nil else { return nil }
        return "'\(text)' is one argument too many; if it is the tenant, write --tenant \(text)."
    }

    /// The text in the place of a revision's number; nil if it is not what the argument parser refuses.
    private func wrongRevision(_ message: String) -> String? {
        let refused = /The value '([^']*)' is invalid for '<(?:revision|from|to)>'.*/.dotMatchesNewlines()
        if let match = message.wholeMatch(of: refused) { return String(match.output.1) }
        guard usage.contains("<revision>") || usage.contains("<tenant> <from>") else { return nil }
        return arguments.first { $0.wholeMatch(of: /-[0-9]+/) != nil }
    }

    /// Names that people expect, and what has them here.
    private static let expectedCommands = [
        "deploy": "apply", "associate": "association", "lint": "check", "version": "--version",
    ]
    private static let expectedOptions = ["-m": "--message", "--port": "--public"]

    private func advice(onCommand unknown: String) -> String {
        let names = last.configuration.subcommands.map { $0._commandName }.sorted()
        let list =
            command.count == 1 ? "'fingerpost --help' lists the commands" : "use \(names.joined(separator: ", "))"
        let parents = Fingerpost.configuration.subcommands.filter { parent in
            command.count == 1 && parent.configuration.subcommands.contains { $0.names.contains(unknown) }
        }.map { $0._commandName }
        let refusal = "'\(unknown)' is not a command of '\(name)'"
        if command.count == 1, let known = Self.expectedCommands[unknown] {
            return "\(refusal); did you mean '\(name) \(known)'?"
        }
        if command.count > 1, Fingerpost.configuration.subcommands.contains(where: { $0.names.contains(unknown) }) {
            return "\(refusal); write 'fingerpost \(unknown)', or \(list)."
        }
        if let first = parents.first {
            return "\(refusal), but a subcommand of: \(parents.joined(separator: ", ")). "
                + "Write 'fingerpost \(first) \(unknown)'."
        }
        return "\(refusal); \(unknown.nearest(among: names).map { "did you mean '\(name) \($0)'?" } ?? "\(list).")"
    }

    /// The long names of the command's options, from the lines of its help page that begin with them: the usage of a
    /// command with many options does not list them.
    private var optionNames: [String] {
        Fingerpost.helpMessage(for: last, columns: 120)
            .matches(of: /^  (?:-[a-zA-Z], )?(--[a-z0-9-]+)/.anchorsMatchLineEndings()).map { String($0.output.1) }
    }

    private func advice(onOption option: String) -> String {
        guard last.configuration.subcommands.isEmpty else {
            return "write the command before its options: \(name) COMMAND \(option) …"
        }
        let options = optionNames + ["--help", "--version"]
        let refusal = "'\(name)' has no option '\(option)'"
        switch option {
        case "--data" where options.contains("--server"):
            return "\(refusal): it works through a server. Use --server ADDRESS and --key."
        case "--server" where options.contains("--data"), "--key" where options.contains("--data"):
            return "\(refusal): it works on a data directory, also on that of a running server. Use --data DIR."
        case "--server" where options.contains("--table"):
            return
                "\(refusal): it reads a file. Use --table FILE; 'fingerpost pull' writes the table of a server to one."
        case "--tenant" where usage.contains("<tenant>"):
            let value = arguments.drop { $0 != option }.dropFirst().first ?? "TENANT"
            return "\(refusal): the tenant is an argument, as in '\(name) \(value)'."
        default:
            let expected = Self.expectedOptions[option].flatMap { options.contains($0) ? $0 : nil }
            let longer = options.filter { option.count > 3 && $0.hasPrefix(option) }
            let near = expected ?? option.nearest(among: options.sorted()) ?? (longer.count == 1 ? longer[0] : nil)
            return "\(refusal); \(near.map { "did you mean '\($0)'?" } ?? "'\(name) --help' lists its options.")"
        }
    }
}

extension ParsableCommand {
    fileprivate static var names: [String] { [_commandName] + configuration.aliases }
}
