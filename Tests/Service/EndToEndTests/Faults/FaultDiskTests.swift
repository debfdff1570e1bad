import Foundation
import LinkRouting
import TestSupport
import Testing

/// Disks that fail or are full: nothing is acknowledged that is not stored.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit))
struct FaultDiskTests {
    /// After a failed sync the contents of the file are unknown, so the process exits and the next one reads the file
    /// again.
    @Test(
        .enabled(if: Tracer.isHere, Tracer.skipped),
        arguments: [("fdatasync", [1, 3, 8, 20, 45]), ("pwrite64", [12, 90, 300])]
    )
    func failedWriteEndsTheProcess(_ call: String, _ usual: [Int]) async throws {
        let fresh = try FaultTrial()
        defer { fresh.end() }
        for place in FaultSeeds.isLong ? Array(1...50) : usual {
            try await withFaultTrial(try FaultTrial(copying: fresh)) { trial in
                let calls = trial.folder + "/calls"
                let launcher = Tracer.launcher(call, "error=EIO:when=\(place)", log: calls)
                let status: Int32
                do {
                    let server = try trial.start(launcher: launcher)
                    await trial.load(server, call, requests: 30).run()
                    server.send(SIGTERM)
                    status = server.wait().status
                } catch RunningServer.Failure.didNotStart(let code, _) {
                    status = code
                }
                let failed = Tracer.injected(calls)
                if status != (failed.isEmpty ? 0 : 74) { trial.fail() }
                #expect(status == (failed.isEmpty ? 0 : 74), "\(call) \(place): \(failed)")
                let restarted = try trial.start()
                defer { restarted.killNow() }
                try trial.verify(restarted, "\(call) \(place):")
            }
        }
    }

    /// An exhausted quota counts as a full disk, although SQLite has no error code for it.
    @Test(.enabled(if: Tracer.isHere, Tracer.skipped), arguments: ["ENOSPC", "EDQUOT"])
    func refusedWritesAreReportedAsAFullDiskAndRecover(_ code: String) async throws {
        try await withFaultTrial { trial in
            let server = try trial.start()
            defer { server.killNow() }
            await trial.load(server, "before", clients: 2, requests: 6).run()
            let tracer = try Tracer.Attached(
                server.holder,
                "pwrite64",
                "error=\(code)",
                log: trial.folder + "/calls"
            )
            await expectRefusals(trial.load(server, "full", clients: 4, requests: 6), from: server)
            try expectAdminRefusals(trial, from: server)
            tracer.detach()
            try expectHealed(server, trial)
        }
    }

    @Test(.enabled(if: ScratchDisk.memoryObstacle == nil, ScratchDisk.memoryObstacle))
    func fullDiskRefusesRecoversAndLosesNothing() async throws {
        try await withDisk(ScratchDisk(megabytesOfMemory: 24)) { disk in
            try await withFaultTrial(try FaultTrial(data: disk.path + "/data")) { trial in
                let server = try trial.start()
                defer { server.killNow() }
                await trial.load(server, "before", clients: 4, requests: 20).run()
                try disk.fill()
                await expectRefusals(trial.load(server, "full", clients: 4, requests: 600), from: server)
                try expectAdminRefusals(trial, from: server)
                let backup = try await fingerpost("backup", disk.path + "/backup", "--data", trial.data)
                #expect(backup.status != 0 && backup.text.contains("the disk is full"), "\(backup.text)")
                #expect(backup.text.contains("disk-full.md"))
                #expect(try StoredSet.partialFiles(in: trial.data + "/service/exports") == [])
                try disk.grow(toMegabytes: 64)
                try expectHealed(server, trial)
                // Fills the disk again and kills the process. Space is available before the next start.
                try disk.fill()
                await trial.load(server, "full-again", clients: 4, requests: 100).run()
                server.killNow()
                try disk.grow(toMegabytes: 96)
                let restarted = try trial.start()
                defer { restarted.killNow() }
                try trial.verify(restarted)
            }
        }
    }

