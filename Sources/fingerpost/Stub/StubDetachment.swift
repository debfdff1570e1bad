import Foundation
import LinkCommands

/// Starts the same command in a process of its own, which outlives this one, and passes on its first line.
struct StubDetachment {
    let pidFile: String?

    /// In the environment of the detached process.
    static let marker = "FINGERPOST_STUB_DETACHED"

    func start() throws {
        guard let pidFile else {
            throw fail("--detach needs --pid-file, so that 'stub stop' finds the process.", .failed)
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
            throw fail("the stub server did not start; \(pidFile) was not written.", .unavailable)
        }
        StandardOutput.write(String(decoding: line, as: UTF8.self))
        try StandardOutput.flush()
    }
}
