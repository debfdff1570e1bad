import Foundation
import Synchronization
import TestSupport

/// The real binary on free loopback ports with its own directory. Ended by its process id.
final class RunningServer: Sendable {
    let directory: String
    /// The folder of its files.
    var service: String { directory + "/service" }
    let publicPort: UInt16
    let adminPort: UInt16
    let opsPort: UInt16
    let key: String?
    /// Its standard output until it was ready.
    let printed: String
    private let process: RunningProcess

    enum Failure: Error {
        case didNotStart(status: Int32, output: String)
    }

    /// SwiftPM's build folder, which contains the test bundle.
    static var products: URL { URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent() }

    /// The command that starts the server in a directory.
    static func command(_ directory: String) -> [String] {
        [
            products.appending(path: "fingerpost").path, "serve", "--data", directory, "--public", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--demo",
        ]
    }

    /// Starts in a directory. With `--demo` a new directory gets the example tenants. `launcher` precedes the command,
    /// and `flags` follow it.
    init(
        directory: String,
        launcher: [String] = [],
        flags: [String] = [],
        log: String? = "warning",
        environment: [String: String] = [:]
    ) throws {
        self.directory = directory
        let output = Pipe()
        process = try RunningProcess(
            launcher + Self.command(directory) + flags,
            environment: (log.map { ["FINGERPOST_LOG_LEVEL": $0] } ?? [:]).merging(environment) { $1 },
            output: output
        )
        // The addresses are printed once every port is bound. The key follows if the tenants were just loaded.
        var text = ""
        while !text.contains("\nops ") || !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw Failure.didNotStart(status: process.wait().status, output: text)
            }
            text += String(decoding: data, as: UTF8.self)
        }
        func port(_ name: String) -> UInt16? {
            text.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: ":").last.flatMap { UInt16($0) }
        }
        guard let publicPort = port("public"), let adminPort = port("admin"), let opsPort = port("ops") else {
            throw Failure.didNotStart(status: 0, output: text)
        }
        self.publicPort = publicPort
        self.adminPort = adminPort
        self.opsPort = opsPort
        printed = text
        key = text.firstRange(of: "KEY=").map { String(text[$0.upperBound...].prefix { !$0.isNewline }) }
    }

    /// The prefix of a command that redirects its standard error into a file.
    static func logging(to file: String) -> [String] { ["/bin/sh", "-c", #"exec "$@" 2>>"$0""#, file] }

    /// The process that holds the directory. A launcher may be its parent.
    var holder: Int32 {
        let holder = try? String(contentsOfFile: service + "/lock", encoding: .utf8)
        return holder.flatMap { Int32($0) } ?? process.identifier
    }

    func send(_ signal: Int32) { kill(holder, signal) }

    /// Polls the ops port until the answer is as expected.
    @discardableResult
    func ops(_ path: String, until isIt: (HTTPConnection.Response) -> Bool = { _ in true }) throws
        -> HTTPConnection.Response
    {
        var answer = try HTTPConnection(port: opsPort).request("GET", path)
        try waitUntil("GET \(path) is as expected") {
            if !isIt(answer) { answer = try HTTPConnection(port: opsPort).request("GET", path) }
            return isIt(answer)
        }
        return answer
    }

    /// Waits for the end. Returns the signal or the exit status.
    func wait() -> (reason: Process.TerminationReason, status: Int32) { process.wait() }

    /// Kills the process at once.
    func killNow() {
        send(SIGKILL)
        _ = wait()
    }
}

/// Runs a program to completion. Returns its status and output.
func run(_ command: String...) throws -> (status: Int32, output: Data) {
    try run(command[0], Array(command.dropFirst()))
}

func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, output)
}

/// Runs a program without blocking the test's threads, which may have to answer it.
func runBeside(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: Data) {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try run(program, arguments) }) }
    }
}
