import Foundation
import TestSupport
import Testing

/// A command that cannot write its output exits with 74 and does not trap.
@Suite(.timeLimit(.minutes(15)))
struct OutputFailureTests {
    /// Standard error and the exit status of a shell command; `$0` is the program.
    private func shell(_ script: String) async throws -> (status: Int32, output: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside("sh", ["-c", script, tool])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["config", "--help", "help serve", "--version"]
    )
    func fullOutputIsSeventyFour(_ command: String) async throws {
        let result = try await shell(#""$0" \#(command) 2>&1 >/dev/full"#)
        #expect(result.status == 74)
        #expect(result.output.hasPrefix("fingerpost: standard output cannot be written: "), "\(result.output)")
        #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func unwritableErrorsLeaveTheExitCode() async throws {
        let result = try await shell(#""$0" resolve yourapp://a --table /nonexistent 2>/dev/full"#)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
    }

    @Test func closedOutputIsExitSeventyFourWithoutAMessage() throws {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = ["config"]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try output.fileHandleForReading.close()
        try process.run()
        #expect(try errors.fileHandleForReading.readToEnd() ?? Data() == Data())
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 74)
    }

    /// The command writes nothing more, so a write error cannot reveal that its reader has gone.
    @Test func followingEndsWithItsReader() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let key = try #require(server.key)
            for number in 1...3 {
                let body = #"{"url":"yourapp://product/\#(number)"}"#
                let answer = try HTTPConnection(port: server.publicPort).request("POST", "/resolve", body: body)
                #expect(answer.status == 200)
            }
            let flags = "--server http://127.0.0.1:\(server.adminPort) --key \(key)"
            let result = try await shell(#""$0" events shop --follow \#(flags) | head -n 1"#)
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }
    }
}
