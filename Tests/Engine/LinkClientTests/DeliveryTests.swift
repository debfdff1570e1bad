import LinkClient
import LinkRouting
import TestSupport
import Testing

struct DeliveryTests {
    private func report(_ count: Int, _ client: LinkClient) async throws {
        await client.load()
        for number in 0..<count {
            guard case .resolved(let link) = client.resolve("https://go.acme.com/product/\(number)") else {
                Issue.record("undecided")
                return
            }
            await client.report(link, number.isMultiple(of: 2) ? .shown : .failed("no_network"))
        }
    }

    @Test func reportIsOnTheDiskAndDeliveredOnce() async throws {
        let log = EventLog()
        let test = try TestClient(bundled: try Sample.signed(), server: StubServer { try log.answer($0) })
        try await report(250, test.client)
        #expect(test.client.state.waitingReports == 250)
        #expect(test.disk[TestClient.outboxPath]?.count { $0 == UInt8(ascii: "\n") } == 251)
        await test.client.deliver()
        #expect(log.ids.count == 250)
        #expect(test.server.requests.count == 3)
        #expect(test.client.state.waitingReports == 0)
        #expect(test.client.state.lostReports == 0)
        await test.client.deliver()
        #expect(test.server.requests.count == 3)
    }

    @Test func batchContainsTheDecisionsOfTheApp() async throws {
        let log = EventLog()
        let test = try TestClient(bundled: try Sample.signed(), server: StubServer { try log.answer($0) })
        try await report(2, test.client)
        await test.client.deliver()
        let request = try #require(test.server.requests.first)
        #expect(request.url == "https://links.acme.test/_fp/events")
        let batch = try JSONReader.parse(request.body, limits: JSONReader.Limits(maximumBytes: 1 << 20))
        #expect(batch["tenant"]?.text == "acme")
        #expect(batch["environment"]?.text == "production")
        #expect(batch["install"]?.text?.utf8.count == 32)
        #expect(batch["engineVersion"]?.text == "1.0")
        let events = try #require(batch["events"]?.elements)
        #expect(events.map { $0["result"]?.text } == ["shown", "failed"])
        #expect(events[1]["reason"]?.text == "no_network")
        #expect(events[0]["url"]?.text == "https://go.acme.com/product/0")
        #expect(events[0]["context"]?["app"]?.text == "ios")
        #expect(events[0]["context"]?["now"]?.text == Sample.issuedAt.description)
        #expect(events[0]["revision"]?.int == 7)
        #expect(events[0]["settingsRevision"]?.int == 3)
        #expect(events[0]["outcome"]?.text == "matched")
        #expect(events[0]["action"]?.text == "open_app")
        #expect(events[0]["route"]?.text == "product")
        #expect(events[0]["occurredAt"]?.text == Sample.issuedAt.description)
    }

