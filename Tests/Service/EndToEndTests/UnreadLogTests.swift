import Foundation
import TestSupport
import Testing

/// An unread log does not block the service.
@Suite(.timeLimit(.minutes(15)))
struct UnreadLogTests {
    /// A pipe holds 64 KiB, and each of these requests writes a log line.
    @Test func serviceAnswersAndStopsWithAnUnreadLog() async throws {
        try await withTemporaryDirectory { directory in
            let pipe = directory + "/log"
            #expect(mkfifo(pipe, 0o600) == 0)
            // Opened for reading and writing, so that the pipe has a reader that reads nothing.
            let unread = open(pipe, O_RDWR | O_CLOEXEC)
            #expect(unread >= 0)
            defer { close(unread) }
            let server = try RunningServer(
                directory: directory + "/data",
                launcher: RunningServer.logging(to: pipe),
                log: "info",
                environment: ["FINGERPOST_LOG_REQUESTS": "all"]
            )
            let connection = try HTTPConnection(port: server.publicPort)
            for _ in 0..<1_000 {
                let answer = try connection.request("POST", "/resolve", body: #"{"url":"yourapp://product/1"}"#)
                #expect(answer.status == 200)
            }
            #expect(try server.ops("/livez").status == 200)
            server.send(SIGTERM)
            let end = server.wait()
            #expect(end.reason == .exit && end.status == 0)
        }
    }
}
