import Foundation
import LinkCatalog
package import LinkRouting
import Synchronization

// All output of the command line goes through these functions: much of it is untrusted text, which could contain
// terminal escape sequences.

/// Writes a line for people to standard output.
package func show(_ line: String) { StandardOutput.write(line.escapedForTerminal + "\n") }

package func show(_ lines: [String]) {
    for line in lines { show(line) }
}

/// Writes JSON to standard output.
package func show(_ node: JSONNode, _ layout: JSONWriter.Layout = .pretty) { show(json: node.json(layout)) }

package func show(json: String) { StandardOutput.write(json.jsonEscapedForTerminal + "\n") }

/// Writes a document to standard output: unchanged to a file or pipe, escaped to a terminal.
package func show(document: String) {
    guard isatty(STDOUT_FILENO) == 1 else { return StandardOutput.write(document) }
    let lines = document.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    StandardOutput.write(lines.map { String($0).escapedForTerminal }.joined(separator: "\n"))
}

extension BinaryInteger {
    /// The number with a noun, such as `1 row` or `2 rows`.
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

/// Writes a line to standard error. It may repeat arguments, so keys in it are hidden.
package func warn(_ line: String) { StandardError.write(Array("\(line.withoutKeys.escapedForTerminal)\n".utf8)) }

/// Buffered standard output. The next `flush` throws a write failure; output until then is dropped.
package enum StandardOutput {
    package struct Failure: Error {
        /// The `errno` of the failure.
        package let code: Int32

        /// The failure of the command. A closed pipe, such as with `head`, prints nothing.
        package var failure: CommandFailure {
            guard code != EPIPE else { return CommandFailure(lines: [], status: .ioError) }
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
    /// Whether text may have colours: see https://no-color.org.
    static let showsStyles: Bool = {
        let variables = ProcessInfo.processInfo.environment
        return isTerminal && variables["NO_COLOR", default: ""].isEmpty && variables["TERM"] != "dumb"
    }()
    private static let bufferedBytes = 64 << 10

    package static func write(_ text: String) { write(text.utf8) }

    package static func write(_ bytes: some Collection<UInt8>) {
        state.withLock { state in
            state.waiting += bytes
            if isTerminal || state.waiting.count >= bufferedBytes { state.writeOut() }
        }
    }

    /// Writes buffered output. Throws the first failure since the last flush.
    package static func flush() throws(Failure) {
        let code = state.withLock { state in
            state.writeOut()
            defer { state.failure = nil }
            return state.failure
        }
        if let code { throw Failure(code: code) }
    }

    /// Throws if the reader of a pipe has closed it. A command that waits for more input would not notice otherwise.
    package static func requireReader() throws(Failure) {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 else { return }
        throw Failure(code: EPIPE)
    }
}

/// Writes all bytes and blocks until done. Returns the `errno` of a failure; nil on success.
package func writeAll(_ bytes: [UInt8], to file: Int32) -> Int32? {
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
