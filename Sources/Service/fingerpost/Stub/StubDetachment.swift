import ArgumentParser
import Foundation

/// Starts the same command in a process of its own, which outlives this one, and passes on its first line.
struct StubDetachment {
    let pidFile: String?

    /// In the environment of the detached process.
    private static let marker = "FINGERPOST_STUB_DETACHED"

    /// Whether this is the detached process.
    static var isDetached: Bool { ProcessInfo.processInfo.environment[marker] != nil }

    func start() throws {
        guard let pidFile else {
            throw fail("--detach needs --pid-file, so that 'stub stop' finds the process.", .invalidUsage)
        }
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = CommandLine.arguments.dropFirst().filter { $0 != "--detach" }
        process.environment = ProcessInfo.processInfo.environment.merging([Self.marker: "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw fail("the stub server cannot be started: \(error.localizedDescription).", .internalError)
        }
        // The end of the output without a line means that the start failed; its reason is on standard error.
        var line = Data()
        while let piece = try output.fileHandleForReading.read(upToCount: 1), !piece.isEmpty, line.last != 0x0A {
            line.append(piece)
            if line.last == 0x0A { break }
        }
        guard line.last == 0x0A else {
            process.waitUntilExit()
            // The reason is on standard error already.
            guard process.terminationReason == .exit, process.terminationStatus != 0 else {
                throw fail("the stub server ended before it was ready; \(pidFile) was not written.", .unavailable)
            }
            throw ExitCode(process.terminationStatus)
        }
        StandardOutput.write(String(decoding: line, as: UTF8.self))
        try StandardOutput.flush()
    }

    /// The file with the messages of a detached server after its start.
    static func log(besides pidFile: String) -> String { pidFile + ".log" }

    /// Lets the detached process write further messages to a file, so that a script which waits for the end of its
    /// output does not wait for the server. Does nothing in another process.
    static func redirectMessages(besides pidFile: String?) throws {
        guard isDetached, let pidFile else { return }
        let path = log(besides: pidFile)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw fail("\(path) cannot be written: \(String(cString: strerror(errno))).", .ioError)
        }
        dup2(descriptor, STDOUT_FILENO)
        dup2(descriptor, STDERR_FILENO)
        close(descriptor)
    }
}
