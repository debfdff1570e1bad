import CatalogSupport
import Foundation
import LinkEvents
import LinkRouting
import PostgresStorage
import TestSupport
import Testing

@testable import LinkStorage

/// The copies of logs in PostgreSQL.
@Suite(.enabled(if: TestPostgres.folder != nil, Comment(rawValue: TestPostgres.isMissing)))
struct LogCopyTests {
    private let clock = TestClock("2026-11-21T10:00:00Z")
    private static let shop = tenant("shop")

    /// Runs `body` with the logs of two nodes and the copy of both.
    private func withNodes(_ body: (EventLog, EventLog, PostgresStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            }
            let logs = try ["a", "b"].map { name in try EventLog("\(folder)/\(name)") { clock.now } }
            try await body(logs[0], logs[1], try await TestPostgres.makeStore())
            for log in logs { try log.close() }
        }
    }

    private func events(_ numbers: Range<Int>, minute: Int = 0) -> [Event] {
        numbers.map { number in
            var event = Event.sample(number)
            let seconds = Int64(minute * 60 + number)
            event.recordedAt = Timestamp(milliseconds: clock.now.milliseconds + 1_000 * seconds)
            return event
        }
    }

    private func faults(_ store: PostgresStore) async throws -> [String] { try await LogCopy(store).verify().faults }

    private func number(_ sql: String, _ store: PostgresStore) async throws -> Int64? {
        try await store.read { try Int64.fetchOne($0, sql: sql) }
    }

    @Test func everyFieldIsCopied() async throws {
        try await withNodes { log, _, store in
            var full = Event.sample(1)
            full.id = RecordedID(uuid: Bytes16(high: 0x0193_9E2C_7D00_7000, low: 1 << 63 | 7))
            full.recordedAt = Timestamp(milliseconds: 0x0193_9E2C_7D00)
            full.path = "/a\tb\nc\\d\re\u{1F600}/\\N"
            full.query = [Event.QueryItem(name: "q", value: "\"\\ \u{2028}")]
            full.install = InstallID(Bytes16(high: 1, low: 2))
            full.parent = "another"
            full.revision = Revision(rawValue: 7)
            full.action = .openApp
            full.shortLink = Event.ShortLinkName(place: "go.acme.com", code: "spring")
            clock.set(full.recordedAt)
            _ = try await log.append([full, Event.sample(2)])
            let copy = LogCopy(store)
            try await log.shipAll(to: copy)
            let copied = try await copy.events(of: Self.shop, after: LogCursor([1: 0]), limit: 10)
            let stored = try await log.events(of: Self.shop, in: 1...9, limit: 10)
            #expect(copied.map(\.event) == stored.map(\.event) && copied.map(\.sequence) == [1, 2])
            #expect(try await copy.event(full.id, of: Self.shop)?.event == full)
            #expect(try await copy.event(full.id, of: tenant("bank")) == nil)
        }
    }

    @Test func nullCharactersBecomeReplacements() async throws {
        try await withNodes { log, _, store in
            var event = Event.sample(1)
            event.path = "/a\0b"
            event.outcome = .unmatched
            _ = try await log.append([event])
            let copy = LogCopy(store)
            try await log.shipAll(to: copy)
            #expect(try await copy.events(of: Self.shop, after: .unread, limit: 1).first?.event.path == "/a\u{FFFD}b")
        }
    }

    @Test func aRangeThatIsSentAgainIsRefused() async throws {
        try await withNodes { log, _, store in
            _ = try await log.append(events(0..<10))
            let copy = LogCopy(store)
            let identity = try await log.identify(nonce: "n")
            let start = try await copy.claim(identity, node: "a", has: log.has)
            let range = try #require(try await log.range(after: 0, limit: 4, bytes: 1 << 20))
            try await copy.ship(range, of: identity, after: start)
            await #expect(throws: LogCopy.Refusal.moved(to: range.end)) {
                try await copy.ship(range, of: identity, after: start)
            }
            let other = LogPosition(sequence: 4, event: "another")
            let next = try #require(try await log.range(after: 4, limit: 4, bytes: 1 << 20))
            await #expect(throws: LogCopy.Refusal.moved(to: range.end)) {
                try await copy.ship(next, of: identity, after: other)
            }
            #expect(try await number("SELECT count(*) FROM event", store) == 4)
            #expect(try await number("SELECT sum(count) FROM count_day", store) == 4)
        }
    }

    @Test func rowsAndCountsAreStoredTogetherOrNot() async throws {
        try await withNodes { log, _, store in
            _ = try await log.append(events(0..<10))
            try await store.storing { db in
                try db.execute(sql: "ALTER TABLE link_day ADD CHECK (count < 0)")
                try db.execute(sql: "ALTER TABLE count_quarter ADD CHECK (count < 5)")
            }
            let copy = LogCopy(store)
            let identity = try await log.identify(nonce: "n")
            let start = try await copy.claim(identity, node: "a", has: log.has)
            let range = try #require(try await log.range(after: 0, limit: 10, bytes: 1 << 20))
            await #expect(throws: (any Error).self) { try await copy.ship(range, of: identity, after: start) }
            for table in ["event", "shipped_day", "count_day", "value_hour"] {
                #expect(try await number("SELECT count(*) FROM \(table)", store) == 0)
            }
            #expect(try await copy.claim(identity, node: "a", has: log.has) == .start)
        }
    }

    @Test func anotherProcessOfTheSameLogIsNoticed() async throws {
        try await withNodes { log, _, store in
            _ = try await log.append(events(0..<4))
            let copy = LogCopy(store)
            let first = try await log.identify(nonce: "first")
            let end = try await copy.claim(first, node: "a", has: log.has)
            // A copy of the disk starts elsewhere.
            let clone = LogIdentity(log: first.log, nonces: ["first", "clone"])
            _ = try await copy.claim(clone, node: "a", has: log.has)
            let range = try #require(try await log.range(after: 0, limit: 4, bytes: 1 << 20))
            await #expect(throws: LogCopy.Refusal.foreign(log: first.log)) {
                try await copy.ship(range, of: first, after: end)
            }
            let again = try await log.identify(nonce: "second")
            #expect(again == LogIdentity(log: first.log, nonces: ["first", "second"]))
            await #expect(throws: LogCopy.Refusal.foreign(log: first.log)) {
                try await copy.claim(again, node: "a", has: log.has)
            }
            let begun = LogPosition(sequence: 2, event: "event-1")
            let new = try await log.identify(nonce: "third", asNewAfter: begun)
            #expect(new == LogIdentity(log: "third", nonces: ["third"], begun: begun, earlier: [again]))
            #expect(try await copy.claim(new, node: "a", has: log.has) == begun)
        }
    }

    @Test func aPositionIsOfThisLogOrNot() async throws {
        try await withNodes { log, _, _ in
            _ = try await log.append(events(0..<4))
            #expect(try await log.has(.start))
            #expect(try await log.has(LogPosition(sequence: 3, event: "event-2")))
            #expect(try await !log.has(LogPosition(sequence: 3, event: "event-1")))
            #expect(try await !log.has(LogPosition(sequence: 5, event: "event-4")))
        }
    }

    @Test func aReportOfTwoNodesIsCountedOnce() async throws {
        try await withNodes { first, second, store in
            let report = Event(.sample(1), reportHash: Bytes16(high: 1, low: 1))
            for log in [first, second] {
                _ = try await log.append(events(0..<1) + [report])
                try await log.shipAll(to: LogCopy(store))
            }
            #expect(try await number("SELECT count(*) FROM event WHERE duplicate", store) == 1)
            #expect(try await number("SELECT count(*) FROM event", store) == 4)
            #expect(try await number("SELECT sum(count) FROM count_day", store) == 3)
            // The events of both logs have the same ids here, as those of a copied disk.
            #expect(try await faults(store).map { $0.prefix(17) } == ["the event event-0", "the event event-1"])
        }
    }

    @Test(arguments: [
        ("DELETE FROM event WHERE seq = 3", "has 9 rows, but 10 were shipped"),
        ("UPDATE shipped_day SET first_seq = first_seq + 1 WHERE day = '2026-11-22'", "have a gap"),
        ("UPDATE shipped_log SET last_seq = 12", "ends at 12"),
        ("UPDATE event SET id = 'event-1' WHERE seq = 3", "the event event-1 is there 2 times"),
        (
            "UPDATE event SET id = 'other' WHERE seq = 15",
            "the log ends with the event event-14, but the row 15 is other"
        ),
        ("UPDATE count_day SET count = count + 1", "by the day add up to"),
        ("UPDATE count_quarter SET count = count + 1", "by the quarter-hour add up to"),
        ("UPDATE event SET outcome = 'unmatched' WHERE seq = 3", "unmatched  is 0, but there are 1 rows"),
        ("UPDATE event SET recorded_at = recorded_at + 86400000 WHERE seq = 3", "is 5, but there are 6 rows"),
        ("UPDATE count_day SET route = 'b' WHERE day = 20778", "count_day of"),
        ("UPDATE count_quarter SET quarter = quarter + 1", "count_quarter of"),
        ("UPDATE value_hour SET value = 'b' WHERE dimension = 'kind'", "value_hour of"),
        ("UPDATE value_day SET count = count + 1 WHERE dimension = 'kind'", "value_day of"),
        (
            "INSERT INTO link_day SELECT 'shop', 'x', 20778, 'production', 'live', number, 1, 0 FROM shipped_log",
            "link_day of"
        ),
        (
            "WITH gone AS (UPDATE shipped_day SET erased = 9) UPDATE event SET outcome = 'unmatched' WHERE seq = 3",
            "there are 1 rows"
        ),
    ])
    func faultsThatAreMadeByHandAreFound(sql: String, fault: String) async throws {
        try await withNodes { log, _, store in
            _ = try await log.append(events(0..<10))
            clock.set("2026-11-22T10:00:00Z")
            _ = try await log.append(events(10..<15))
            try await log.shipAll(to: LogCopy(store))
            #expect(try await faults(store) == [])
            try await store.storing { try $0.execute(sql: sql) }
            let found = try await faults(store)
            #expect(found.contains { $0.contains(fault) }, "\(found)")
        }
    }

    @Test func erasedAndDroppedRowsAreNamed() async throws {
        try await withNodes { log, _, store in
            var mine = Event.sample(1)
            let install = InstallID(Bytes16(high: 1, low: 2))
            mine.install = install
            _ = try await log.append([Event.sample(0)])
            clock.set("2026-11-22T10:00:00Z")
            _ = try await log.append([mine, mine])
            _ = try await log.append([Event.sample(3)])
            try await log.closeFinishedDays()
            try await log.drop(try await log.retainedRows(), at: clock.now)
            let erasure = try await log.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            _ = try await log.deleteRows(of: erasure)
            try await log.shipAll(to: LogCopy(store))
            let days = try await store.read { db in
                try SQLRow.fetchAll(db, sql: "SELECT * FROM shipped_day").map { row in
                    [try row["first_seq"], try row["last_seq"], try row["rows"], try row["absent"]] as [Int64]
                }
            }
            #expect(days == [[1, 4, 1, 3]])
            #expect(try await number("SELECT last_seq - first_seq FROM shipping_gap", store) == 0)
            #expect(try await faults(store) == [])
        }
    }

    @Test func anErasureCoversAllNodes() async throws {
        try await withNodes { first, second, store in
            let copy = LogCopy(store)
            let install = InstallID(Bytes16(high: 1, low: 2))
            for name in ["a", "b"] { try await store.report(node(name)) }
            for log in [first, second] {
                var mine = events(0..<2)
                for index in mine.indices { mine[index].install = install }
                _ = try await log.append(mine + events(2..<4))
                try await log.shipAll(to: copy, node: log === first ? "a" : "b")
                // This one is shipped after the erasure.
                _ = try await log.append([mine[1]])
            }
            clock.set("2026-11-21T11:00:00Z")
            let days = NodeDays(first, copy, node: "a", shipped: { nil }, keptDays: 3)
            let erasure = try await days.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            // Rows that are shipped between the order and the deletion are not stored.
            #expect(try await days.deleteRows(of: erasure) == 3)
            #expect(try await number("SELECT count(*) FROM event WHERE install IS NOT NULL", store) == 4)
            #expect(try await days.finish(erasure, at: clock.now) == nil)
            #expect(try await number("SELECT count(*) FROM event WHERE install IS NOT NULL", store) == 0)
            #expect(try await days.erasures(of: Self.shop).map(\.finishedAt) == [nil])
            #expect(try await days.erasures(of: Self.shop).map(\.rows) == [4])
            #expect(try await days.erasureCount(of: Self.shop, since: clock.now) == 1)
            #expect(try await copy.orders(for: "a") == [])

            // The other node ships before it carries the order out.
            try await second.shipAll(to: copy, node: "b")
            #expect(try await number("SELECT count(*) FROM event WHERE install IS NOT NULL", store) == 0)
            let order = try #require(try await copy.orders(for: "b").first)
            #expect(order.install == install && order.tenant == Self.shop && order.requestID == "r")
            #expect((0...60_000).contains(order.age))
            let name = try await second.shippedAs()
            try await copy.confirm(order, by: "b", log: name, through: 5, at: clock.now)
            #expect(try await days.erasures(of: Self.shop).map(\.finishedAt) == [clock.now])
            #expect(try await copy.orders(for: "b") == [])
            #expect(try await number("SELECT count(*) FROM erasure WHERE length(install) > 0", store) == 0)

            // Later events of the install are recorded again.
            var later = Event.sample(9)
            later.install = install
            later.recordedAt = Timestamp(milliseconds: clock.now.milliseconds + 1)
            _ = try await first.append([later])
            try await first.shipAll(to: copy, node: "a")
            #expect(try await number("SELECT count(*) FROM event WHERE install IS NOT NULL", store) == 1)
            #expect(try await faults(store).filter { !$0.contains("is there") } == [])
        }
    }

    /// A node's clock may be ahead of that of the node that ordered.
    @Test func anErasureCoversWhatWasRecordedBeforeIt() async throws {
        try await withNodes { first, second, store in
            let copy = LogCopy(store)
            for name in ["a", "b"] { try await store.report(node(name)) }
            var mine = Event.sample(1)
            mine.install = InstallID(Bytes16(high: 1, low: 2))
            mine.recordedAt = instant("2026-11-21T10:07:00Z")
            _ = try await second.append([mine])
            try await second.shipAll(to: copy, node: "b")
            let days = NodeDays(first, copy, node: "a", shipped: { nil }, keptDays: 3)
            let install = try #require(mine.install)
            let erasure = try await days.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            _ = try await days.finish(erasure, at: clock.now)
            let order = try #require(try await copy.orders(for: "b").first)
            try await copy.confirm(order, by: "b", log: try await second.shippedAs(), through: 1, at: clock.now)
            #expect(try await number("SELECT count(*) FROM event", store) == 0)
            #expect(try await faults(store) == [])
        }
    }

    @Test func anInterruptedErasureIsNotFinished() async throws {
        try await withNodes { log, _, store in
            let copy = LogCopy(store)
            try await store.report(node("a"))
            var mine = Event.sample(1)
            mine.install = InstallID(Bytes16(high: 1, low: 2))
            _ = try await log.append([mine])
            try await log.shipAll(to: copy)
            let days = NodeDays(log, copy, node: "a", shipped: { nil }, keptDays: 3)
            let install = try #require(mine.install)
            try await store.storing { try $0.execute(sql: "ALTER TABLE shipped_day ADD CHECK (erased = 0)") }
            let erasure = try await days.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            await #expect(throws: (any Error).self) { _ = try await days.finish(erasure, at: clock.now) }
            #expect(try await days.erasures(of: Self.shop).map(\.finishedAt) == [nil])
            #expect(try await log.erasures(of: nil).map(\.finishedAt) == [nil])
            try await store.storing {
                try $0.execute(sql: "ALTER TABLE shipped_day DROP CONSTRAINT shipped_day_erased_check")
            }
            #expect(try await days.finish(erasure, at: clock.now) == clock.now)
            #expect(try await number("SELECT count(*) FROM event", store) == 0)
        }
    }

    /// A failover may lose the order before it is carried out.
    @Test func aLostOrderIsGivenAgain() async throws {
        try await withNodes { log, _, store in
            let copy = LogCopy(store)
            try await store.report(node("a"))
            let days = NodeDays(log, copy, node: "a", shipped: { nil }, keptDays: 3)
            let install = InstallID(Bytes16(high: 1, low: 2))
            let erasure = try await days.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            try await store.storing { try $0.execute(sql: "DELETE FROM erasure") }
            #expect(try await days.finish(erasure, at: clock.now) == clock.now)
            #expect(try await days.erasures(of: Self.shop).map(\.requestID) == ["r"])
        }
    }

    @Test func onlyNodesDropDays() async throws {
        try await withNodes { log, _, store in
            _ = try await log.append([.sample(1)])
            try await log.shipAll(to: LogCopy(store))
            try TestPostgres.run(
                """
                DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
                GRANT USAGE ON SCHEMA public TO stranger
                """,
                in: store.address.database
            )
            #expect(throws: TestPostgres.Failure.self) {
                try TestPostgres.run(
                    "SET SESSION AUTHORIZATION stranger; CREATE TEMP TABLE event (x INT); SELECT drop_event_day('2026-11-21')",
                    in: store.address.database
                )
            }
            #expect(try await number("SELECT count(*) FROM event", store) == 1)
        }
    }

    @Test func hostileJSONIsReadable() async throws {
        try await withNodes { log, _, store in
            var event = Event.sample(1)
            event.traits = #"{"a":"x\u0000y\\u0000"}"#
            _ = try await log.append([event])
            try await log.shipAll(to: LogCopy(store))
            let trait = try await store.read { db in
                try String.fetchOne(db, sql: "SELECT traits->>'a' FROM fingerpost.events")
            }
            #expect(trait == #"x\#u{FFFD}y\u0000"#)
        }
    }

    @Test func aForgottenNodeNeedNotConfirm() async throws {
        try await withNodes { first, _, store in
            let copy = LogCopy(store)
            for name in ["a", "b"] { try await store.report(node(name)) }
            let days = NodeDays(first, copy, node: "a", shipped: { nil }, keptDays: 3)
            let install = InstallID(Bytes16(high: 1, low: 2))
            let erasure = try await days.beginErasure(of: install, tenant: Self.shop, requestID: "r", at: clock.now)
            #expect(try await days.finish(erasure, at: clock.now) == nil)
            #expect(try await store.forget("b", at: clock.now))
            #expect(try await days.erasures(of: Self.shop).map(\.finishedAt) == [clock.now])
        }
    }

    @Test func aLogThatJoinsLaterCarriesOutEarlierErasures() async throws {
        try await withNodes { first, second, store in
            let copy = LogCopy(store)
            try await store.report(node("a"))
            let installs = (1...3).map { InstallID(Bytes16(high: 1, low: $0)) }
            for (number, install) in installs.enumerated() {
                var event = Event.sample(number)
                event.install = install
                _ = try await second.append([event, event])
            }
            var later = Event.sample(9)
            later.install = installs[0]
            later.recordedAt = Timestamp(milliseconds: clock.now.milliseconds + 1)
            _ = try await second.append([later])
            for (name, erased) in [("shop", installs[0]), ("shop", installs[1]), ("bank", installs[2])] {
                let days = NodeDays(first, copy, node: "a", shipped: { nil }, keptDays: 3)
                let erasure = try await days.beginErasure(
                    of: erased,
                    tenant: tenant(name),
                    requestID: "r",
                    at: clock.now
                )
                #expect(try await days.finish(erasure, at: clock.now) == clock.now)
            }
            // What was recorded after an erasure stays.
            #expect(try await second.lastSequence(recordedUntil: clock.now) == 6)
            let before = Timestamp(milliseconds: clock.now.milliseconds - 1)
            #expect(try await second.lastSequence(recordedUntil: before) == 0)
            #expect(try await copy.missedErasures(of: "a") == nil)
            let missed = try #require(try await copy.missedErasures(of: "b"))
            let covered = try await second.installs(covered: missed.coverage)
            #expect(
                Set(covered.map { [$0.install.description, "\($0.lastSequence)"] })
                    == [[installs[0].description, "2"], [installs[1].description, "4"]]
            )
            try await copy.confirm(missed, by: "b")
            #expect(try await copy.missedErasures(of: "b") == nil)
            // Its disk becomes another one.
            _ = try await LogShipment(of: second, to: copy, node: "b", makeNonce: { UUID().uuidString }).rejoin()
            #expect(try await copy.missedErasures(of: "b") != nil)
        }
    }

    private func node(_ name: String) -> FleetNode {
        FleetNode(name: name, seenAt: clock.now, version: "1", catalog: 0, links: 0, lastSequence: 0)
    }

    @Test func daysAreDroppedWhenNoTenantKeepsThem() async throws {
        try await withNodes { log, _, store in
            let copy = LogCopy(store)
            // PostgreSQL's clock decides, too.
            let today = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)).day
            clock.set(CivilDay(daysSince1970: today.daysSince1970 - 9).start)
            _ = try await log.append(events(0..<3) + [.sample(3, of: tenant("bank"))])
            clock.set(CivilDay(daysSince1970: today.daysSince1970 - 8).start)
            _ = try await log.append([.sample(4)])
            try await log.shipAll(to: copy)
            func drop(_ shop: Int, _ bank: Int) async throws -> Int64? {
                let rules = [
                    Self.shop: RetentionRule(days: shop, isExported: false),
                    tenant("bank"): RetentionRule(days: bank, isExported: false),
                ]
                try await copy.dropExpired(by: rules, today: today)
                #expect(try await faults(store) == [])
                return try await number("SELECT count(*) FROM event", store)
            }
            #expect(try await drop(9, 20) == 5)
            #expect(try await drop(8, 20) == 2)
            let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass"
            #expect(try await number(partitions, store) == 2)
            #expect(try await drop(3, 3) == 0)
            #expect(try await number(partitions, store) == 0)
            #expect(try await number("SELECT sum(count) FROM count_day", store) == 5)
            let later = CivilDay(daysSince1970: today.daysSince1970 + 400)
            await #expect(throws: LogCopy.WrongClock.self) { try await copy.dropExpired(by: [:], today: later) }
            // A node that was away ships rows of that day.
            _ = try await log.append([.sample(6)])
            try await log.shipAll(to: copy)
            #expect(try await number("SELECT count(*) FROM event", store) == 1)
        }
    }

    @Test func daysWithoutPostgreSQLAreShippedLater() async throws {
        try await withNodes { log, _, store in
            for day in 21...24 {
                clock.set("2026-11-\(day)T10:00:00Z")
                _ = try await log.append(events((5 * day)..<(5 * day + 5)))
                try await log.closeFinishedDays()
            }
            try await log.shipAll(to: LogCopy(store))
            #expect(try await faults(store).isEmpty)
            for (table, day, count) in [
                ("shipped_day", "day", "rows"), ("event", "day", "1"),
                ("count_day", "DATE '1970-01-01' + day", "count"),
            ] {
                let sql = "SELECT \(day) || ' ' || sum(\(count)) FROM \(table) GROUP BY day ORDER BY day"
                let days = try await store.read { try String.fetchAll($0, sql: sql) }
                #expect(days == (21...24).map { "2026-11-\($0) 5" }, "\(table)")
            }
        }
    }

    @Test func theNodeKeepsShippedRowsForSomeDays() async throws {
        try await withNodes { log, _, store in
            _ = try await log.append([.sample(1)])
            clock.set("2026-11-22T10:00:00Z")
            _ = try await log.append([.sample(2)])
            try await log.closeFinishedDays()
            for (shipped, verdict) in [(nil, RetentionRule.Verdict.keep), (0, .keep), (1, .drop)] as [(Int64?, _)] {
                let days = NodeDays(log, LogCopy(store), node: "a", shipped: { shipped }, keptDays: 3)
                let rows = try #require(try await days.retainedRows().first)
                let rule = RetentionRule(days: 90, isExported: false)
                let later = CivilDay(daysSince1970: clock.now.day.daysSince1970 + 3)
                #expect(rule.verdict(on: rows, today: later) == verdict)
                #expect(rule.verdict(on: rows, today: clock.now.day) == .keep)
            }
        }
    }

    @Test func aCopiedDiskShipsOnlyWhatIsMissing() async throws {
        try await withTemporaryDirectory { folder in
            let store = try await TestPostgres.makeStore()
            let copy = LogCopy(store)
            func open(_ name: String) throws -> EventLog { try EventLog("\(folder)/\(name)") { clock.now } }
            try FileManager.default.createDirectory(atPath: "\(folder)/a", withIntermediateDirectories: true)
            var log = try open("a")
            _ = try await log.append(events(0..<10))
            try await log.shipAll(to: copy)
            try log.close()
            try FileManager.default.copyItem(atPath: "\(folder)/a", toPath: "\(folder)/b")
            log = try open("a")
            _ = try await log.append(events(10..<13))
            try await log.shipAll(to: copy)
            let clone = try open("b")
            _ = try await clone.append(events(20..<24))
            let shipment = LogShipment(of: clone, to: copy, node: "b") { UUID().uuidString }
            await #expect(throws: LogCopy.Refusal.self) { _ = try await shipment.next(at: clock.now) }
            // The refused copy has not taken the log from the first one.
            _ = try await log.append(events(13..<14))
            try await log.shipAll(to: copy)
            #expect(try await shipment.rejoin() == 10)
            while try await shipment.next(at: clock.now) {}
            #expect(try await shipment.rejoin() == 14)
            #expect(try await number("SELECT count(*) FROM event", store) == 18)
            #expect(try await faults(store) == [])

            // PostgreSQL is restored to a state before any of this.
            let restored = try await TestPostgres.makeStore()
            let later = LogShipment(of: clone, to: LogCopy(restored), node: "b") { UUID().uuidString }
            while try await later.next(at: clock.now) {}
            try await log.shipAll(to: LogCopy(restored))
            #expect(try await number("SELECT count(*) FROM event", restored) == 18)
            #expect(try await faults(restored) == [])
            for log in [log, clone] { try log.close() }
        }
    }

    /// Both disks have rows that neither has shipped.
    @Test(arguments: [true, false])
    func whatACopiedDiskHadNotShippedIsShippedOnce(isCloneFirst: Bool) async throws {
        try await withTemporaryDirectory { folder in
            let store = try await TestPostgres.makeStore()
            let copy = LogCopy(store)
            func open(_ name: String) throws -> EventLog { try EventLog("\(folder)/\(name)") { clock.now } }
            func shipment(_ log: EventLog, _ node: String) -> LogShipment {
                LogShipment(of: log, to: copy, node: node) { UUID().uuidString }
            }
            try FileManager.default.createDirectory(atPath: "\(folder)/a", withIntermediateDirectories: true)
            var log = try open("a")
            _ = try await log.append(events(0..<10))
            try await log.shipAll(to: copy)
            _ = try await log.append(events(10..<15))
            try log.close()
            try FileManager.default.copyItem(atPath: "\(folder)/a", toPath: "\(folder)/b")
            log = try open("a")
            let clone = try open("b")
            _ = try await log.append(events(20..<23))
            _ = try await clone.append(events(30..<34))
            let (original, copied) = (shipment(log, "a"), shipment(clone, "b"))
            if isCloneFirst {
                #expect(try await copied.rejoin() == 19)
                await #expect(throws: LogCopy.Refusal.self) { while try await original.next(at: clock.now) {} }
                #expect(try await original.rejoin() == 15)
                while try await original.next(at: clock.now) {}
            } else {
                while try await original.next(at: clock.now) {}
                #expect(try await copied.rejoin() == 15)
            }
            while try await copied.next(at: clock.now) {}
            #expect(try await number("SELECT count(*) FROM event", store) == 22)
            #expect(try await faults(store) == [])
            for log in [log, clone] { try log.close() }
        }
    }

    @Test func theEventsOfNodesAreReadInPages() async throws {
        try await withNodes { first, second, store in
            let copy = LogCopy(store)
            _ = try await first.append(events(0..<5))
            _ = try await second.append(events(0..<5, minute: 1))
            clock.set("2026-11-22T10:00:00Z")
            _ = try await first.append(events(5..<8, minute: 2))
            _ = try await second.append(events(5..<8))
            for log in [first, second] { try await log.shipAll(to: copy) }
            let end = try await copy.end()
            #expect("\(end)" == "1.8-2.8" && LogCursor("1.8-2.8") == end)
            #expect(LogCursor("1.8-2") == nil && LogCursor("0.8") == LogCursor(8) && LogCursor("-1") == nil)

            var (cursor, found) = (LogCursor(0).limited(to: end), [StoredEvent]())
            while cursor != end {
                let page = try await copy.events(of: Self.shop, after: cursor, limit: 3)
                for event in page { cursor.pass(event) }
                found += page
                try #require(page.count <= 3 && !page.isEmpty)
            }
            #expect(found.count == 16)
            #expect(found.map(\.event.recordedAt) == found.map(\.event.recordedAt).sorted())
            var back = [StoredEvent]()
            cursor = .unread
            while true {
                let page = try await copy.events(of: Self.shop, before: cursor, since: .first, limit: 5)
                guard !page.isEmpty else { break }
                for event in page { cursor.pass(event) }
                back += page
            }
            #expect(back == found.reversed())
            let today = try await copy.events(of: Self.shop, before: .unread, since: clock.now.day, limit: 50)
            #expect(today.count == 6)
            let yesterday = try #require(try await copy.end(of: instant("2026-11-21T10:00:00Z").day))
            #expect(try await copy.events(of: Self.shop, before: yesterday, since: .first, limit: 50).count == 10)
            #expect(try await copy.nodes() == [])
            try await store.report(node("a"))
            #expect(try await copy.nodes().map(\.name) == ["a"])
        }
    }
}

extension EventLog {
    /// Ships what is not in the copy yet, in small ranges.
    func shipAll(to copy: LogCopy, node: String = "a") async throws {
        let identity = try await identify(nonce: UUID().uuidString)
        var position = try await copy.claim(identity, node: node) { try await has($0) }
        while let range = try await range(after: position.sequence, limit: 7, bytes: 1 << 20) {
            try await copy.ship(range, of: identity, after: position)
            position = range.end
        }
    }
}
