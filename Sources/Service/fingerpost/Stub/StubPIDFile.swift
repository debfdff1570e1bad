import ArgumentParser
import Foundation

/// The file with the process id of a stub server, which the server locks as long as it runs. The lock, not the id, says
/// whether a server runs: the system gives the id of a finished process to another one.
///
/// At its end the server adds its exit code as a second line, for the process that stops it: that process has the file
/// open and reads the line although the file is removed.
final class StubPIDFile {
    private let path: String
    /// Open until the process ends, which releases the lock.
    private let descriptor: Int32

    /// Opens the file, and makes it if there is none. Throws if a stub server has locked it.
    init(creating path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw fail("\(path) cannot be written: \(Self.reason).", .ioError) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw fail("a stub server runs with \(path); stop it, or name another --pid-file.", .inUse)
        }
        self.path = path
        self.descriptor = descriptor
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
            throw fail("\(path) cannot be written: \(Self.reason).", .ioError)
        }
    }

    /// Adds the exit code with which the process is about to end. Without it, a stop counts as a success.
    func noteEnd(_ code: ExitCode) {
        let text = "\(getpid())\n\(code.rawValue)\n"
        _ = pwrite(descriptor, text, text.utf8.count, 0)
    }

    private static var reason: String { String(cString: strerror(errno)) }

    /// Removes the file. The lock ends with the process.
    func remove() { unlink(path) }

    /// Stops the server whose file this is and waits for its end. Throws the exit code of the server if it is not 0. A
    /// server that has stopped has removed its file.
    static func stopServer(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            return warn("fingerpost: no stub server runs with \(path)")
        }
        let text = try readText(path)
        guard let pid = text.split(whereSeparator: \.isNewline).first.flatMap({ Int32($0) }), pid > 1 else {
            throw fail("\(path) holds no process id; it was not written by 'fingerpost stub'.", .unreadableInput)
        }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw fail("\(path) cannot be opened: \(reason).", .ioError) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else {
            unlink(path)
            throw fail("no stub server runs with \(path); the file was removed.", .failed)
        }
        guard kill(pid, SIGTERM) == 0 else {
            throw fail("process \(pid) cannot be stopped: \(reason).", .failed)
        }
        for _ in 0..<200 {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else {
                passOnMessages(path)
                guard let code = exitCode(in: descriptor), code != 0 else { return }
                throw ExitCode(code)
            }
            usleep(50_000)
        }
        throw fail("process \(pid) did not stop within 10 seconds.", .failed)
    }

    /// The exit code that the server has added; nil if a signal ended it before it could.
    private static func exitCode(in descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        return lines.count > 1 ? Int32(lines[1]) : nil
    }

    /// Prints what the detached server reported, such as what it has recorded.
    private static func passOnMessages(_ path: String) {
        let log = StubDetachment.log(besides: path)
        guard let messages = FileManager.default.contents(atPath: log) else { return }
        StandardError.write(Array(messages))
        unlink(log)
    }
}
