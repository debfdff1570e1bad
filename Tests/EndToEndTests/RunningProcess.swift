import Foundation
import Synchronization

/// A program that runs beside the test.
///
/// `Process` is a class without a promise of its own; every use of it goes through the lock.
final class RunningProcess: Sendable {
    let identifier: Int32
    private let process: Mutex<Process>

    /// Begins the command; `output` takes its standard output.
    init(_ command: [String], environment: [String: String] = [:], output: Pipe? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let output { process.standardOutput = output }
        // A thread of a pool blocks signals, and a program inherits that: some would never hear of their end.
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Waits for the end: the signal that ended it, or its exit status.
    func wait() -> (reason: Process.TerminationReason, status: Int32) {
        process.withLock { process in
            process.waitUntilExit()
            return (process.terminationReason, process.terminationStatus)
        }
    }
}
