import Foundation
import Testing

/// strace, under which a system call of the process fails, takes long, lies, or is its last.
///
/// The counts of `when=` are kept for each thread, so the same number does not always mean the same moment.
enum Tracer {
    /// Whether a traced process can be had here: a container may have the package and forbid what it does.
    static let isHere =
        (try? run("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "true"]).status) == 0
    static let skipped: Comment = "SKIPPED: install the package strace, and allow ptrace, to run this"

    /// What stands before the command: `effect` is what strace calls it, as in `error=EIO:when=3`.
    static func launcher(_ call: String, _ effect: String, log: String) -> [String] {
        // The filter spares the calls that are not meant, and with it no signal is injected (strace 6.1).
        let filter = effect.hasPrefix("signal") ? [] : ["--seccomp-bpf"]
        return ["/usr/bin/env", "strace", "-f"] + filter + arguments(call, effect, log: log)
    }

    /// strace on a process that runs already.
    final class Attached: Sendable {
        private let tracer: RunningProcess

        /// Returns when the effect holds.
        init(_ process: Int32, _ call: String, _ effect: String, log: String) throws {
            tracer = try RunningProcess(
                ["/usr/bin/env", "strace", "-f", "-p", "\(process)"] + Tracer.arguments(call, effect, log: log)
            )
            // The kernel says of every thread who traces it.
            try waitUntil("strace is attached to \(process)") { Tracer.isTraced(process) }
        }

        /// Ends the effect; the process goes on without it.
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

    /// The calls that were tampered with, as strace wrote them down: with the file's path.
    static func injected(_ log: String) -> [Substring] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.contains("(INJECTED)") }
    }
}

/// Polls until `holds` returns true. The limit is only a net against hangs: a busy machine may be slow.
func waitUntil(_ what: String, seconds: Double = 600, _ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !holds() {
        guard ContinuousClock.now < deadline else { throw NeverHeld(description: "not within \(seconds) s: \(what)") }
        usleep(5_000)
    }
}

/// As above, for a test whose own threads must go on meanwhile.
func eventually(_ what: String, seconds: Double = 600, _ holds: @escaping @Sendable () throws -> Bool) async throws {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try waitUntil(what, seconds: seconds, holds) })
        }
    }
}

struct NeverHeld: Error, CustomStringConvertible {
    let description: String
}
