import ArgumentParser
import Foundation
import LinkCommands

struct StubStop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop a stub server that was started with --detach.",
        discussion: """
            EXAMPLE
              fingerpost stub stop --pid-file /tmp/stub.pid
            """
    )

    @ArgumentParser.Option(help: "The file with the process id.") var pidFile: String

    func run() throws {
        let text = try readText(pidFile)
        guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), pid > 1 else {
            throw fail("\(pidFile) holds no process id; it was not written by 'fingerpost stub'.", .unreadableInput)
        }
        guard kill(pid, SIGTERM) == 0 else {
            guard errno == ESRCH else {
                throw fail("process \(pid) cannot be stopped: \(String(cString: strerror(errno))).", .failed)
            }
            unlink(pidFile)
            throw fail("process \(pid) does not run any more; \(pidFile) was removed.", .failed)
        }
        // The server removes its file when it has stopped.
        for _ in 0..<100 {
            guard kill(pid, 0) == 0 else { return }
            usleep(50_000)
        }
        throw fail("process \(pid) did not stop within 5 seconds.", .failed)
    }
}
