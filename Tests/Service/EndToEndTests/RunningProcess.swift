import Foundation
import Synchronization

/// A program that runs during the test.
///
/// `Process` is not Sendable, so every use of it is under the lock.
final class RunningProcess: Sendable {
    let identifier: Int32
    private let process: Mutex<Process>

    /// Starts the command; `output` receives its standard output.
    init(_ command: [String], environment: [String: String] = [:], output: Pipe? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let output { process.standardOutput = output }
        // Threads of a pool block signals, and child processes inherit the mask. Unblocks them, or some programs would
        // never receive their termination signal.
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
        identifier = process.processIdentifier
        self.process = Mutex(process)
    }

    /// Kills the process and its children if the test has not waited for its end, for example because the test threw an
    /// error. `swift test` does not end while such a process holds its standard error.
    deinit {
        process.withLock { process in
            guard process.isRunning else { return }
            print("killed process \(identifier), which its test had not ended: \(process.arguments ?? [])")
            // Foundation starts every process in a group of its own.
            kill(-identifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Waits for the end. Returns the signal or the exit status.
    func wait() -> (reason: Process.TerminationReason, status: Int32) {
        process.withLock { process in
            process.waitUntilExit()
            return (process.terminationReason, process.terminationStatus)
        }
    }
}
