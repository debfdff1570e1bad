import Foundation
import TestSupport
import Testing

/// A refused command changes nothing: it neither leaves nor removes the marker of an unclean stop.
@Suite(.timeLimit(.minutes(15)))
struct RefusedCommandTests {
    @Test func refusedCommandKeepsTheStateOfACleanShutdown() async throws {
        try await withTemporaryDirectory { directory in
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let data = directory + "/data"
            let made = try await runBeside(tool, ["migrate", "--data", data])
            #expect(made.status == 0)
            for arguments in [
                ["keys", "revoke", "nobody"], ["keys", "create", "--tenant", "nobody"], ["export", "nobody"],
                ["replay", "nobody"], ["backup", directory], ["backup", data + "/service/events/backup"],
                ["backup", "/dev/null/backup"],
            ] {
                let refused = try await runBeside(tool, arguments + ["--data", data])
                #expect(refused.status != 0, "\(arguments)")
                #expect(!FileManager.default.fileExists(atPath: data + "/service/running"), "\(arguments)")
            }
        }
    }

    @Test func refusedCommandKeepsTheStateOfAnUncleanShutdown() async throws {
        try await withTemporaryDirectory { directory in
            let tool = RunningServer.products.appending(path: "fingerpost").path
            let data = directory + "/data"
            let made = try await runBeside(tool, ["migrate", "--data", data])
            #expect(made.status == 0)
            try Data().write(to: URL(filePath: data + "/service/running"))
            let refused = try await runBeside(tool, ["keys", "revoke", "nobody", "--data", data])
            #expect(refused.status != 0)
            #expect(FileManager.default.fileExists(atPath: data + "/service/running"))
        }
    }
}
