import Foundation
import TestSupport
import Testing

/// A port that cannot be opened causes a one-line error and leaves the data directory cleanly closed.
struct ListenTests {
    /// Without `--demo`, so that the error is the only output.
    private func serve(_ directory: String, _ addresses: [String: String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments =
            ["serve", "--data", directory]
            + ["public", "admin", "ops"].flatMap { ["--\($0)", addresses[$0] ?? "127.0.0.1:0"] }
        var environment = ProcessInfo.processInfo.environment
        environment["FINGERPOST_LOG_LEVEL"] = "warning"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func isMarkedRunning(_ directory: String) -> Bool {
        FileManager.default.fileExists(atPath: directory + "/service/running")
    }

    @Test(arguments: ["public", "admin", "ops"])
    func addressInUseIsOneLineAndExitSixtyNine(_ role: String) async throws {
        try await withTemporaryDirectory { directory in
            let taken = try ListeningSocket()
            let address = "127.0.0.1:\(taken.port)"
            let (status, text) = try serve(directory, [role: address])

            #expect(status == 69)
            // One line of the log.
            let reason = "\(role): \(address) is in use; choose another with --\(role) HOST:PORT"
            #expect(text.hasSuffix(#""error":"\#(reason)","exit_code":"69"}"# + "\n"), "\(text)")
            #expect(text.hasPrefix("{") && text.split(separator: "\n").count == 1, "\(text)")
            #expect(!isMarkedRunning(directory))
        }
    }

    @Test func addressOfAnotherMachineIsOneLineAndExitSixtyNine() async throws {
        try await withTemporaryDirectory { directory in
            let (status, text) = try serve(directory, ["public": "192.0.2.1:0"])

            #expect(status == 69)
            let reason = "public: 192.0.2.1:0 is not an address of this machine; choose another with --public HOST:PORT"
            #expect(text.contains(#""error":"\#(reason)""#), "\(text)")
        }
    }

    @Test(arguments: ["public", "admin", "ops"])
    func hostThatDoesNotResolveIsOneLineAndExitSixtyNine(_ role: String) async throws {
        try await withTemporaryDirectory { directory in
            let (status, text) = try serve(directory, [role: "nohost.invalid:0"])
            #expect(status == 69)
            let reason = "\(role): the host 'nohost.invalid' does not resolve to an address; choose another"
            #expect(text.contains(#""error":"\#(reason)"#) && text.split(separator: "\n").count == 1, "\(text)")
            #expect(!isMarkedRunning(directory))
        }
    }

    /// A start that fails before the check of an unclean directory leaves the check to the next start.
    @Test func uncleanDirectoryStaysUnclean() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/service", withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: directory + "/service/running"))
            let taken = try ListeningSocket()
            #expect(try serve(directory, ["ops": "127.0.0.1:\(taken.port)"]).status == 69)
            #expect(isMarkedRunning(directory))
        }
    }
}

/// Holds a free port of 127.0.0.1 for its lifetime.
private final class ListeningSocket {
    private let descriptor: Int32
    let port: UInt16

    struct Failure: Error {}

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isListening else {
            close(descriptor)
            throw Failure()
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
