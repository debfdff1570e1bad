import ArgumentParser
import Foundation
import LinkRouting
import Synchronization

// The only places of the command line that write: much of what it shows was written by strangers, and a terminal obeys text.

/// A line for people, on standard output.
func show(_ line: String) { StandardOutput.write(line.escapedForTerminal + "\n") }

func show(_ lines: [String]) {
    for line in lines { show(line) }
}

/// JSON for programs and people, on standard output.
func show(_ node: JSONNode, _ layout: JSONWriter.Layout = .pretty) { show(json: node.json(layout)) }

func show(json: String) { StandardOutput.write(json.jsonEscapedForTerminal + "\n") }

/// A document on standard output: as it is for a file or a program, escaped for a terminal.
func show(document: String) {
    guard isatty(STDOUT_FILENO) == 1 else { return StandardOutput.write(document) }
    let lines = document.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    StandardOutput.write(lines.map { String($0).escapedForTerminal }.joined(separator: "\n"))
}

/// A line on standard error.
func warn(_ line: String) { StandardError.write(Array("\(line.escapedForTerminal)\n".utf8)) }

/// Says on one line what is wrong, and below it more, and ends.
func fail(_ message: String, _ status: ExitStatus, more lines: [String] = []) -> ExitCode {
    warn("fingerpost: \(message)")
    lines.forEach(warn)
    return ExitCode(status.rawValue)
}

/// Standard output. A write that fails is told by the next `flush`; what is written until then is dropped.
enum StandardOutput {
    struct Failure: Error {
        /// An `errno`.
        let code: Int32

        /// Who does not read on, such as `head`, knows why.
        func told() -> ExitCode {
            guard code != EPIPE else { return ExitCode(ExitStatus.ioError.rawValue) }
            return fail("standard output cannot be written: \(String(cString: strerror(code)))", .ioError)
        }
    }

    private struct State {
        var waiting: [UInt8] = []
        var failure: Int32?

        mutating func writeOut() {
            if failure == nil, !waiting.isEmpty { failure = writeAll(waiting, to: STDOUT_FILENO) }
            waiting = []
        }
    }

    private static let state = Mutex(State())
    private static let isTerminal = isatty(STDOUT_FILENO) == 1
    private static let bufferedBytes = 64 << 10

    static func write(_ text: String) {
        state.withLock { state in
            state.waiting += text.utf8
            if isTerminal || state.waiting.count >= bufferedBytes { state.writeOut() }
        }
    }

    /// Writes what waits. Throws what went wrong since the last time.
    static func flush() throws(Failure) {
        let code = state.withLock { state in
            state.writeOut()
            defer { state.failure = nil }
            return state.failure
        }
        if let code { throw Failure(code: code) }
    }

    /// Throws when whoever read a pipe has gone: a command that waits for more would never hear of it.
    static func requireReader() throws(Failure) {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 else { return }
        throw Failure(code: EPIPE)
    }
}

/// Writes all bytes, however long that takes; the `errno` when it cannot.
func writeAll(_ bytes: [UInt8], to file: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let (count, code) = rest.withUnsafeBytes { (write(file, $0.baseAddress, $0.count), errno) }
        switch (count, code) {
        case (1..., _): rest = rest.dropFirst(count)
        case (0, _): return EIO
        case (_, EINTR): continue
        case (_, EAGAIN):
            var ready = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
            _ = poll(&ready, 1, -1)
        case (_, let code): return code
        }
    }
    return nil
}
