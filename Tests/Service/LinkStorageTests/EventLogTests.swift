import Foundation
import GRDB
import LinkEvents
import LinkRouting
import Synchronization
import TestSupport
import Testing

@testable import LinkStorage

/// A clock that tests set.
final class TestClock: Sendable {
    private let instant: Mutex<Timestamp>

    init(_ text: String) { instant = Mutex(TestSupport.instant(text)) }

    var now: Timestamp { instant.withLock { $0 } }
    func set(_ text: String) { set(TestSupport.instant(text)) }
    func set(_ now: Timestamp) { instant.withLock { $0 = now } }
}

extension Event {
    static func sample(_ number: Int, of tenant: TenantID = TestSupport.tenant("shop")) -> Event {
        Event(.sample(number, of: tenant))
    }
}

extension Event.Fields {
    static func sample(_ number: Int, of tenant: TenantID = TestSupport.tenant("shop")) -> Event.Fields {
        Event.Fields(
            id: "event-\(number)",
            recordedAt: instant("2026-11-21T10:00:00Z"),
            tenant: tenant,
            environment: .production,
            outcome: .matched,
            linkLength: 20,
            source: "api",
            node: "a",
            requestID: "request-\(number)",
            method: "POST"
        )
    }
}

/// The install of that id; traps where the test's text cannot be one.
func installID(_ text: String) -> InstallID {
    guard let install = InstallID(text) else { preconditionFailure("'\(text)' is no install") }
    return install
}

extension EventLog {
    func all(of tenant: TenantID = TestSupport.tenant("shop")) async throws -> [StoredEvent] {
        try await events(of: tenant, in: 1...Int64.max, limit: .max)
    }
}

@Suite(.timeLimit(.minutes(15)))
struct EventLogTests {
    private let clock = TestClock("2026-11-21T10:00:00Z")

    private func log(_ folder: String) throws -> EventLog {
        let clock = clock
        return try EventLog(folder) { clock.now }
    }

