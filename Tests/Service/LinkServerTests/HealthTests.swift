import LinkRouting
import LinkServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct HealthTests {
    @Test func probesFollowTheLifeOfTheService() async throws {
        try await withService { service in
            func answers() async throws -> [TestResponse] {
                var answers: [TestResponse] = []
                for path in ["/livez", "/startupz", "/readyz"] { answers.append(try await service.opsPort(path)) }
                return answers
            }
            service.health.start("checking catalog.db")
            let starting = try await answers()
            #expect(starting.map(\.status) == [200, 503, 503])
            #expect(starting[1].json?["step"]?.text == "checking catalog.db")
            service.health.run()
            let running = try await answers()
            #expect(running.map(\.status) == [200, 200, 200])
            #expect(service.health.stop())
            let stopping = try await answers()
            #expect(stopping.map(\.status) == [200, 200, 503])
            #expect(stopping[2].json?["failing"]?.elements?.compactMap(\.text) == ["phase"])
        }
    }

    @Test func stopBeforeTheServiceRunsHasNoEffect() {
        #expect(!Health().stop())
    }

    @Test func failedPartIsNamed() async throws {
        try await withService { service in
            let free = Mutex(10)
            service.health.run()
            service.health.watch([
                Health.Check("disk") { free.withLock { $0 } > 5 ? .good("enough") : .bad("too little") }
            ])
            let ready = try await service.opsPort("/readyz")
            #expect(ready.text == #"{"status":"ready"}"#)
            free.withLock { $0 = 1 }
            let answer = try await service.opsPort("/readyz?verbose")
            #expect(answer.status == 503)
            #expect(
                answer.text
                    == #"{"status":"not ready","failing":["disk"],"checks":[{"name":"phase","ok":true,"detail":"running"},"#
                    + #"{"name":"disk","ok":false,"detail":"too little"}]}"#
            )
            let alive = try await service.opsPort("/livez")
            #expect(alive.status == 200)
        }
    }

    /// A degraded service keeps receiving requests.
    @Test func degradedServiceIsNamedAndReady() async throws {
        try await withService { service in
            service.health.run()
            service.health.watch([Health.Check("disk") { .degraded("too little") }])
            let answer = try await service.opsPort("/readyz?verbose")
            #expect(answer.status == 200)
            #expect(
                answer.text
                    == #"{"status":"degraded","degraded":["disk"],"checks":[{"name":"phase","ok":true,"detail":"running"},"#
                    + #"{"name":"disk","ok":false,"detail":"too little"}]}"#
            )
        }
    }

    @Test func readingsAreAnsweredFromTheStart() async throws {
        try await withService { service in
            let before = try await service.opsPort("/metrics")
            #expect(!before.text.contains("later_reading"))
            service.readings.add { [.gauge("later_reading", 1)] }
            let after = try await service.opsPort("/metrics")
            #expect(after.text.contains("\nlater_reading 1\n"))
        }
    }
}

@Suite(.timeLimit(.minutes(15)))
struct WriterHeartbeatTests {
    /// Each sleep waits for the test, which controls the next probe.
    private func signs(
        probing probe: @escaping @Sendable () async throws -> Void,
        at clock: TestClock,
        _ body: (WriterHeartbeat, AsyncStream<Void>) async throws -> Void
    ) async throws {
        let (slept, sleeping) = AsyncStream<Void>.makeStream()
        let signs = WriterHeartbeat(
            probe: probe,
            sleep: { _ in
                sleeping.yield()
                try await Task.sleep(for: .seconds(3_600))
            },
            uptime: { clock.uptime }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signs.run() }
            try await body(signs, slept)
            group.cancelAll()
        }
    }

    @Test func writerThatAnswersIsAlive() async throws {
        let clock = TestClock()
        try await signs(probing: {}, at: clock) { signs, slept in
            _ = await slept.first { _ in true }
            #expect(signs.check.examined == .good("responded 0 s ago"))
        }
    }

    @Test func silentWriterIsReportedAsStuck() async throws {
        let clock = TestClock()
        clock.setStep(.seconds(3))
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        try await signs(
            probing: {
                beginning.yield()
                try await Task.sleep(for: .seconds(3_600))
            },
            at: clock
        ) { signs, _ in
            _ = await begun.first { _ in true }
            // The clock advances by three seconds with each reading.
            #expect(signs.check.examined == .good("responded 3 s ago"))
            #expect(signs.check.examined == .bad("no response for 6 s"))
        }
    }

    @Test func writerThatDoesNotSyncIsNotReady() async throws {
        struct Unsynced: Error, CustomStringConvertible { let description = "synchronous is 1" }
        let clock = TestClock()
        try await signs(probing: { throw Unsynced() }, at: clock) { signs, slept in
            _ = await slept.first { _ in true }
            #expect(signs.check.examined == .bad("synchronous is 1"))
        }
    }
}

@Suite(.timeLimit(.minutes(15)))
struct ShutdownControllerTests {
    @Test func forcedShutdownResumesAllWaiters() async {
        let shutdown = ShutdownController()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<100 { tasks.addTask { await shutdown.untilForced() } }
            tasks.addTask { shutdown.force() }
        }
        await shutdown.untilForced()
        #expect(shutdown.isForced)
    }

    @Test func cancelledCallerStopsWaiting() async {
        let shutdown = ShutdownController()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<100 { tasks.addTask { await shutdown.untilForced() } }
            tasks.cancelAll()
        }
        #expect(!shutdown.isForced)
    }
}
