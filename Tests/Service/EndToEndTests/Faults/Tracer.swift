import Foundation
import TestSupport
import Testing

/// Uses strace to fail or delay a system call, to fake its result, or to kill the process in it.
///
/// strace counts `when=` for each thread, so the same number does not always mean the same moment.
enum Tracer {
    /// Whether processes can be traced here. A container may have the package and forbid ptrace.
    static let isHere =
        (try? run("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "true"]).status) == 0
    static let skipped: Comment = "SKIPPED: install the package strace, and allow ptrace, to run this"

    /// The prefix of a command that traces it. `effect` is in strace's syntax, as in `error=EIO:when=3`.
    static func launcher(_ call: String, _ effect: String, log: String) -> [String] {
        // The filter avoids stops at other calls. With the filter no signal is injected (strace 6.1).
        let filter = effect.hasPrefix("signal") ? [] : ["--seccomp-bpf"]
        return ["/usr/bin/env", "strace", "-f"] + filter + arguments(call, effect, log: log)
    }

    /// strace attached to a running process.
    final class Attached: Sendable {
        private let tracer: RunningProcess

        /// Returns when the effect is active.
        init(_ process: Int32, _ call: String, _ effect: String, log: String) throws {
            tracer = try RunningProcess(
                ["/usr/bin/env", "strace", "-f", "-p", "\(process)"] + Tracer.arguments(call, effect, log: log)
            )
            // The kernel reports the tracer of every thread.
            try waitUntil("strace is attached to \(process)") { Tracer.isTraced(process) }
        }

        /// Ends the effect; the process continues without it.
        func detach() {
            tracer.send(SIGTERM)
            _ = tracer.wait()
        }
    }

    private static func arguments(_ call: String, _ effect: String, log: String) -> [String] {
        ["-qq", "-y", "-o", log, "-e", "signal=none", "-e", "trace=\(call)", "-e", "inject=\(call):\(effect)"]
    }

    private static func isTraced(_ process: Int32) -> Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return !threads.isEmpty
            && threads.allSatisfy { thread in
                let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
                return status?.contains("TracerPid:\t0") == false
            }
    }

    /// The manipulated calls from strace's log, with file paths.
    static func injected(_ log: String) -> [Substring] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.contains("(INJECTED)") }
    }
}

/// Polls until `holds` returns true. The time limit only prevents hangs: a busy machine may be slow.
func waitUntil(_ what: String, seconds: Double = Double(HangLimit.seconds), _ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw NeverHeld(description: "not within \(seconds) s: \(what)") }
        usleep(5_000)
    }
}

/// As above, for a test whose own threads must continue meanwhile.
func eventually(
    _ what: String,
    seconds: Double = Double(HangLimit.seconds),
    _ holds: @escaping @Sendable () throws -> Bool
) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try waitUntil(what, seconds: seconds, holds) })
        }
    }
}

struct NeverHeld: Error, CustomStringConvertible {
    let description: String
}
