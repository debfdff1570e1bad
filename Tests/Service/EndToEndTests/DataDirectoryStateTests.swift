import Foundation
import GRDB
import TestSupport
import Testing

/// Data directories and backups in the states that interrupted commands, other versions and manual changes leave.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DataDirectoryStateTests {
    /// Runs a script in the directory with `fingerpost` on the PATH. Returns the combined output.
    private func shell(_ directory: String, _ script: String) async throws -> (status: Int32, text: String) {
        let prepared = "cd '\(directory)' && PATH='\(RunningServer.products.path)':$PATH && { \(script); } 2>&1"
        let result = try await runBeside("sh", ["-c", prepared])
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    private static let serve =
        "timeout 20 fingerpost serve --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 --data"

    /// Creates a directory `data` with a tenant and an event, and its backup `b`.
    private func prepare(_ directory: String) async throws {
        let server = try RunningServer(directory: directory + "/data")
        let answer = try HTTPConnection(port: server.publicPort)
            .request("POST", "/resolve", body: #"{"url":"yourapp://product/1"}"#)
        #expect(answer.status == 200)
        server.send(SIGTERM)
        #expect(server.wait().status == 0)
        #expect(try await shell(directory, "fingerpost backup b --data data").status == 0)
    }

    /// Overwrites the page of the keys, which opening does not read.
    private func damageKeys(_ directory: String) async throws {
        let path = directory + "/data/service/catalog.db"
        let place = try await DatabaseQueue(path: path).read { db in
            let page = try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'api_key'") ?? 0
            return try (page - 1) * (Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 64))
        try file.close()
    }

    /// A clean stop leaves nothing to check at the next start, so the first read finds the damage.
    @Test func catalogWithFlippedBytesIsNamedByTheFirstStart() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            try await damageKeys(directory)
            #expect(!FileManager.default.fileExists(atPath: directory + "/data/service/running"))
            let started = try await shell(directory, Self.serve + " data")
            #expect(started.status == 65 && started.text.contains("data/service/catalog.db"), "\(started.text)")
        }
    }

    @Test func catalogWithFlippedBytesIsFoundByVerifyLog() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            #expect(try await shell(directory, "fingerpost verify-log --data data").status == 0)
            try await damageKeys(directory)
            let verified = try await shell(directory, "fingerpost verify-log --data data")
            #expect(verified.status == 1 && verified.text.contains("INCOMPLETE: 1 = 1 stored"), "\(verified.text)")
            #expect(verified.text.contains("data/service/catalog.db is damaged ("), "\(verified.text)")
        }
    }

    /// The ledger knows of the exported event, whose file is gone.
    @Test func startWarnsOfMissingNewestEvents() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let lost = try await shell(directory, "fingerpost export shop --data data && rm data/service/events/2*.db*")
            #expect(lost.status == 0, "\(lost.text)")
            let log = directory + "/log"
            let server = try RunningServer(directory: directory + "/data", launcher: RunningServer.logging(to: log))
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            let lines = try String(contentsOfFile: log, encoding: .utf8)
            #expect(lines.contains("the newest day file of the log is missing"), "\(lines)")
            #expect(lines.contains("first_seq"), "\(lines)")
        }
    }

    @Test func startReportsLostShortLinks() async throws {
        try await withTemporaryDirectory { directory in
            let (data, log) = (directory + "/data", directory + "/log")
            let first = try RunningServer(directory: data)
            let file = """
                formatVersion: 1
                tenant: acme
                settings: {domains: [go.acme.test]}
                table: {routes: [{id: go, path: "/s/{code}", follow: shortLinks}]}

                """
            try file.write(toFile: directory + "/acme.yaml", atomically: true, encoding: .utf8)
            let server = "--server http://127.0.0.1:\(first.adminPort) --key \(first.key ?? "")"
            let applied = try await shell(directory, "fingerpost apply -f acme.yaml \(server)")
            #expect(applied.status == 0, "\(applied.text)")
            first.send(SIGTERM)
            #expect(first.wait().status == 0)
            for isLost in [true, false] {
                // With an empty -wal file and without its database, the start would fail.
                if isLost { #expect(try await shell(directory, "rm data/service/links.db*").status == 0) }
                let next = try RunningServer(directory: data, launcher: RunningServer.logging(to: log))
                next.send(SIGTERM)
                #expect(next.wait().status == 0)
                let lines = try String(contentsOfFile: log, encoding: .utf8)
                #expect(lines.contains("links.db was missing") == isLost, "\(lines)")
                try FileManager.default.removeItem(atPath: log)
            }
        }
    }

    /// SQLite would replay an old -wal file into the restored database.
    @Test(arguments: [
        "catalog.db-wal", "links.db-wal", "events/2026-11-21.db-wal", "events/ledger.db-shm", "events/2026-11-21.db",
    ])
    func restoreRefusesWhatIsLeftOfDatabases(_ file: String) async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let result = try await shell(
                directory,
                "mkdir -p r/service/events && echo x > r/service/\(file) && fingerpost restore b --data r"
            )
            #expect(
                result.status == 74 && result.text.contains(file) && result.text.contains("already contains databases")
            )
            #expect(try await shell(directory, "rm r/service/\(file) && fingerpost restore b --data r").status == 0)
        }
    }

    @Test(arguments: [
        ("mkdir -p r/service/restoring/events && cp b/catalog.db r/service/restoring/", 65),
        // The restored files are complete, and the process stopped before or during its last renames. The next process
        // finishes them.
        (
            "fingerpost restore b --data r && cd r/service && mkdir restored && mv catalog.db links.db events restored/ && cp ../../b/backup.json restored/ && cd ../..",
            0
        ),
        (
            "fingerpost restore b --data r && cd r/service && mkdir restored && mv catalog.db restored/ && cp ../../b/backup.json restored/ && cd ../..",
            0
        ),
    ]) func restoreThatWasStoppedIsRepeated(_ stopped: String, _ status: Int32) async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            #expect(try await shell(directory, stopped + " && cp -a r s").status == 0)
            let started = try await shell(directory, "fingerpost verify-log --data s")
            #expect(started.status == status, "\(started.text)")
            if status == 65 {
                let serve = try await shell(directory, Self.serve + " r")
                #expect(serve.status == 65 && serve.text.contains("repeat 'fingerpost restore BACKUP"), "\(serve.text)")
            }
            let again = try await shell(
                directory,
                "fingerpost restore b --data r && fingerpost verify-log --data r && ls r/service"
            )
            #expect(again.status == 0 && again.text.contains("events up to 1\n"), "\(again.text)")
            #expect(!again.text.contains("restor") || again.text.contains("files from"), "\(again.text)")
            #expect(
                try await shell(directory, "test ! -e r/service/restoring && test ! -e r/service/restored").status == 0
            )
        }
    }

    /// A restore by an older version left files that are not in WAL mode.
    @Test func badlyRestoredDirectoryIsRepaired() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let script = """
                mkdir -p r/service && cp -r b/events b/catalog.db r/service/ && touch r/service/events/x && rm r/service/events/x
                fingerpost verify-log --data r && fingerpost backup b2 --data r && fingerpost restore b2 --data r2
                """
            let result = try await shell(directory, script)
            #expect(result.status == 0, "\(result.text)")
        }
    }

    @Test func missingCatalogIsNotRecreated() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let gone = try await shell(directory, "rm data/service/catalog.db; \(Self.serve) data")
            #expect(
                gone.status == 65 && gone.text.contains("catalog.db") && gone.text.contains("is missing"),
                "\(gone.text)"
            )
            let ledger = try await shell(
                directory,
                "cp b/catalog.db data/service/ && rm data/service/events/ledger.db; \(Self.serve) data"
            )
            #expect(
                ledger.status == 65 && ledger.text.contains("ledger.db") && ledger.text.contains("is missing"),
                "\(ledger.text)"
            )
        }
    }

    @Test func backupRemovesWhatAKilledOneLeft() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let script = """
                D=$(cd data && pwd -P); mkdir -p old.partial-1/events theirs.partial-2 mine.partial-x named.partial-3 gone.partial-4
                for f in old.partial-1 mine.partial-x; do printf 'A fingerpost backup of %s, not whole yet.\\n' "$D" > $f/lock; done
                printf 'A fingerpost backup of /other, not whole yet.\\n' > theirs.partial-2/lock
                cp old.partial-1/lock gone.partial-4/; exec 9<gone.partial-4/lock; flock -n 9 || exit 9
                fingerpost backup b2 --data data 9<&- && ls && ls b2
                """
            let result = try await shell(directory, script)
            #expect(
                result.text.hasSuffix(
                    "b\nb2\ndata\ngone.partial-4\nmine.partial-x\nnamed.partial-3\ntheirs.partial-2\nbackup.json\ncatalog.db\nevents\nlinks.db\n"
                ),
                "\(result.text)"
            )
        }
    }

    /// The umask and the creator of the directory make no difference.
    @Test func filesAreTheirOwnersAlone() async throws {
        try await withTemporaryDirectory { directory in
            let script = """
                umask 0; mkdir -m 775 data; fingerpost keys create --init --name x --scope admin --data data >/dev/null 2>&1; fingerpost verify-log --data data
                chmod 2770 data/service; chmod 644 data/service/catalog.db
                fingerpost backup b --data data; fingerpost restore b --data r
                find data/service b r -perm /077
                """
            let result = try await shell(directory, script)
            #expect(result.text.split(separator: "\n").count == 3, "\(result.text)")
        }
    }

    @Test(arguments: [
        "fingerpost serve --data /proc/x", "fingerpost verify-log --data /proc/x",
        "fingerpost backup /proc/bk --data data",
        "mkdir gone && cd gone && rmdir ../gone && fingerpost keys list",
        "mkdir gone && cd gone && rmdir ../gone && fingerpost backup b",
    ]) func folderThatCannotBeMadeIsSeventyFour(_ command: String) async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let result = try await shell(directory, "export FINGERPOST_LOG_LEVEL=warning; \(command)")
            #expect(result.status == 74, "\(result)")
            #expect(
                result.text.hasPrefix(command.contains(" serve ") ? "{" : "fingerpost: ")
                    && result.text.split(separator: "\n").count == 1,
                "\(result.text)"
            )
        }
    }

    @Test(arguments: [
        "backup b2", "audit verify", "verify-log", "keys create --name x --scope admin", "keys list",
        "keys revoke 3f9a0c1b2d4e",
        "export shop", "replay shop",
    ]) func mistypedDataDirectoryIsNotCreated(_ command: String) async throws {
        try await withTemporaryDirectory { directory in
            for folder in ["typo", "empty"] {
                let script = "mkdir empty; fingerpost \(command) --data \(folder); code=$?; ls; ls -A empty; exit $code"
                let result = try await shell(directory, script)
                #expect(result.status == 74, "\(result)")
                #expect(result.text.contains("There is no data directory at"), "\(result.text)")
                #expect(result.text.hasSuffix("\nempty\n"), "\(result.text)")
                #expect(try await shell(directory, "rmdir empty").status == 0)
            }
            for command in ["keys create --init --name first --scope admin", "migrate"] {
                let made = try await shell(
                    directory,
                    "fingerpost \(command) --data new && ls new/service/catalog.db && rm -r new"
                )
                #expect(made.status == 0, "\(made)")
            }
        }
    }

    /// Commands that only read would change the files as well, and the backup could not be restored.
    @Test func backupIsNotUsedAsADataDirectory() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let sums = "find b -type f -exec sha256sum {} + | sort"
            let before = try await shell(directory, sums).text
            for command in [
                "verify-log --data b", "audit verify --data b", "keys list --data b",
                "backup b2 --data b", "export shop --data b", "migrate --data b", "restore b --data b",
                "keys create --init --name x --scope admin --data b", "replay shop --data b",
            ] {
                let result = try await shell(directory, "fingerpost \(command)")
                #expect(result.status == 74, "\(command): \(result)")
                #expect(
                    result.text.contains("restore it with 'fingerpost restore b --data DIR'"),
                    "\(command): \(result)"
                )
            }
            let served = try await shell(directory, Self.serve + " b")
            #expect(served.status == 74 && served.text.contains("b is a backup"), "\(served.text)")
            #expect(try await shell(directory, sums).text == before)
            let verified = try await shell(
                directory,
                "fingerpost restore b --data r && test ! -e r/backup.json && fingerpost verify-log --data r"
            )
            #expect(verified.status == 0, "\(verified.text)")
            let missing = try await shell(directory, "fingerpost restore nope --data r2")
            #expect(missing.status == 74 && missing.text.contains("there is no such directory"), "\(missing.text)")
        }
    }

    @Test func folderOfTheFilesIsNoDataDirectory() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            for command in [
                "fingerpost keys list --data", "fingerpost verify-log --data", "fingerpost restore b --data",
                Self.serve,
            ] {
                let refused = try await shell(directory, "\(command) data/service")
                #expect(refused.status == 65, "\(command): \(refused.text)")
                let message = "data/service is the folder inside a data directory; use --data \(directory)/data."
                #expect(refused.text.contains(message), "\(command): \(refused.text)")
            }
            #expect(try await shell(directory, "test ! -e data/service/service").status == 0)
        }
    }

    // MARK: Other builds

    /// Bytes 60 to 63 of a file are a hash and the number of its migrations. Early builds wrote only the number, and the first
    /// had no folder for the files.
    @Test(arguments: [
        (#"printf '\0\0\0\7' | dd of=data/service/catalog.db bs=1 seek=60 conv=notrunc"#, "service/catalog.db"),
        (#"printf '\0\0\0\7' | dd of=data/service/links.db bs=1 seek=60 conv=notrunc"#, "service/links.db"),
        (
            #"printf '\0\0\0\5' | dd of=data/service/events/ledger.db bs=1 seek=60 conv=notrunc"#,
            "service/events/ledger.db"
        ),
        (
            #"printf '\0\0\0\5' | dd of="$(ls data/service/events/2*.db)" bs=1 seek=60 conv=notrunc"#,
            "service/events/2"
        ),
        ("mv data/service/* data && rmdir data/service", "catalog.db"),
    ]) func directoryOfAnotherBuildIsRefusedUnchanged(_ change: String, _ file: String) async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            #expect(try await shell(directory, change).status == 0)
            let state = #"find data -printf '%p %m %s %T@\n' | sort; find data -type f -exec sha256sum {} + | sort"#
            let before = try await shell(directory, state).text
            for command in [
                "migrate", "keys list", "keys create --name x --scope admin",
                "keys create --init --name x --scope admin",
                "keys revoke 3f9a0c1b2d4e", "audit verify", "verify-log", "backup b2", "export shop", "replay shop",
                "restore b", "serve --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0",
            ] {
                let refused = try await shell(
                    directory,
                    "FINGERPOST_LOG_LEVEL=warning timeout 20 fingerpost \(command) --data data"
                )
                #expect(refused.status == 65, "\(command): \(refused.text)")
                let start = command.hasPrefix("serve") ? #""error":"data/"# : "fingerpost: data/"
                #expect(refused.text.contains("\(start)\(file)"), "\(refused.text)")
                #expect(
                    refused.text.contains(" belongs to another build: its schema is that of no release. "),
                    "\(refused.text)"
                )
                #expect(refused.text.split(separator: "\n").count == 1, "\(refused.text)")
            }
            #expect(try await shell(directory, state).text == before)
        }
    }

    @Test func backupOfAnotherBuildIsRefused() async throws {
        try await withTemporaryDirectory { directory in
            try await prepare(directory)
            let change = #"""
                old=$(sha256sum b/catalog.db | cut -c 1-64)
                printf '\0\0\0\7' | dd of=b/catalog.db bs=1 seek=60 conv=notrunc 2>/dev/null
                sed -i "s/$old/$(sha256sum b/catalog.db | cut -c 1-64)/" b/backup.json
                fingerpost restore b --data r
                """#
            let refused = try await shell(directory, change)
            #expect(refused.status == 65, "\(refused.text)")
            #expect(refused.text.hasPrefix("fingerpost: b/catalog.db belongs to another build"), "\(refused.text)")
            #expect(try await shell(directory, "test ! -e r").status == 0)
        }
    }

    @Test func mistypedBackupPathLeavesTheServiceAlive() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory + "/data")
            defer { server.killNow() }
            let result = try await shell(directory, "fingerpost backup /proc/bk --data data")
            #expect(result.status == 1 && result.text.contains("/proc/bk"), "\(result.text)")
            #expect(try server.ops("/livez").status == 200)
        }
    }
}