    /// Acknowledged events are on disk, so the stop is clean. The WAL files hold what is not checkpointed.
    @Test(.enabled(if: ScratchDisk.memoryObstacle == nil, ScratchDisk.memoryObstacle))
    func stopOnAFullDiskIsCleanAndLosesNothing() async throws {
        try await withDisk(ScratchDisk(megabytesOfMemory: 24)) { disk in
            try await withFaultTrial(try FaultTrial(data: disk.path + "/data")) { trial in
                let server = try trial.start()
                await trial.load(server, "before", clients: 4, requests: 20).run()
                try disk.fill()
                await trial.load(server, "full", clients: 4, requests: 20).run()
                server.send(SIGTERM)
                #expect(server.wait().status == 0)
                #expect(!FileManager.default.fileExists(atPath: trial.data + "/service/running"))
                try disk.fill()
                let key = try await fingerpost("keys", "create", "--scope", "admin", "--data", trial.data)
                #expect(key.status == 74 && key.text.contains("the disk is full"), "\(key.text)")
                #expect(!FileManager.default.fileExists(atPath: trial.data + "/service/running"))
                try disk.grow(toMegabytes: 64)
                let restarted = try trial.start()
                defer { restarted.killNow() }
                try trial.verify(restarted)
            }
        }
    }

    private func fingerpost(_ arguments: String...) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside("sh", ["-c", #"exec "$0" "$@" 2>&1"#, tool] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    /// Each kind of write on the admin port is refused with the reason and a Retry-After.
    private func expectAdminRefusals(_ trial: FaultTrial, from server: RunningServer) throws {
        let route = #"{"routes":[{"id":"a","path":"/a","block":"x"}]}"#
        let suite = #"{"formatVersion":1,"cases":[{"link":"yourapp://product/1","expect":{"route":"product"}}]}"#
        let admin = try HTTPConnection(port: server.adminPort)
        for (method, path, body) in [
            ("PUT", "tenants/shop/draft?draft=full", route), ("PUT", "tenants/full/settings", "{}"),
            ("POST", "tenants/shop/apply", #"{"removeOthers":true,"table":\#(route)}"#),
            ("POST", "tenants/shop/exports", ""),
            ("POST", "keys", #"{"name":"full","scopes":["publish"]}"#),
            ("PUT", "tenants/shop/suites/full", suite),
        ] {
            let answer = try admin.request(
                method,
                "/admin/v1/\(path)",
                headers: ["Authorization": "Bearer \(trial.key)", "Content-Type": "application/json"],
                body: body
            )
            #expect(answer.status == 503, "\(method) \(path): \(answer.text)")
            #expect(answer.text.contains(#""code":"disk_full""#), "\(method) \(path): \(answer.text)")
            #expect(answer.text.contains("disk-full.md") && answer.header("Retry-After") == "10")
        }
    }

    /// Recording is refused with Retry-After. Requests that need no disk are answered.
    private func expectRefusals(_ load: FaultLoad, from server: RunningServer) async {
        let before = load.history.refused.count
        await load.run { answer in
            guard answer.response.status != 200 else { return .proceed }
            #expect(answer.response.status == 503, "\(answer.response.text)")
            #expect(answer.response.header("Retry-After") == "1")
            #expect(answer.response.text.contains(#""code":"log_unavailable""#))
            return load.history.refused.count < before + 20 ? .proceed : .stop
        }
        #expect(load.history.refused.count > before)
        let files = try? HTTPConnection(port: server.publicPort).request(
            "GET",
            "/.well-known/apple-app-site-association",
            host: "farechoice.taxi"
        )
        #expect(files?.status == 200)
        do {
            try expectUnrecordedAnswer(from: server)
        } catch {
            Issue.record(error)
        }
    }

    /// A tenant without `whenLogFails: refuse` is answered, and everybody can see that nothing is recorded.
    private func expectUnrecordedAnswer(from server: RunningServer) throws {
        let answer = try HTTPConnection(port: server.publicPort).request(
            "POST",
            "/resolve",
            headers: ["Content-Type": "application/json"],
            body: #"{"url":"https://farechoice.taxi/prices/airport"}"#
        )
        #expect(answer.status == 200 && answer.text.contains(#""recorded":false"#), "\(answer.text)")
        try server.ops("/readyz") { $0.status == 200 && $0.text.contains(#""status":"degraded""#) }
        try server.ops("/metrics") { metrics in
            metrics.text.contains(/fingerpost_answers_unrecorded_total\{reason="disk_full"\} [1-9]/)
        }
    }

    /// The same process records the next request.
    private func expectHealed(_ server: RunningServer, _ trial: FaultTrial) throws {
        let holder = server.holder
        let before = trial.history.acknowledgedCount
        let load = trial.load(server, "healed-\(before)", clients: 1, requests: 1)
        try load.once()
        #expect(trial.history.acknowledgedCount == before + 1)
        try trial.verify(server)
        #expect(server.holder == holder && kill(holder, 0) == 0)
    }
}
