import Foundation
import LinkRouting
import TestSupport
import Testing

/// A damaged file of a past day is reported by name and does not affect other days.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: MovableClock.isHere, MovableClock.skipped))
struct DamagedDayTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: String
        let message: String
    }

    /// `$DAY` is the file of the second of four days.
    static let damages = [
        Damage(
            testDescription: "newer",
            command: #"printf '\177' | dd of=$DAY bs=1 seek=63 conv=notrunc"#,
            message: "has schema"
        ),
        Damage(
            testDescription: "foreign",
            command: #"printf 'XXXX' | dd of=$DAY bs=1 seek=68 conv=notrunc"#,
            message: "that Fingerpost did not create"
        ),
        Damage(testDescription: "cut off", command: "truncate -s 8192 $DAY", message: "is damaged (it is truncated)"),
        Damage(testDescription: "empty", command: ": > $DAY", message: "is damaged (it is empty)"),
    ]

    @Test(arguments: damages) func damagedDayIsNamedAndHoldsUpNoOther(_ damage: Damage) async throws {
        try await withFaultTrial(try Self.recorded()) { trial in
            try Self.damage(trial, damage.command)
            let server = try trial.start()
            defer { server.killNow() }
            let ready = try server.ops("/readyz?verbose") { $0.status == 200 }
            #expect(ready.text.contains("2036-02-02.db") && ready.text.contains(damage.message), "\(ready.text)")
            #expect(try server.ops("/metrics").text.contains("\nfingerpost_log_damaged_days 1\n"))

            // Other days are counted, listed, exported and closed.
            for days in [
                "from=2036-02-03T00:00:00Z&until=2036-02-05T00:00:00Z",
                "until=2036-02-02T00:00:00Z&from=2036-02-01T00:00:00Z",
            ] {
                let totals = try Self.admin(server, trial, "GET", "stats/totals?purpose=all&\(days)")
                #expect(totals.status == 200, "\(totals.text)")
                #expect(try totals.json()["count"]?.int == (days.hasPrefix("from") ? 10 : 5), "\(totals.text)")
            }
            #expect(try Self.admin(server, trial, "GET", "events?limit=9&from=2036-02-03T00:00:00Z").status == 200)
            #expect(try Self.admin(server, trial, "POST", "exports", "{}").status >= 500)
            let retention = try Self.admin(server, trial, "POST", "retention", "{}")
            #expect(retention.text.contains("2036-02-01") && retention.text.contains("2036-02-03"), "\(retention.text)")
            #expect(!retention.text.contains("2036-02-02"))
            #expect(try RestoreDrillTests.ask(server, count: 1) == 1)
            let export = try Self.admin(server, trial, "POST", "exports", "{}")
            #expect(export.status == 201, "\(export.text)")
            #expect(try export.json()["rows"]?.int == 1)

            // A request that needs the damaged day gets an error that names its file.
            for path in [
                "stats/totals?purpose=all&from=2036-02-01T00:00:00Z", "events?limit=100&from=2036-02-01T00:00:00Z",
            ] {
                let refused = try Self.admin(server, trial, "GET", path)
                #expect(refused.status == 503 && refused.text.contains("storage_unavailable"), "\(refused.text)")
                #expect(
                    refused.text.contains("2036-02-02.db") && refused.text.contains(damage.message),
                    "\(refused.text)"
                )
            }
            try Self.expectNotWhole(trial, damage.message)
            server.send(SIGTERM)
            #expect(server.wait().status == 0)
            try Self.expectNotWhole(trial, damage.message)
        }
    }

    /// The header is intact; verify-log also reads the pages after it.
    @Test func verifyLogReadsEveryPage() async throws {
        try await withFaultTrial(try Self.recorded()) { trial in
            #expect(try RestoreDrillTests.tool(trial, "verify-log", "--data", trial.data).status == 0)
            let pages = "for n in 3 4 5 6 7 8; do yes x | head -c 64 | dd of=$DAY bs=4096 seek=$n conv=notrunc; done"
            try Self.damage(trial, pages)
            try Self.expectNotWhole(trial, "is damaged (")
            let backup = try RestoreDrillTests.tool(trial, "backup", trial.folder + "/b", "--data", trial.data)
            #expect(
                backup.status == 65 && backup.text.contains("\(trial.data)/service/events/2036-02-02.db is damaged"),
                "\(backup.text)"
            )
        }
    }

    /// Records five requests of the shop on each of four days, none of them closed.
    private static func recorded() throws -> FaultTrial {
        let trial = try FaultTrial(startingAt: "2036-02-01 10:00:00")
        let server = try trial.start()
        for day in 1...4 {
            try trial.clock?.set("2036-02-0\(day) 10:00:00")
            #expect(try RestoreDrillTests.ask(server, count: 5) == 5)
        }
        server.send(SIGTERM)
        #expect(server.wait().status == 0)
        return trial
    }

    private static func damage(_ trial: FaultTrial, _ command: String) throws {
        let script = "cd '\(trial.data)/service' && DAY=events/2036-02-02.db && { \(command); } 2>/dev/null"
        #expect(try run("sh", "-c", script).status == 0)
    }

    private static func expectNotWhole(_ trial: FaultTrial, _ message: String) throws {
        let verification = try RestoreDrillTests.tool(trial, "verify-log", "--data", trial.data)
        #expect(verification.status == 1 && verification.text.contains("INCOMPLETE"), "\(verification.text)")
        #expect(
            verification.text.contains("2036-02-02.db") && verification.text.contains(message),
            "\(verification.text)"
        )
        #expect(!verification.text.contains("Internal server error"), "\(verification.text)")
    }

    private static func admin(
        _ server: RunningServer,
        _ trial: FaultTrial,
        _ method: String,
        _ path: String,
        _ body: String = ""
    )
        throws -> HTTPConnection.Response
    {
        try RestoreDrillTests.admin(server, trial, method, path, body)
    }
}
