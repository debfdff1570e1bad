import Foundation
import Testing

/// Commands on a disk that is mounted read-only name the disk as the reason, not the user's rights.
@Suite(.timeLimit(.minutes(15)))
struct ReadOnlyDiskTests {
    private func fingerpost(_ words: [String], in directory: String) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let script = #"cd "$0" && unset FINGERPOST_KEY && exec "$@" 2>&1 </dev/null"#
        let result = try await runBeside("sh", ["-c", script, directory, tool] + words)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    @Test(.enabled(if: ScratchDisk.memoryObstacle == nil, ScratchDisk.memoryObstacle))
    func readOnlyDiskIsTheReason() async throws {
        let (disk, writable) = (try ScratchDisk(megabytesOfMemory: 64), try ScratchDisk(megabytesOfMemory: 64))
        defer {
            disk.remove()
            writable.remove()
        }
        let made = try await fingerpost(["migrate", "--data", disk.path + "/data"], in: writable.path)
        #expect(made.status == 0, "\(made.text)")
        let other = try await fingerpost(["migrate", "--data", "data"], in: writable.path)
        #expect(other.status == 0, "\(other.text)")
        try disk.makeReadOnly()
        let ports = ["--public", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--ops", "127.0.0.1:0"]
        let why = "cannot be written because its disk is read-only. Mount the disk for writing, or choose a directory"
        for (words, reason) in [
            (["serve", "--data", disk.path + "/new"] + ports, why),
            (["serve", "--data", disk.path + "/data"] + ports, why),
            (["keys", "list", "--data", disk.path + "/data"], why),
            (["verify-log", "--data", disk.path + "/data"], why),
            (["keys", "create", "--init", "--scope", "admin", "--data", disk.path + "/new"], why),
            (
                ["backup", disk.path + "/backup", "--data", "data"],
                "Read-only file system; choose a directory that this user may write to."
            ),
            (
                ["conformance", "export", "--out", disk.path + "/vectors.json"],
                "the disk is read-only; choose another directory."
            ),
        ] {
            let result = try await fingerpost(words, in: writable.path)
            #expect(result.status == 74 && result.text.contains(reason), "\(words): \(result)")
        }
    }
}
