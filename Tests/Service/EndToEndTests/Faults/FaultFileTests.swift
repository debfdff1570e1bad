import Foundation
import Testing

/// Damaged files: refused by name and left unchanged, or read up to the damage.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit))
struct FaultFileTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: String
        /// The damaging command, run in the folder of the files; `$DAY` is the day's file.
        let command: String
        let status: Int32
        let message: String
        /// Whether the previous server was killed, so that the last changes are in the -wal files.
        var wasKilled = false

        init(
            _ file: String,
            _ how: String,
            _ command: String,
            _ status: Int32,
            _ message: String,
            wasKilled: Bool = false
        ) {
            testDescription = "\(file) \(how)"
            (self.file, self.command, self.status, self.message) = (file, command, status, message)
            self.wasKilled = wasKilled
        }
    }

    static let damages =
        ["catalog.db", "links.db", "$DAY", "events/ledger.db"].flatMap { file in
            [
                Damage(file, "of no length", ": > \(file)", 65, "it is empty"),
                Damage(file, "of 60 bytes", "truncate -s 60 \(file)", 65, "it is truncated"),
                Damage(file, "cut after a page", "truncate -s 4096 \(file)", 65, "is damaged"),
                Damage(
                    file,
                    "begins otherwise",
                    "printf X | dd of=\(file) conv=notrunc",
                    65,
                    "it has no SQLite header"
                ),
                Damage(file, "with a damaged page 1", "\(garbage(1, 100)) of=\(file) seek=100", 65, "is damaged"),
                Damage(file, "is a folder", "rm \(file) && mkdir \(file)", 74, "it is a directory"),
                Damage(file, "is gone, its WAL is not", "rm \(file)", 65, "its -wal file exists", wasKilled: true),
            ]
        }
        + ["catalog.db", "links.db", "$DAY"].map { file in
            // Found by the check after an unclean stop.
            Damage(
                file,
                "with damaged pages",
                "touch running && \(garbage(4_096, 8)) of=\(file) seek=2",
                65,
                "is damaged"
            )
        }

    private static func garbage(_ block: Int, _ count: Int) -> String {
        "yes x | tr -d '\\n' | head -c \(block * count) | dd conv=notrunc iflag=fullblock bs=\(block) count=\(count)"
    }

    @Test func damagedFileIsNamedAndUnchanged() async throws {
        try await withFaultTrial { trial in
            try await record(trial)
            for damage in Self.damages {
                try copy(trial, wasKilled: damage.wasKilled, damage.command)
                let before = try fingerprint(damage.file, in: trial.data + "/service")
                let end = try startAndEnd(trial)
                let lastLine = end.errors.split(separator: "\n").last ?? ""
                let isUntouched = try fingerprint(damage.file, in: trial.data + "/service") == before
                let hasHeld = end.status == damage.status && lastLine.contains(damage.message) && isUntouched
                if !hasHeld { trial.fail() }
                #expect(end.status == damage.status, "\(damage)")
                #expect(lastLine.contains(damage.message), "\(damage): \(end.errors)")
                #expect(lastLine.contains(#""msg":"the service cannot run""#) && isUntouched, "\(damage)")
            }
        }
    }

    @Test(.enabled(if: ScratchDisk.memoryObstacle == nil, ScratchDisk.memoryObstacle))
    func unwritableFilesAreSeventyFour() async throws {
        try await withDisk(ScratchDisk(megabytesOfMemory: 32)) { disk in
            try await withFaultTrial(try FaultTrial(data: disk.path + "/data")) { trial in
                try await record(trial)
                try disk.makeReadOnly()
                let end = try startAndEnd(trial)
                #expect(end.status == 74)
                #expect(
                    end.errors.contains(trial.data) && end.errors.contains("its disk is read-only"),
                    "\(end.errors)"
                )
            }
        }
    }

    /// For SQLite, a damaged -wal file ends at the damage, like one whose last bytes were never synced. All changes
    /// before it are present, in order and without a gap.
    @Test(arguments: [
        ("a third is cut off", "truncate -s $(($(stat -c %s $DAY-wal) * 2 / 3)) $DAY-wal"),
        ("its last page is changed", "\(garbage(1, 64)) of=$DAY-wal seek=$(($(stat -c %s $DAY-wal) - 2000))"),
        ("it is cut within a page", "truncate -s -1000 $DAY-wal"),
        ("something stands behind it", "yes x | head -c 9000 >> $DAY-wal"),
    ])
    func damagedEndOfTheLogOfChangesIsWhereItEnds(_ name: String, _ command: String) async throws {
        try await withFaultTrial { trial in
            try await record(trial)
            try copy(trial, wasKilled: true, command)
            let server = try trial.start()
            defer { server.killNow() }
            let set = AckedSet(trial.history, try StoredSet(of: server, key: trial.key))
            #expect(
                set.gaps.isEmpty && set.repeated.isEmpty && set.torn.isEmpty && set.invented.isEmpty,
                "\(name): \(set)"
            )
            let acknowledged = trial.history.acknowledged.values.reduce(0) { $0 + $1.count }
            #expect(name == "something stands behind it" ? set.lost.isEmpty : set.lost.count < acknowledged, "\(name)")
            // The log continues after the last readable event.
            try trial.load(server, "after", clients: 1).once()
            let after = AckedSet(trial.history, try StoredSet(of: server, key: trial.key))
            #expect(
                after.lost.count == set.lost.count && after.gaps.isEmpty && after.repeated.isEmpty,
                "\(name): \(after)"
            )
        }
    }

    /// The -shm file holds no data of its own.
    @Test func damagedSharedMemoryLosesNothing() async throws {
        try await withFaultTrial { trial in
            try await record(trial)
            for command in [
                "rm *-shm events/*-shm", "for f in *-shm events/*-shm; do yes x | head -c 32768 > $f; done",
                "truncate -s 0 *-shm events/*-shm",
            ] {
                try copy(trial, wasKilled: true, command)
                let server = try trial.start()
                defer { server.killNow() }
                try trial.verify(server, command)
            }
        }
    }

    /// Leaves `killed`, with all data in the WAL files, and `stopped`, with all data in the database files.
    private func record(_ trial: FaultTrial) async throws {
        let server = try trial.start()
        await trial.load(server, "file", clients: 4, requests: 30).run()
        server.send(SIGKILL)
        _ = server.wait()
        _ = try run("cp", "-a", trial.data, trial.folder + "/killed")
        let again = try trial.start()
        again.send(SIGTERM)
        #expect(again.wait().status == 0)
        _ = try run("cp", "-a", trial.data, trial.folder + "/stopped")
    }

    private func copy(_ trial: FaultTrial, wasKilled: Bool, _ command: String) throws {
        let from = trial.folder + (wasKilled ? "/killed" : "/stopped")
        let script = """
            rm -rf '\(trial.data)' && cp -a '\(from)' '\(trial.data)' && cd '\(trial.data)/service' || exit 1
            DAY=$(ls events/2*.db | tail -n 1); { \(command); } 2>/dev/null
            """
        #expect(try run("sh", "-c", script).status == 0, "\(command)")
    }

    /// The bytes of a file and its -wal file.
    private func fingerprint(_ file: String, in data: String) throws -> String {
        let script =
            "cd '\(data)'; DAY=$(ls -d events/2*.db* | grep -o '.*db' | tail -n 1); cat \(file) \(file)-wal 2>/dev/null | sha256sum"
        return String(decoding: try run("sh", "-c", script).output, as: UTF8.self)
    }

    /// Starts a server that must exit by itself; otherwise it is killed after a time limit.
    private func startAndEnd(_ trial: FaultTrial) throws -> (status: Int32, errors: String) {
        let errors = trial.folder + "/errors"
        let command = RunningServer.command(trial.data).map { "'\($0)'" }.joined(separator: " ")
        let script = "FINGERPOST_LOG_LEVEL=critical exec timeout -s KILL 30 \(command) 2>'\(errors)'"
        let status = try run("sh", "-c", script).status
        return (status, try String(contentsOfFile: errors, encoding: .utf8))
    }
}
