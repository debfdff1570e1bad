import Foundation
import LinkRouting
import TestSupport
import Testing

/// The restore drill: restores a backup of a running server. Another server resolves links and exports events from it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct BackupTests {
    private func tool(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let command = ([tool] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let result = try await runBeside("sh", ["-c", "\(command) 2>&1"])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private func resolve(_ server: RunningServer, _ number: Int) throws -> HTTPConnection.Response {
        try HTTPConnection(port: server.publicPort).request(
            "POST",
            "/resolve",
            headers: ["X-Request-ID": "backup-\(number)"],
            body: #"{"url":"yourapp://product/\#(number)"}"#
        )
    }

    @Test func restoredServerHoldsEverythingUpToTheBackup() async throws {
        try await withTemporaryDirectory { directory in
            let (data, backup, restored) = ("\(directory)/data", "\(directory)/backup", "\(directory)/restored")
            let server = try RunningServer(directory: data)
            let key = try #require(server.key)
            for number in 0..<50 { #expect(try resolve(server, number).status == 200) }
            // Requests continue during the backup.
            async let made = tool(["backup", backup, "--data", data])
            for number in 50..<150 { #expect(try resolve(server, number).status == 200) }
            let result = try await made
            #expect(result.status == 0 && result.text.contains("4 files"), "\(result.text)")
            let again = try await tool(["backup", backup, "--data", data])
            #expect(again.status == 1 && again.text.contains("it exists; choose a new directory"), "\(again.text)")
            server.killNow()

            let drill = try await tool(["restore", backup, "--data", restored])
            #expect(drill.status == 0, "\(drill.text)")
            let other = try RunningServer(directory: restored)
            defer { other.killNow() }
            #expect(other.key == nil)
            let exported = try ExportedRows("shop", of: other, key: key)
            let ids = exported.requestIDs
            #expect((50...150).contains(ids.count), "\(ids.count)")
            #expect(ids == (0..<ids.count).map { "backup-\($0)" })
            // The log continues after the restored events, and the catalog resolves links.
            #expect(try resolve(other, 1_000).json()["route"]?["id"]?.text == "product")
            let list = try HTTPConnection(port: other.adminPort).request(
                "GET",
                "/admin/v1/tenants",
                headers: ["Authorization": "Bearer \(key)"]
            )
            #expect(try list.json()["tenants"]?.elements?.count == 5)
        }
    }

    /// Inside the data directory, the backup would be taken for part of it.
    @Test func targetInsideTheDataDirectoryIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let server = try RunningServer(directory: data)
            #expect(symlink(data, "\(directory)/link") == 0)
            let targets = ["\(data)/catalog", "\(data)/service/events/a/b", "\(directory)/link/service/events/a"]
            for target in targets {
                let beside = try await tool(["backup", target, "--data", data])
                #expect(beside.status == 1 && beside.text.contains("inside the data directory"), "\(beside.text)")
            }
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            for target in targets {
                let alone = try await tool(["backup", target, "--data", "\(directory)/link"])
                #expect(alone.status == 74 && alone.text.contains("inside the data directory"), "\(alone.text)")
            }
            #expect(try await tool(["backup", "\(directory)/data-2", "--data", data]).status == 0)
            #expect(try await tool(["migrate", "--data", data]).status == 0)
        }
    }

    @Test func backupWithoutAServerIsTheSame() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: "\(directory)/data")
            for number in 0..<5 { #expect(try resolve(server, number).status == 200) }
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let made = try await tool(["backup", "\(directory)/b", "--data", "\(directory)/data", "--json"])
            #expect(made.status == 0)
            let list = try JSONReader.parse(made.text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
            #expect(list["files"]?.elements?.compactMap { $0["path"]?.text }.first == "events/ledger.db")
            #expect(list["files"]?.elements?.compactMap { $0["path"]?.text }.last == "catalog.db")
            let restored = try await tool(["restore", "\(directory)/b", "--data", "\(directory)/r"])
            #expect(restored.text.hasSuffix("events up to 5\n"), "\(restored.text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["b", "data", "r"])
        }
    }

    @Test func damagedBackupIsRefusedWhole() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: "\(directory)/data")
            #expect(try resolve(server, 1).status == 200)
            server.send(SIGTERM)
            _ = server.wait()
            #expect(try await tool(["backup", "\(directory)/b", "--data", "\(directory)/data"]).status == 0)
            for (name, damage, status, said) in [
                ("flip", "printf X | dd of=b/catalog.db bs=1 seek=5000 conv=notrunc 2>/dev/null", 65, "SHA-256"),
                ("header", "printf X | dd of=b/catalog.db bs=1 seek=60 conv=notrunc 2>/dev/null", 65, "SHA-256"),
                ("cut", "truncate -s 100 b/events/ledger.db", 65, "events/ledger.db has 100 bytes instead of the "),
                ("gone", "rm b/catalog.db", 65, "it lacks catalog.db, which backup.json lists"),
                ("no ledger", "rm b/events/ledger.db", 65, "it lacks events/ledger.db, which backup.json lists"),
                ("list", "echo '{' > b/backup.json", 65, "backup.json"),
                ("none", "rm b/backup.json", 65, "is not a backup, because it contains no backup.json"),
                ("way out", "sed -i 's#catalog.db#../catalog.db#' b/backup.json", 65, "contains no such file"),
                ("newer", #"sed -i 's#"formatVersion": 1#"formatVersion": 2#' b/backup.json"#, 65, "newer version"),
            ] as [(String, String, Int32, String)] {
                _ = try await runBeside("sh", ["-c", "cd '\(directory)' && rm -rf r c && cp -r b c && \(damage)"])
                let result = try await tool(["restore", "\(directory)/b", "--data", "\(directory)/r"])
                #expect(result.status == status && result.text.contains(said), "\(name): \(result)")
                let left = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/r/service")) ?? []
                #expect(!left.contains("catalog.db"), "\(name): \(left)")
                // Only the copy finds other contents of the same size; no process takes what it leaves for a directory.
                #expect(left.isEmpty == (name != "flip"), "\(name): \(left)")
                if name == "flip" {
                    let verified = try await tool(["verify-log", "--data", "\(directory)/r"])
                    #expect(verified.status == 65, "\(verified.text)")
                    #expect(verified.text.contains("an unfinished restore"), "\(verified.text)")
                }
                _ = try await runBeside("sh", ["-c", "cd '\(directory)' && rm -rf b && mv c b"])
            }
            let used = try await tool(["restore", "\(directory)/b", "--data", "\(directory)/data"])
            #expect(used.status == 74 && used.text.contains("already contains databases"), "\(used.text)")
            #expect(try await tool(["restore", "\(directory)/b", "--data", "\(directory)/r"]).status == 0)
        }
    }
}
