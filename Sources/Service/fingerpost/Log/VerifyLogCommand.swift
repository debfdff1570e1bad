import ArgumentParser
import LinkRouting
import NIOCore
import Networking

struct VerifyLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-log",
        abstract: "Verify that the log has no missing rows, and that no file of the data directory is damaged.",
        discussion: """
            EXAMPLES
              fingerpost verify-log --data ./data
              fingerpost verify-log --data ./data --json

            Every sequence number from 1 to the last must be stored, erased or dropped by retention. Otherwise the \
            output says which day lacks rows, and the exit code is 1. Every page of catalog.db, links.db, ledger.db \
            and the day files is read, too; a file that is too damaged to be opened ends the command with 65. Works on \
            a directory that no process uses, or through a running server's control socket.
            """
    )

    @ArgumentParser.Option(help: "The data directory.") var data = "data"
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let verification = try await showingProgress("verifying") {
            try await DirectoryClient.open(data, timeout: .seconds(3_600)) {
                try await $0.send(.post, "log/verify", json: nil).body
            }
        }
        let isWhole = verification["whole"]?.bool == true
        if json {
            show(verification)
        } else {
            func number(_ key: String) -> Int64 { verification[key]?.int ?? 0 }
            show(
                "\(isWhole ? "complete" : "INCOMPLETE"): \(number("lastSeq")) = \(number("stored")) stored + "
                    + "\(number("erased")) erased + \(number("dropped")) dropped"
            )
            for fault in verification["faults"]?.elements ?? [] { show(fault.text ?? "") }
        }
        guard isWhole else { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}