    @Test func foreignLinksAndAnswersOfTheServerAreNotReported() async throws {
        let test = try TestClient(bundled: try Sample.signed())
        await test.client.load()
        guard case .resolved(let foreign) = test.client.resolve("https://evil.example/") else {
            Issue.record("undecided")
            return
        }
        await test.client.report(foreign, .shown)
        test.server.answers { _ in LinkResponse(status: 200, body: Array(#"{"outcome": "unmatched"}"#.utf8)) }
        await test.client.report(try await test.client.ask("https://go.acme.com/vip/1"), .shown)
        #expect(test.client.state.waitingReports == 0)
        guard case .resolved(let unmatched) = test.client.resolve("https://go.acme.com/nowhere") else {
            Issue.record("undecided")
            return
        }
        await test.client.report(unmatched, .failed("no such page"))
        #expect(test.client.state.waitingReports == 1)
    }

    @Test func lostAnswerIsRepeatedWithTheSameIDs() async throws {
        let log = EventLog()
        let test = try TestClient(bundled: try Sample.signed())
        test.server.answers { request in
            _ = try log.answer(request)
            throw StubServer.Unreachable()
        }
        try await report(3, test.client)
        await test.client.deliver()
        #expect(test.client.state.waitingReports == 3)
        #expect(test.problem(.delivery) != nil)
        test.server.answers { try log.answer($0) }
        await test.client.deliver()
        #expect(log.ids.count == 3)
        #expect(test.client.state.waitingReports == 0)
        #expect(test.client.state.problems == [])
    }

    @Test(arguments: [401, 403, 404, 408, 429, 500, 503]) func refusalOfTheCallerKeepsReports(_ status: Int)
        async throws
    {
        let test = try TestClient(
            bundled: try Sample.signed(),
            server: StubServer { _ in LinkResponse(status: status) }
        )
        try await report(2, test.client)
        await test.client.deliver()
        #expect(test.client.state.waitingReports == 2)
        #expect(test.server.requests.count == 1)
        #expect(test.problem(.delivery)?.message.contains("\(status)") == true)
    }

    @Test func refusedReportIsLostAndOthersAreDelivered() async throws {
        let log = EventLog()
        let test = try TestClient(bundled: try Sample.signed())
        test.server.answers { try log.answer($0) { $0.hasPrefix("0") } }
        try await report(100, test.client)
        await test.client.deliver()
        #expect(test.client.state.waitingReports == 0)
        #expect(test.client.state.lostReports == 100 - log.ids.count)
    }

    @Test func batchThatIsRefusedAsAWholeIsHalved() async throws {
        let log = EventLog()
        let test = try TestClient(bundled: try Sample.signed())
        try await report(20, test.client)
        test.server.answers { request in
            // The server refuses every batch that contains one certain link.
            if String(decoding: request.body, as: UTF8.self).contains("/product/13\"") {
                return LinkResponse(status: 400)
            }
            return try log.answer(request)
        }
        await test.client.deliver()
        #expect(log.ids.count == 19)
        #expect(test.client.state.waitingReports == 0)
        #expect(test.client.state.lostReports == 1)
        #expect(test.problem(.refusedReport) != nil)
    }

    /// The process ends after any request, before or after the server has stored the batch, with any state of the disk.
    /// An app runs its client once for each scene, and again after a scene was closed.
    @Test(.timeLimit(.minutes(15))) func reportsAreDeliveredByEachRun() async throws {
        let log = EventLog()
        let test = try TestClient(
            bundled: try Sample.signed(),
            server: StubServer { request in
                request.method == .post ? try log.answer(request) : LinkResponse(status: 304)
            },
            sleep: { delay in if delay > .seconds(3) { try await Task.sleep(for: .seconds(3_600)) } }
        )
        let client = test.client
        for number in 1...3 {
            let runs = [Task { await client.run() }, Task { await client.run() }]
            try await report(1, client)
            while log.ids.count < number * 2 - 1 { await Task.yield() }
            runs[0].cancel()
            await runs[0].value
            try await report(1, client)
            for await state in client.states where state.waitingReports == 0 { break }
            runs[1].cancel()
            await runs[1].value
            #expect(client.state.waitingReports == 0)
        }
        #expect(log.ids.count == 6)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func killsAtAnyTimeDeliverEachReportOnce(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (log, disk) = (EventLog(), MemoryDisk())
        var reported = 0
        for run in 0..<10 {
            let fate = random.next() % 3
            let server = StubServer { request in
                if fate == 0 { throw StubServer.Unreachable() }
                let answer = try log.answer(request)
                if fate == 1 { throw StubServer.Unreachable() }
                return answer
            }
            let test = try TestClient(
                bundled: try Sample.signed(),
                disk: disk,
                server: server,
                random: seed * 100 + UInt64(run)
            )
            let count = Int(random.next() % 4)
            try await report(count, test.client)
            reported += count
            // A kill between the server's answer and the removal: the file is the one before.
            let before = disk[TestClient.outboxPath]
            await test.client.deliver()
            if random.next() % 3 == 0 { disk[TestClient.outboxPath] = before }
        }
        let last = try TestClient(
            bundled: try Sample.signed(),
            disk: disk,
            server: StubServer { try log.answer($0) },
            random: 99
        )
        await last.client.deliver()
        #expect(log.ids.count == reported)
        #expect(last.client.state.waitingReports == 0)
    }
}