    private func dayFiles(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("20") && $0.hasSuffix(".db") }
            .sorted()
    }

    private func sequences(in path: String) throws -> [Int64] {
        try DatabaseQueue(path: path).read { try Int64.fetchAll($0, sql: "SELECT seq FROM event ORDER BY seq") }
    }

    private func columns(of table: String, in path: String) throws -> [String] {
        try DatabaseQueue(path: path).read { try $0.columns(in: table).map(\.name) }
    }

    @Test func everyFieldRoundTrips() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let plain = Event.Fields.sample(0)
            var event = Event.Fields.sample(1, of: tenant("taxi"))
            event.environment = try #require(EnvironmentID("staging"))
            event.recordedAt = instant("2026-11-21T10:00:00.001Z")
            event.occurredAt = instant("2026-11-21T09:59:59.999Z")
            event.purpose = .preview
            event.kind = Event.Kind(rawValue: "install")
            event.parent = "parent"
            event.clientEventID = "client"
            event.app = AppID("ios")
            event.route = RouteID("product")
            event.revision = Revision(rawValue: 3)
            event.settingsRevision = 4
            event.outcome = .rejected
            event.action = .openStore
            event.reason = "dot_segment"
            event.experiment = "checkout"
            event.variant = "b"
            event.scheme = "https"
            event.host = "go.acme.com"
            event.path = "/product/{id}"
            event.query = [
                Event.QueryItem(name: "utm_source", value: "a\"b\n😀"), Event.QueryItem(name: "utm_source", value: ""),
            ]
            event.parameters = #"{"id":7}"#
            event.platform = .ios
            event.device = .tablet
            event.osVersion = "17.4"
            event.appVersion = "3.2.0"
            event.appBuild = 412
            event.traits = #"{"userType":"premium"}"#
            event.locale = "en-GB"
            event.country = "GB"
            event.referrerHost = "example.com"
            event.address = "192.0.2.0/24"
            event.userAgent = "Mozilla/5.0"
            event.botClass = "preview"
            event.install = installID("00112233445566778899aabbccddeeff")
            event.linkLength = 21
            event.source = "click"
            event.node = "b"
            event.method = "GET"
            event.latencyMicroseconds = 731
            event.result = .failed
            event.engineVersion = "1.4.0"
            event.agreement = .different
            event.reading = "repair"
            event.shortLink = Event.ShortLinkName(place: "go.acme.com", code: "a/b")
            for (own, other) in zip(Mirror(reflecting: event).children, Mirror(reflecting: plain).children) {
                #expect("\(own.value)" != "\(other.value)", "\(own.label ?? "") has its own value")
            }
            _ = try await log.append([Event(plain), Event(event)])
            #expect(try await log.all() == [StoredEvent(sequence: 1, event: Event(plain))])
            #expect(try await log.all(of: tenant("taxi")) == [StoredEvent(sequence: 2, event: Event(event))])
            try log.close()
        }
    }

    @Test func everyColumnIsAField() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([.sample(1)])
            try log.close()
            let columns = try columns(of: "event", in: folder + "/2026-11-21.db")
            #expect(Set(columns) == Set(EventColumn.all.map(\.name)))
            #expect(columns.count == EventColumn.all.count)
        }
    }

    @Test func sequencesContinueAfterARestart() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                #expect(try await log.lastSequence() == 0)
                #expect(try await log.append([.sample(1), .sample(2)]).first == 1)
                #expect(try await log.append([.sample(3)]).first == 3)
                try log.close()
            }
            let log = try log(folder)
            #expect(try await log.lastSequence() == 3)
            #expect(try await log.append([.sample(4)]).first == 4)
            #expect(try await log.all().map(\.event.id) == ["event-1", "event-2", "event-3", "event-4"])
        }
    }

    /// A killed process closes nothing, so the files in the folder must be the whole log at any moment.
    @Test func abandonedLogIsWhole() async throws {
        try await withTemporaryDirectory { folder in
            let manager = FileManager.default
            let live = folder + "/live"
            try manager.createDirectory(atPath: live, withIntermediateDirectories: false)
            let log = try log(live)
            for batch in 0..<5 {
                if batch == 3 { clock.set("2026-11-22T00:00:00Z") }
                _ = try await log.append((0..<10).map { .sample(batch * 10 + $0) })
                // Copying takes time, and no file may be removed meanwhile.
                log.finishCheckpoints()
                let copy = folder + "/copy-\(batch)"
                try manager.copyItem(atPath: live, toPath: copy)
                let recovered = try self.log(copy)
                #expect(try await recovered.all().map(\.sequence) == Array(1...Int64(batch + 1) * 10))
                #expect(try await recovered.append([.sample(99)]).first == Int64(batch + 1) * 10 + 1)
            }
        }
    }

    @Test func midnightBeginsTheNextFile() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            clock.set("2026-11-21T23:59:59.999Z")
            _ = try await log.append([.sample(1), .sample(2)])
            clock.set("2026-11-22T00:00:00.000Z")
            #expect(try await log.append([.sample(3)]).first == 3)
            clock.set("2026-11-25T10:00:00Z")
            #expect(try await log.append([.sample(4)]).first == 4)
            #expect(try await log.all().map(\.sequence) == [1, 2, 3, 4])
            try log.close()
            #expect(try dayFiles(folder) == ["2026-11-21.db", "2026-11-22.db", "2026-11-25.db"])
            #expect(try sequences(in: folder + "/2026-11-21.db") == [1, 2])
            #expect(try sequences(in: folder + "/2026-11-22.db") == [3])
            #expect(try sequences(in: folder + "/2026-11-25.db") == [4])
            // Past days have no WAL left.
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { path in
                    guard path.hasSuffix("-wal") else { return false }
                    let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + path)[.size] as? Int
                    return size != 0
                } == []
            )
        }
    }

    /// Whatever the clock does, sequences increase from file to file, and none is used twice.
    @Test func clockThatStepsBackStaysInTheNewestFile() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([.sample(1)])
                clock.set("2026-11-23T00:00:00Z")
                _ = try await log.append([.sample(2)])
                clock.set("2026-11-21T12:00:00Z")
                #expect(try await log.append([.sample(3)]).first == 3)
                try log.close()
            }
            // Also after a restart.
            let log = try log(folder)
            #expect(try await log.append([.sample(4)]).first == 4)
            try log.close()
            #expect(try sequences(in: folder + "/2026-11-21.db") == [1])
            #expect(try sequences(in: folder + "/2026-11-23.db") == [2, 3, 4])
        }
    }

    /// A process that is killed at midnight leaves the new day's file without rows.
    @Test func emptyNewestFileIsSkipped() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([.sample(1), .sample(2)])
                clock.set("2026-11-22T00:00:00Z")
                await #expect(throws: EventStoreError.self) { _ = try await log.append([.poison]) }
                try log.close()
            }
            #expect(try sequences(in: folder + "/2026-11-22.db") == [])
            let log = try log(folder)
            #expect(try await log.append([.sample(3)]).first == 3)
            #expect(try await log.all().map(\.sequence) == [1, 2, 3])
        }
    }

    /// Retention may have dropped the file with the highest sequence; the ledger still stores it.
    @Test func sequencesContinueFromTheLedgerWithoutFiles() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([.sample(1), .sample(2)])
                _ = try await log.exportLedger.cursor(of: tenant("shop"), since: clock.now)
                _ = try await log.exportLedger.cut(
                    tenant("shop"),
                    end: instant("2026-11-21T11:00:00Z"),
                    edge: 2,
                    format: "ndjson",
                    level: 6,
                    software: "fingerpost test"
                )
                try log.close()
            }
            try FileManager.default.removeItem(atPath: folder + "/2026-11-21.db")
            #expect(try await log(folder).append([.sample(3)]).first == 3)
        }
    }

    @Test func batchIsStoredWholeOrNotAtAll() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let error = await #expect(throws: EventStoreError.self) {
                _ = try await log.append([.sample(1), .poison, .sample(2)])
            }
            guard case .refused = try #require(error) else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await log.all().isEmpty)
            #expect(try await log.append([.sample(3)]).first == 1)
        }
    }

    /// A stopping server cancels its tasks; events that it has accepted are still written.
    @Test func cancelledTaskStillAppends() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let append = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await log.append([.sample(1)])
            }
            #expect(try await append.value.first == 1)
            #expect(try await log.all().count == 1)
        }
    }

    @Test func emptyBatchWritesNothing() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            #expect(try await log.append([]).first == 1)
            #expect(try await log.lastSequence() == 0)
            #expect(try dayFiles(folder) == [])
        }
    }

    @Test func pagesFollowEachOtherAcrossDays() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            for day in 0..<7 {
                clock.set(
                    Timestamp(milliseconds: instant("2026-11-21T10:00:00Z").milliseconds + Int64(day) * 86_400_000)
                )
                _ = try await log.append(
                    (0..<10).map { .sample(day * 10 + $0, of: tenant($0.isMultiple(of: 2) ? "shop" : "bank")) }
                )
            }
            let expected = (1...70).filter { !$0.isMultiple(of: 2) }.map { Int64($0) }
            var found: [Int64] = []
            while true {
                let page = try await log.events(of: tenant("shop"), in: ((found.last ?? 0) + 1)...70, limit: 3)
                guard !page.isEmpty else { break }
                #expect(page.count <= 3)
                found += page.map(\.sequence)
            }
            #expect(found == expected)
            #expect(
                try await log.events(of: tenant("shop"), in: 12...31, limit: 100).map(\.sequence)
                    == expected.filter { (12...31).contains($0) }
            )
            #expect(try await log.events(of: tenant("nobody"), in: 1...70, limit: 100).isEmpty)
            #expect(try await log.events(of: tenant("shop"), in: 71...90, limit: 100).isEmpty)
            try log.close()
        }
    }

    @Test func theEndIsReadBackwardsAcrossDays() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            for day in 0..<7 {
                clock.set(
                    Timestamp(milliseconds: instant("2026-11-21T10:00:00Z").milliseconds + Int64(day) * 86_400_000)
                )
                _ = try await log.append(
                    (0..<10).map { .sample(day * 10 + $0, of: tenant($0.isMultiple(of: 2) ? "shop" : "bank")) }
                )
            }
            func pages(since day: CivilDay) async throws -> [Int64] {
                var found: [Int64] = []
                var before = LogCursor.unread
                while true {
                    let page = try await log.events(of: tenant("shop"), before: before, since: day, limit: 3)
                    guard let last = page.last else { return found }
                    #expect(page.count <= 3)
                    found += page.map(\.sequence)
                    before.pass(last)
                }
            }
            let all = (1...70).filter { !$0.isMultiple(of: 2) }.map { Int64($0) }
            #expect(try await pages(since: .first) == all.reversed())
            #expect(try await pages(since: instant("2026-11-26T23:00:00Z").day) == all.filter { $0 > 50 }.reversed())
            #expect(try await pages(since: instant("2026-11-28T00:00:00Z").day).isEmpty)
            #expect(try await log.events(of: tenant("nobody"), before: LogCursor(70), since: .first, limit: 9).isEmpty)
            #expect(try await log.events(of: tenant("shop"), before: LogCursor(.min), since: .first, limit: 9).isEmpty)
            try log.close()
        }
    }

    @Test func eventIsFoundByTheTimeInItsID() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            let ids = EventIDGenerator { 7 }
            var events: [Event] = []
            for day in 0..<3 {
                clock.set(
                    Timestamp(milliseconds: instant("2026-11-21T23:59:59.990Z").milliseconds + Int64(day) * 86_400_000)
                )
                for number in 0..<40 {
                    var event = Event.sample(number, of: tenant(number.isMultiple(of: 2) ? "shop" : "bank"))
                    let time = Timestamp(milliseconds: clock.now.milliseconds + Int64(number / 4))
                    event.recordedAt = time
                    event.id = ids.next(at: time)
                    events.append(event)
                }
                // The second half of a day's events is committed after midnight.
                _ = try await log.append(Array(events.suffix(40).prefix(20)))
                clock.set(Timestamp(milliseconds: clock.now.milliseconds + 20))
                _ = try await log.append(Array(events.suffix(20)))
            }
            for (index, event) in events.enumerated() {
                let found = try await log.event(event.id, of: event.tenant)
                #expect(found == StoredEvent(sequence: Int64(index) + 1, event: event))
            }
            #expect(try await log.event(events[0].id, of: tenant("bank")) == nil)
            #expect(try await log.event(ids.next(at: clock.now), of: tenant("shop")) == nil)
            #expect(try await log.event("event-1", of: tenant("shop")) == nil)
            try log.close()
        }
    }

    /// A log of a year must not keep a year of files open.
    @Test func onlyAFewOldDaysStayOpen() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                for day in 0..<30 {
                    clock.set(
                        Timestamp(milliseconds: instant("2026-11-01T10:00:00Z").milliseconds + Int64(day) * 86_400_000)
                    )
                    _ = try await log.append([.sample(day)])
                }
                try log.close()
            }
            let log = try log(folder)
            #expect(try await log.all().count == 30)
            #expect(try await log.all().count == 30)
            let open = try FileManager.default.contentsOfDirectory(atPath: folder).count { $0.hasSuffix(".db-shm") }
            // The newest file, four older ones, and the ledger.
            #expect(open <= 6)
            try log.close()
        }
    }

    @Test func rowThatCannotBeReadIsNamed() async throws {
        try await withTemporaryDirectory { folder in
            let log = try log(folder)
            _ = try await log.append([.sample(1)])
            let queue = try DatabaseQueue(path: folder + "/2026-11-21.db")
            try await queue.write { try $0.execute(sql: "UPDATE event SET environment = 'NOT AN ID'") }
            let error = await #expect(throws: StorageError.self) { _ = try await log.all() }
            #expect("\(try #require(error))".contains("row 1: the column environment cannot be read"))
        }
    }

    @Test(arguments: ["ledger.db", "2026-11-21.db"]) func damagedFileIsRefused(_ name: String) async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append([.sample(1)])
                try log.close()
            }
            try Data().write(to: URL(filePath: folder + "/" + name))
            let error = #expect(throws: StorageError.self) { try log(folder) }
            #expect("\(try #require(error))".hasPrefix("\(folder)/\(name) is damaged (it is empty)."))
        }
    }

    @Test func newestDayIsCheckedForDamage() async throws {
        try await withTemporaryDirectory { folder in
            do {
                let log = try log(folder)
                _ = try await log.append((0..<500).map { .sample($0) })
                try log.checkNewestDay()
                try log.close()
            }
            let handle = try #require(FileHandle(forWritingAtPath: folder + "/2026-11-21.db"))
            try handle.seek(toOffset: 12 * 4_096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
            try handle.close()
            let log = try log(folder)
            #expect(throws: StorageError.self) { try log.checkNewestDay() }
        }
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, "full"), (.SQLITE_IOERR_FSYNC, "io"), (.SQLITE_IOERR_WRITE, "io"),
        (.SQLITE_CORRUPT, "io"), (.SQLITE_NOTADB, "io"), (.SQLITE_CONSTRAINT_CHECK, "refused"),
        (.SQLITE_TOOBIG, "refused"),
        (.SQLITE_BUSY, "refused"),
    ]) func failuresAreDistinguished(_ code: ResultCode, _ kind: String) {
        switch EventStoreError(DatabaseError(resultCode: code), file: "a.db") {
        case .full: #expect(kind == "full")
        case .io: #expect(kind == "io")
        case .refused: #expect(kind == "refused")
        }
    }

    /// If the disk is full at midnight, the next day's file cannot be created. The process recovers once there is
    /// space.
    @Test func fullDiskAtMidnightIsAFullDisk() {
        #expect(EventStoreError(StorageError.full(file: "a.db")) == .full)
        #expect(EventStoreError(StorageError.foreignFile(file: "a.db")) != .full)
    }
}

extension Event {
    /// An event that the schema refuses.
    fileprivate static var poison: Event {
        var event = sample(0)
        event.parameters = "{"
        return event
    }
}
