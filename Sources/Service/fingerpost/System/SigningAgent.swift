import Foundation
import LinkEvents
import LinkServer
import LinkTable

/// A program that holds the private key, such as a client of a hardware module. It is called for each table with the
/// key's id as its argument. It reads the message on standard input and writes the signature, 64 bytes, to standard
/// output.
struct SigningAgent {
    private let path: String

    /// The time limit of one call.
    private static let seconds = 10
    /// A longer output is not a signature.
    private static let mostBytes = 4_096

    struct Failure: Error, CustomStringConvertible { let description: String }

    init(_ path: String) { self.path = path }

    func signer(_ key: TablePublicKey) -> TableSigner {
        TableSigner(publicKey: key) { message in try signature(of: message, by: key) }
    }

    private func signature(of message: [UInt8], by key: TablePublicKey) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = [key.id]
        process.standardInput = try Self.file(of: message)
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw Failure(description: "the agent \(path) cannot be started: \(error.localizedDescription)")
        }
        let bytes = try self.output(of: output.fileHandleForReading.fileDescriptor) {
            kill(process.processIdentifier, SIGKILL)
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the agent \(path) failed with status \(process.terminationStatus)")
        }
        guard bytes.count == 64 else {
            throw Failure(description: "the agent \(path) wrote \(bytes.count) bytes; a signature has 64")
        }
        return bytes
    }

    /// Returns a file with the message, which has no name any more. With a pipe, the agent would have to read everything
    /// before it writes.
    private static func file(of message: [UInt8]) throws -> FileHandle {
        let url = FileManager.default.temporaryDirectory.appending(path: "fingerpost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(message).write(to: url, options: .withoutOverwriting)
        return try FileHandle(forReadingFrom: url)
    }

    /// Reads until the agent closes its output. Calls `end` if that takes too long, or if there is too much.
    private func output(of file: Int32, orEnd end: () -> Void) throws -> [UInt8] {
        let deadline = ContinuousClock.now + .seconds(Self.seconds)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.mostBytes)
        while bytes.count <= Self.mostBytes {
            guard ContinuousClock.now < deadline else {
                end()
                throw Failure(description: "the agent \(path) took longer than \(Self.seconds) seconds")
            }
            // Waits briefly, and looks at the clock again.
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            guard count != 0 else { return bytes }
            guard count > 0 else { throw FileFailure("read the output of", path) }
            bytes += buffer[..<count]
        }
        end()
        throw Failure(description: "the agent \(path) wrote more than \(Self.mostBytes) bytes")
    }
}
