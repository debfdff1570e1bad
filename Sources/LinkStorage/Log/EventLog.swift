import Dispatch
import Foundation
import GRDB
package import LinkEvents
package import LinkRouting
import Migrations
import Synchronization

/// The folder `events/`: one file per UTC day of commit, and the ledger.
///
/// One day is written to; it is a pool, so that readers never make the writer wait. An older day is opened when it is read,
/// and only a few stay open: neither a start nor a long run depends on how many days are kept.
package final class EventLog: EventStore, EventHistory {
    private let folder: String
    let now: @Sendable () -> Timestamp
    let ledger: DatabasePool
    private let state: Mutex<State>
    /// Where others wait for the writer, so that they hold no thread that answers requests.
    private let waiting = DispatchQueue(label: "fingerpost.log.waiting")
    /// Empties the WALs of days that are over while the writer goes on in the next file.
    private let settling = DispatchQueue(label: "fingerpost.log.settling")

    private struct State {
        /// Oldest first; sequences rise from day to day.
        var days: [Day] = []
        /// The last of `days`; nil until a new log's first append.
        var newest: (file: DayFile, pool: DatabasePool)?
        /// Older days that were read lately, the latest last.
        var older: [(file: DayFile, queue: DatabaseQueue)] = []
        var lastSequence: Int64 = 0
    }

    /// What is written to, by one thread at a time.
    private let today = Mutex<DayWriter?>(nil)

    private struct Day {
        let day: CivilDay
        var start = Start.unknown
    }

    /// The sequence that a day begins with.
    private enum Start: Equatable {
        case unknown
        case empty
        case at(Int64)
    }

    private static let olderDaysOpen = 4
    private static let daySchema = SQLiteSchema(
        applicationID: 0x4650_4556,
        migrations: Migrations.events,
        givesPagesBack: true
    )
    private static let ledgerSchema = SQLiteSchema(applicationID: 0x4650_4C45, migrations: Migrations.ledger)

    /// Opens the log and finds the last sequence. `now` says which day a commit belongs to.
    package init(_ folder: String, now: @escaping @Sendable () -> Timestamp) throws {
        self.folder = folder
        self.now = now
        ledger = try SQLiteFile.open(folder + "/ledger.db", Self.ledgerSchema)
        var state = State(days: try Self.days(in: folder, ledger).map { Day(day: $0) })
        for index in state.days.indices.reversed() {
            let day = state.days[index].day
            let reader: any DatabaseReader
            if index == state.days.indices.last {
                let pool = try SQLiteFile.open(Self.path(day, in: folder), Self.daySchema)
                state.newest = (DayFile(day: day, pool), pool)
                reader = pool
            } else {
                reader = try SQLiteFile.openSettled(Self.path(day, in: folder), Self.daySchema)
            }
            state.days[index].start = try Self.start(reader)
            state.lastSequence = try Self.lastSequence(reader)
            if state.lastSequence > 0 { break }
        }
        // A day that retention dropped may have held the highest sequence.
        let known = try ledger.read { db in
            try Int64.fetchOne(
                db,
                sql:
                    "SELECT max((SELECT ifnull(max(edge), 0) FROM export_cursor), (SELECT ifnull(max(last_seq), 0) FROM day))"
            )
        }
        state.lastSequence = max(state.lastSequence, known ?? 0)
        self.state = Mutex(state)
        if let newest = state.newest { today.withLock { $0 = DayWriter(newest.file.day, newest.pool) } }
    }

    private static func path(_ day: CivilDay, in folder: String) -> String { "\(folder)/\(day).db" }

    /// The days whose files are there. One that retention has dropped may have outlived a crash.
    private static func days(in folder: String, _ ledger: DatabasePool) throws -> [CivilDay] {
        let dropped = try ledger.read {
            Set(try Int64.fetchAll($0, sql: "SELECT day FROM day WHERE dropped_at IS NOT NULL"))
        }
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        for name in names where name.hasSuffix(".db-wal") && !names.contains(String(name.dropLast(4))) {
            // Its rows would be missing, and their sequences given out again.
            guard let day = CivilDay(name.dropLast(7)), !dropped.contains(day.daysSince1970) else { continue }
            throw StorageError.corrupt(file: path(day, in: folder), detail: "it is gone, but its -wal file is there")
        }
        return try names.compactMap { $0.hasSuffix(".db") ? CivilDay($0.dropLast(3)) : nil }.sorted()
            .filter { day in
                guard dropped.contains(day.daysSince1970) else { return true }
                try removeFile(of: day, in: folder)
                return false
            }
    }

    private static func start(_ reader: any DatabaseReader) throws -> Start {
        // Not the rows, where there are counts: those at the beginning may have been erased.
        let sql = "SELECT ifnull((SELECT min(first_seq) FROM tenant_rows), (SELECT min(seq) FROM event))"
        return try reader.read { try Int64.fetchOne($0, sql: sql) }.map(Start.at) ?? .empty
    }

    /// 0 when the day has had no rows. Not that of the rows alone: those at the end may have been erased.
    private static func lastSequence(_ reader: any DatabaseReader) throws -> Int64 {
        let sql = "SELECT max((SELECT seq FROM counted), (SELECT ifnull(max(seq), 0) FROM event))"
        return try reader.read { try Int64.fetchOne($0, sql: sql) } ?? 0
    }

    /// Reads the whole newest day file and throws when it is damaged. Blocks for as long as that takes: for after an unclean
    /// stop, in the background, on a thread that answers no requests.
    package func checkNewestDay() throws {
        guard let newest = state.withLock({ $0.newest }) else { return }
        try SQLiteFile.quickCheck(newest.pool, file: Self.path(newest.file.day, in: folder))
    }

    /// Returns when the append that is under way is done; throws unless its connection syncs every commit.
    package func assertDurable() async throws {
        try await withCheckedThrowingContinuation { continuation in
            waiting.async {
                continuation.resume(
                    with: Result {
                        try self.today.withLock { today in
                            guard let today else { return }
                            try SQLiteFile.assertDurable(today.pool, file: Self.path(today.day, in: self.folder))
                        }
                    }
                )
            }
        }
    }

    /// Brings every WAL into its file and closes. Nothing may be appended or read afterwards.
    package func close() throws {
        try settling.sync {
            try today.withLock { today in
                do {
                    try today?.writeCounts()
                } catch let error as DatabaseError {
                    // On a full disk it is left to the next start, which finds the rows that are not counted.
                    let file = today.map { Self.path($0.day, in: folder) } ?? folder
                    guard error.resultCode == .SQLITE_FULL else { throw StorageError(error, file: file) }
                }
                today = nil
                let (newest, older) = state.withLock { ($0.newest, $0.older) }
                for day in older { try day.queue.close() }
                if let newest { try SQLiteFile.close(newest.pool) }
                try SQLiteFile.close(ledger)
            }
        }
    }

    // MARK: Writing

    package func lastSequence() async throws -> Int64 { state.withLock { $0.lastSequence } }

    /// Blocks the caller's thread on the disk: the recorder has one for it that answers no requests. It is not GRDB's own
    /// asynchronous writing, which is interrupted when the caller's task is cancelled: a stopping server still writes what it
    /// has taken.
    package func append(_ events: [Event]) async throws -> Int64 {
        try today.withLock { today in
            let first = state.withLock { $0.lastSequence } + 1
            guard !events.isEmpty else { return first }
            // The file is chosen once for the batch, so that no transaction spans two.
            try turn(&today)
            guard let day = today?.day else { preconditionFailure("turn() opens a file where there is none") }
            do {
                try today?.append(events, from: first)
            } catch let error as DatabaseError {
                throw EventStoreError(error, file: Self.path(day, in: folder))
            }
            state.withLock { state in
                state.lastSequence = first + Int64(events.count) - 1
                guard let index = state.days.lastIndex(where: { $0.day == day }), state.days[index].start == .empty
                else {
                    return
                }
                state.days[index].start = .at(first)
            }
            return first
        }
    }

    /// Turns to the file of today; a clock that steps back stays in the newest one, so that sequences rise from file to file.
    private func turn(_ today: inout DayWriter?) throws {
        let date = now().day
        if let today, today.day >= date { return }
        do {
            // First of all, so that only the newest file ever has rows that are not counted.
            try today?.writeCounts()
            let pool = try SQLiteFile.open(Self.path(date, in: folder), Self.daySchema)
            let before = today?.pool
            today = DayWriter(date, pool)
            state.withLock { state in
                state.days.append(Day(day: date, start: .empty))
                state.newest = (DayFile(day: date, pool), pool)
            }
            if let before { settling.async { Self.settle(before) } }
        } catch let error as StorageError {
            throw EventStoreError(error)
        } catch let error as DatabaseError {
            throw EventStoreError(error, file: Self.path(today?.day ?? date, in: folder))
        }
    }

    /// Brings the counts up to the last row. Waits for the append that is under way.
    func writeCounts() throws { try today.withLock { try $0?.writeCounts() } }

    /// Brings the WAL of a day that is over into its file; whoever still reads from the pool may go on. What cannot be
    /// brought over now stays in the WAL and is read from there, so a failure loses nothing.
    private static func settle(_ pool: DatabasePool) {
        try? SQLiteFile.checkpoint(pool)
    }

    /// Turns to the file of today when the newest one is of an earlier day; a log without files stays so.
    func leaveYesterday() async throws {
        try await withCheckedThrowingContinuation { continuation in
            waiting.async {
                continuation.resume(
                    with: Result {
                        try self.today.withLock { today in
                            if today != nil { try self.turn(&today) }
                        }
                    }
                )
            }
        }
    }

    /// The days that nothing is added to any more, oldest first.
    func finishedDays() -> [CivilDay] { state.withLock { $0.days.dropLast().map(\.day) } }

    /// All days, oldest first.
    func allDays() -> [CivilDay] { state.withLock { $0.days.map(\.day) } }

    /// Removes the file of a day that is over; whoever still reads from it may go on.
    func removeFile(of day: CivilDay) throws {
        state.withLock { state in
            state.days.removeAll { $0.day == day }
            state.older.removeAll { $0.file.day == day }
        }
        try Self.removeFile(of: day, in: folder)
    }

    private static func removeFile(of day: CivilDay, in folder: String) throws {
        let path = path(day, in: folder)
        for ending in ["", "-wal", "-shm"] where unlink(path + ending) != 0 && errno != ENOENT {
            throw StorageError.unusable(file: path + ending, detail: String(cString: strerror(errno)))
        }
        do {
            try Folder.sync(folder)
        } catch {
            throw StorageError.io(file: path, detail: "\(error)")
        }
    }

    /// Runs what blocks for long on the thread that brings days to rest: one after the other, beside the writer.
    func onSettlingThread<Result: Sendable>(
        _ body: @escaping @Sendable (EventLog) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            settling.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    /// Returns when the files of days that are over are brought to rest.
    func finishSettling() { settling.sync {} }

    // MARK: Reading

    package func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        var found: [StoredEvent] = []
        for day in try days(holding: range) where found.count < limit {
            let rest = limit - found.count
            // One read transaction a page: a reader that never ends would keep the WAL from being checkpointed.
            guard let file = try heldFile(of: day) else { continue }
            found += try await file.events(
                of: tenant,
                "seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
                [range.lowerBound, range.upperBound, rest]
            )
        }
        return found
    }

    package func events(
        of tenant: TenantID,
        before sequence: Int64,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent] {
        var found: [StoredEvent] = []
        guard sequence > 1 else { return found }
        for day in try days(holding: 1...(sequence - 1), since: day).reversed() where found.count < limit {
            let rest = limit - found.count
            guard let file = try heldFile(of: day) else { continue }
            found += try await file.events(
                of: tenant,
                "seq < ? ORDER BY seq DESC LIMIT ?",
                [sequence, rest]
            )
        }
        return found
    }

    /// The days that hold sequences of the range, oldest first. A day is opened to see what it begins with, once.
    private func days(holding range: ClosedRange<Int64>, since first: CivilDay = .first) throws -> [CivilDay] {
        var holding: [CivilDay] = []
        for known in state.withLock({ $0.days }).reversed() where known.day >= first {
            var start = known.start
            if start == .unknown {
                guard let file = try heldFile(of: known.day) else { continue }
                start = try Self.start(file.database)
                state.withLock { state in
                    guard let index = state.days.firstIndex(where: { $0.day == known.day }) else { return }
                    state.days[index].start = start
                }
            }
            guard case .at(let first) = start else { continue }
            if first <= range.upperBound { holding.append(known.day) }
            if first <= range.lowerBound { break }
        }
        return holding.reversed()
    }

    /// The ledger, then every day from the oldest: the name of each file, and how to read it when it is its turn.
    func backupFiles() -> [(name: String, reader: () throws -> (any DatabaseReader)?)] {
        let days = state.withLock { $0.days.map(\.day) }
        return [("ledger.db", { self.ledger })]
            + days.map { day in
                ("\(day).db", { try self.heldFile(of: day)?.database })
            }
    }

    /// Nil for a day that retention has dropped since it was listed.
    private func heldFile(of day: CivilDay) throws -> DayFile? {
        do {
            return try file(of: day)
        } catch {
            guard state.withLock({ state in state.days.contains { $0.day == day } }) else { return nil }
            throw error
        }
    }

    func file(of day: CivilDay) throws -> DayFile {
        let open = state.withLock { state -> DayFile? in
            if let newest = state.newest, newest.file.day == day { return newest.file }
            guard let index = state.older.firstIndex(where: { $0.file.day == day }) else { return nil }
            let found = state.older.remove(at: index)
            state.older.append(found)
            return found.file
        }
        if let open { return open }
        let queue = try SQLiteFile.openSettled(Self.path(day, in: folder), Self.daySchema)
        let file = DayFile(day: day, queue)
        // What falls out closes when its last reader is done.
        _ = state.withLock { state in
            state.older.append((file, queue))
            return state.older.count > Self.olderDaysOpen ? state.older.removeFirst() : nil
        }
        return file
    }
}

extension EventStoreError {
    init(_ error: DatabaseError, file: String) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .io("\(StorageError(error, file: file))")
        default: self = .refused("\(error)")
        }
    }

    /// The next day's file cannot be opened.
    init(_ error: StorageError) {
        if case .full = error { self = .full } else { self = .io("\(error)") }
    }
}
