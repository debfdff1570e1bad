import ArgumentParser
import Foundation
import LinkRouting

// The only places of the command line that write: much of what it shows was written by strangers, and a terminal obeys text.

/// A line for people, on standard output.
func show(_ line: String) { print(line.escapedForTerminal) }

func show(_ lines: [String]) {
    for line in lines { show(line) }
}

/// JSON for programs and people, on standard output.
func show(_ node: JSONNode, _ layout: JSONWriter.Layout = .pretty) { show(json: node.json(layout)) }

func show(json: String) { print(json.jsonEscapedForTerminal) }

/// A document on standard output: as it is for a file or a program, escaped for a terminal.
func show(document: String) {
    guard isatty(STDOUT_FILENO) == 1 else { return print(document, terminator: "") }
    let lines = document.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    print(lines.map { String($0).escapedForTerminal }.joined(separator: "\n"), terminator: "")
}

/// A line on standard error.
func warn(_ line: String) { FileHandle.standardError.write(Data("\(line.escapedForTerminal)\n".utf8)) }

/// Says on one line what is wrong, and below it more, and ends.
func fail(_ message: String, _ status: ExitStatus, more lines: [String] = []) -> ExitCode {
    warn("fingerpost: \(message)")
    lines.forEach(warn)
    return ExitCode(status.rawValue)
}
