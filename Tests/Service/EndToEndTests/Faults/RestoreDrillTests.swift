import Foundation
import LinkRouting
import TestSupport
import Testing

/// The restore drill on a log of many days: closed and open days, days without rows, finished exports and a pending
/// one. All operations of the following days work on the restored directory.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit), .enabled(if: MovableClock.isHere, MovableClock.skipped))
struct RestoreDrillTests {
    enum Newest: CaseIterable { case withRows, withoutRows }

    @Test(arguments: Newest.allCases) func everythingWorksOnWhatWasRestored(_ newest: Newest) async throws {
        try await withFaultTrial(try FaultTrial(startingAt: "2036-02-01 10:00:00")) { trial in
            let (server, backup) = (try await Self.fill(trial, newest), trial.folder + "/backup")
            let before = try Answers(of: server, trial)
            #expect(before.verification["whole"]?.bool == true && before.verification["stored"]?.int == 48)
            let made = try Self.tool(trial, "backup", backup, "--data", trial.data)
            #expect(made.status == 0, "\(made.text)")
            // The original server also exports the pending window, for comparison.
            #expect(try run("rm", Self.obstacle(trial)).status == 0)
            try StoredSet.export(server, key: trial.key)
            let exported = try Self.exports(trial)
            server.killNow()
            #expect(try run("mv", trial.data, trial.folder + "/original").status == 0)

            let restored = try Self.tool(trial, "restore", backup, "--data", trial.data)
            #expect(restored.status == 0 && restored.text.hasSuffix("events up to 48\n"), "\(restored.text)")
            try await offline(trial, before)
            try await online(trial, before, exported)
        }
    }

    /// Checks the commands that need no server.
    private func offline(_ trial: FaultTrial, _ before: Answers) async throws {
        let verification = try Self.tool(trial, "verify-log", "--data", trial.data, "--json")
        #expect(verification.status == 0)
        #expect(try Self.json(verification.text) == before.verification)
        let again = try Self.tool(trial, "backup", trial.folder + "/offline", "--data", trial.data)
        #expect(again.status == 0, "\(again.text)")
        let export = try Self.tool(trial, "export", "blogs", "--all", "--data", trial.data)
        #expect(export.status == 0, "\(export.text)")
    }

    /// Checks a server on the restored directory.
    private func online(_ trial: FaultTrial, _ before: Answers, _ exported: [String]) async throws {
        let server = try trial.start()
        defer { server.killNow() }
        try server.ops("/readyz") { $0.status == 200 }
        #expect(try Answers(of: server, trial) == before)
        try StoredSet.export(server, key: trial.key)
        for tenant in FaultLoad.tenants {
            let all = try Self.tool(trial, "export", tenant, "--all", "--data", trial.data)
            #expect(all.status == 0, "\(all.text)")
        }
        let files = try Self.exports(trial)
        // Windows of the shop: after the second day, after the third day, and the pending one.
        #expect(exported.count >= 3 && Set(exported).isSubset(of: files), "\(exported) \(files)")

        let erased = try Self.admin(server, trial, "POST", "erasures", #"{"stickyKey":"install-1"}"#)
        #expect(erased.status == 201)
        #expect(try erased.json()["rows"]?.int == 13)
        try Self.change(server, trial, "\"retentionDays\":400", to: "\"retentionDays\":1")
        let dropped = try Self.admin(server, trial, "POST", "retention", "{}")
        #expect(try dropped.json()["dropped"]?.elements?.count ?? 0 > 0, "\(dropped.text)")
        #expect(try Self.ask(server, count: 1) == 1)
        let verification = try Self.json(try Self.tool(trial, "verify-log", "--data", trial.data, "--json").text)
        #expect(verification["whole"]?.bool == true, "\(verification.json())")
        #expect(
            verification["erased"]?.int ?? 0 > 0 && verification["dropped"]?.int ?? 0 > 0
                && verification["lastSeq"]?.int == 49
        )
        let next = try Self.tool(trial, "backup", trial.folder + "/next", "--data", trial.data)
        #expect(next.status == 0, "\(next.text)")
        let once = try Self.tool(trial, "restore", trial.folder + "/next", "--data", trial.folder + "/once-more")
        #expect(once.status == 0, "\(once.text)")
        let whole = try Self.tool(trial, "verify-log", "--data", trial.folder + "/once-more", "--json")
        #expect(try Self.json(whole.text) == verification)
    }
}

extension RestoreDrillTests {
    /// A server's answers about its log.
    struct Answers: Equatable {
        let totals: JSONNode?
        let events: JSONNode?
        let verification: JSONNode

        init(of server: RunningServer, _ trial: FaultTrial) throws {
            totals = try RestoreDrillTests.admin(server, trial, "GET", "stats/totals?purpose=all&by=route").json()[
                "totals"
            ]
            events = try RestoreDrillTests.admin(server, trial, "GET", "events?limit=1000&from=2036-02-01T00:00:00Z")
                .json()["events"]
            verification = try RestoreDrillTests.json(
                try RestoreDrillTests.tool(trial, "verify-log", "--data", trial.data, "--json").text
            )
        }
    }

