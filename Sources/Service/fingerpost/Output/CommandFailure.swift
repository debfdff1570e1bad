/// The failure of a command: what it prints on standard error, and its exit code.
package struct CommandFailure: Error, Hashable {
    package let lines: [String]
    package let status: ExitStatus

    /// The lines without the name of the program.
    var reason: String {
        let text = lines.joined(separator: " ")
        return text.hasPrefix(program) ? String(text.dropFirst(program.count)) : text
    }
}

private let program = "fingerpost: "

/// Returns the error to throw, with a message and more lines for standard error.
package func fail(_ message: String, _ status: ExitStatus, more lines: [String] = []) -> CommandFailure {
    CommandFailure(lines: [program + message] + lines, status: status)
}

/// The exit codes of commands, based on sysexits.h.
package enum ExitStatus: Int32 {
    case failed = 1
    /// Something would change; used by plan and replay.
    case wouldChange = 2
    case invalidUsage = 64
    case unreadableInput = 65
    case unavailable = 69
    case internalError = 70
    case ioError = 74
    case inUse = 75
    case wrongConfiguration = 78
}
