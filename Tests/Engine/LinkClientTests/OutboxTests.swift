import LinkClient
import LinkRouting
import TestSupport
import Testing

struct OutboxTests {
    private func event(_ number: Int, engine: String = "1.0", bytes: Int = 10, at milliseconds: Int64 = 0) throws
        -> OutboxEvent
    {
        let instant = Timestamp(milliseconds: Sample.issuedAt.milliseconds + milliseconds)
        return try #require(
            OutboxEvent(id: "e\(number)", occurredAt: instant, engineVersion: engine) { writer in
                writer.member("url", String(repeating: "x", count: bytes))
            }
        )
    }

    @Test func fileRoundTrips() throws {
        var outbox = Outbox(install: "me")
        for number in 0..<5 { _ = outbox.add(try event(number)) }
        let reading = try #require(Outbox.read(outbox.file))
        #expect(reading.outbox == outbox)
        #expect(!reading.isDamaged)
    }

    /// An update of the app keeps the reports that wait on the device. This is a file of 0.1.0.
    @Test func fileOfTheFirstReleaseIsRead() throws {
        let event =
            #"{"clientEventId":"0f5d","occurredAt":"2026-11-30T12:00:00.250Z","tenant":"shop","url":"yourapp://product/1"}"#
        let file = #"{"install":"9c1a"}"# + "\n" + #"{"engineVersion":"1.0","event":\#(event)}"# + "\n"
        let reading = try #require(Outbox.read(Array(file.utf8)))
        #expect(!reading.isDamaged)
        #expect(reading.outbox.install == "9c1a")
        let found = try #require(reading.outbox.events.first)
        #expect((found.id, found.engineVersion) == ("0f5d", "1.0"))
        #expect(found.occurredAt == Timestamp("2026-11-30T12:00:00.250Z"))
        #expect(found.json == Array(event.utf8))
    }

    @Test func fileCutAtAnyByteKeepsAllCompleteEvents() throws {
        var outbox = Outbox(install: "me")
        for number in 0..<4 { _ = outbox.add(try event(number)) }
        let file = outbox.file
        let ends = file.indices.filter { file[$0] == UInt8(ascii: "\n") }
        for count in file.indices {
            let complete = ends.count { $0 < count }
            let reading = Outbox.read(Array(file[..<count]))
            #expect(
                reading?.outbox.events.map(\.id)
                    == (complete == 0 ? nil : Array(outbox.events.map(\.id)[..<(complete - 1)]))
            )
            if let reading { #expect(reading.isDamaged == (!ends.contains(count - 1)), "\(count)") }
        }
    }

    @Test func appendAfterACutLineLosesNothing() throws {
        let disk = MemoryDisk()
        var store = OutboxStore("/o", disk: disk, newInstall: "me")
        _ = store.add(try event(1))
        _ = store.add(try event(2))
        disk["/o"] = disk["/o"]?.dropLast(3)
        store = OutboxStore("/o", disk: disk, newInstall: "other")
        #expect(store.outbox.events.map(\.id) == ["e1"])
        _ = store.add(try event(3))
        store = OutboxStore("/o", disk: disk, newInstall: "other")
        #expect(store.outbox.install == "me")
        #expect(store.outbox.events.map(\.id) == ["e1", "e3"])
    }

    @Test(arguments: [0, 5, 40]) func fullDiskKeepsEventsInMemory(_ partialBytes: Int) throws {
        let disk = MemoryDisk()
        var store = OutboxStore("/o", disk: disk, newInstall: "me")
        _ = store.add(try event(1))
        disk.fail("No space left on device", afterBytes: partialBytes)
        _ = store.add(try event(2))
        #expect(store.problem?.description.contains("No space left on device") == true)
        disk.fail(nil)
        _ = store.add(try event(3))
        #expect(store.problem == nil)
        let read = OutboxStore("/o", disk: disk, newInstall: "other")
        #expect(read.outbox.events.map(\.id) == ["e1", "e2", "e3"])
    }

    @Test func damagedFirstLineDropsTheFileAndReportsIt() {
        let disk = MemoryDisk()
        disk["/o"] = Array("{\"install\n{}\n".utf8)
        let store = OutboxStore("/o", disk: disk, newInstall: "new")
        #expect(store.outbox.install == "new")
        #expect(store.problem?.description.contains("first line is damaged") == true)
    }

    @Test func fullOutboxDropsTheNewestAndCountsIt() throws {
        var outbox = Outbox(install: "me")
        for number in 0..<Outbox.maximumEvents { _ = outbox.add(try event(number)) }
        #expect(outbox.events.count == Outbox.maximumEvents)
        let addition = outbox.add(try event(-1))
        #expect(addition == .full)
        #expect(outbox.droppedCount == 1)
        var large = Outbox(install: "me")
        var count = 0
        while large.add(try event(count, bytes: 30_000)) == .added { count += 1 }
        #expect(large.byteCount <= Outbox.maximumBytes)
        #expect(large.file.count <= Outbox.maximumFileBytes)
        #expect(count > 30)
    }

    @Test func eventThatIsTooLargeIsRefused() {
        let event = OutboxEvent(id: "e", occurredAt: Sample.issuedAt, engineVersion: "1") { writer in
            writer.member("url", String(repeating: "x", count: OutboxEvent.maximumBytes))
        }
        #expect(event == nil)
    }

    @Test func batchIsBoundedAndOfOneEngineVersion() throws {
        var outbox = Outbox(install: "me")
        for number in 0..<150 { _ = outbox.add(try event(number)) }
        #expect(outbox.nextBatch.map(\.id) == (0..<100).map { "e\($0)" })
        outbox = Outbox(install: "me")
        for number in 0..<4 { _ = outbox.add(try event(number, engine: number < 2 ? "1.0" : "2.0")) }
        #expect(outbox.nextBatch.map(\.id) == ["e0", "e1"])
        outbox = Outbox(install: "me")
        for number in 0..<20 { _ = outbox.add(try event(number, bytes: 30_000)) }
        #expect(outbox.nextBatch.reduce(0) { $0 + $1.json.count } <= Outbox.maximumBatchBytes)
    }

    @Test func oldEventsAreDroppedBecauseTheServerMayHaveForgottenThem() throws {
        var outbox = Outbox(install: "me")
        _ = outbox.add(try event(1))
        _ = outbox.add(try event(2, at: 2 * Timestamp.millisecondsPerDay))
        let later = Timestamp(milliseconds: Sample.issuedAt.milliseconds + 30 * Timestamp.millisecondsPerDay)
        let first = outbox.dropOld(at: later)
        #expect(first)
        #expect(outbox.events.map(\.id) == ["e2"])
        #expect(outbox.droppedCount == 1)
        let second = outbox.dropOld(at: later)
        #expect(!second)
    }

    @Test func answersOfTheServerAreRead() {
        let text = #"""
            {"results": [{"clientEventId": "a", "status": "stored"}, {"clientEventId": "b", "status": "duplicate"},
                         {"clientEventId": "c", "status": "rejected", "detail": "no"}, {"clientEventId": "d", "status": "?"},
                         {"clientEventId": null, "status": "rejected"}]}
            """#
        let results = EventBatch.results(Array(text.utf8))
        #expect(results?.map(\.id) == ["a", "b", "c"])
        #expect(results?.map(\.rejection) == [nil, nil, "no"])
        #expect(EventBatch.results(Array("<html>".utf8)) == nil)
    }
}