    /// Fills a log: days 1 and 2 are closed, 3 is exported, 4 has no rows, 5 and 6 are open, and 7, if present, has no
    /// rows.
    static func fill(_ trial: FaultTrial, _ newest: Newest) async throws -> RunningServer {
        let clock = try #require(trial.clock)
        var server = try trial.start()
        try change(server, trial, "\"privacy\":{", to: "\"privacy\":{\"recordInstall\":true,")
        // A scheduled export would otherwise export the window that must stay pending.
        try change(
            server,
            trial,
            #""export":{"schedule":"daily","at":"02:00","zone":"Europe/Paris","format":"ndjson","level":6}"#,
            to: #""export":{"schedule":"off"}"#
        )
        for day in 1...3 {
            try clock.set("2036-02-0\(day) 10:00:00")
            #expect(try ask(server, count: 12) == 12)
            if day == 2 { try StoredSet.export(server, key: trial.key) }
        }
        // Closes past days.
        #expect(try admin(server, trial, "POST", "retention", "{}").status == 200)
        try StoredSet.export(server, key: trial.key)
        server = try await restart(server, trial, at: "2036-02-04 10:00:00")
        for day in 5...6 {
            try clock.set("2036-02-0\(day) 10:00:00")
            #expect(try ask(server, count: 6) == 6)
        }
        try makePendingWindow(server, trial)
        if newest == .withoutRows { server = try await restart(server, trial, at: "2036-02-07 10:00:00") }
        return server
    }

    /// Restarts the server on a new day, which creates that day's file.
    private static func restart(_ server: RunningServer, _ trial: FaultTrial, at time: String) async throws
        -> RunningServer
    {
        server.send(SIGTERM)
        #expect(server.wait().status == 0)
        try trial.clock?.set(time)
        let next = try trial.start()
        let file = "\(trial.data)/service/events/\(time.prefix(10)).db"
        try await eventually("\(file) is there") { FileManager.default.fileExists(atPath: file) }
        return next
    }

    /// Cuts a window that cannot be written, because a file has the name of its folder.
    private static func makePendingWindow(_ server: RunningServer, _ trial: FaultTrial) throws {
        let obstacle = obstacle(trial)
        #expect(try run("mkdir", "-p", trial.data + "/service/exports/tenant=shop/dt=2036-02-06").status == 0)
        #expect(try run("touch", obstacle).status == 0)
        #expect(try admin(server, trial, "POST", "exports", "{}").status >= 500)
    }

    private static func obstacle(_ trial: FaultTrial) -> String {
        trial.data + "/service/exports/tenant=shop/dt=2036-02-06/hour=10"
    }

    /// Sends requests of the shop. Returns how many were recorded.
    static func ask(_ server: RunningServer, count: Int) throws -> Int {
        let connection = try HTTPConnection(port: server.publicPort)
        return try (0..<count).count { number in
            let body =
                #"{"url":"yourapp://product/\#(number)","context":{"platform":"ios","stickyKey":"install-\#(number % 4)"}}"#
            return try connection.request("POST", "/resolve", body: body).status == 200
        }
    }

    static func admin(
        _ server: RunningServer,
        _ trial: FaultTrial,
        _ method: String,
        _ path: String,
        _ body: String = ""
    )
        throws -> HTTPConnection.Response
    {
        try HTTPConnection(port: server.adminPort).request(
            method,
            "/admin/v1/tenants/shop/\(path)",
            headers: ["Authorization": "Bearer \(trial.key)"],
            body: body
        )
    }

    /// Writes the shop's settings with one text replaced.
    static func change(_ server: RunningServer, _ trial: FaultTrial, _ old: String, to new: String) throws {
        let known = try #require(try admin(server, trial, "GET", "settings").json()["settings"]?.json())
        #expect(known.contains(old))
        #expect(try admin(server, trial, "PUT", "settings", known.replacing(old, with: new)).status == 200)
    }

    /// The SHA-256 and path of each file of the exported tenants.
    static func exports(_ trial: FaultTrial) throws -> [String] {
        let script =
            "cd '\(trial.data)/service/exports' && find tenant=shop tenant=blogs -name '*.gz' | sort | xargs sha256sum"
        let result = try run("sh", "-c", script)
        #expect(result.status == 0)
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Runs a command with the trial's clock. Returns the combined output.
    static func tool(_ trial: FaultTrial, _ arguments: String...) throws -> (status: Int32, text: String) {
        let command = (trial.clock?.launcher ?? []) + [RunningServer.products.appending(path: "fingerpost").path]
        let quoted = (command + arguments).map { "'\($0)'" }.joined(separator: " ")
        let result = try run("sh", "-c", "\(quoted) 2>&1")
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    static func json(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 22))
    }
}
