import Dispatch
import Foundation
import GRDB
package import LinkEvents
package import LinkRouting
import Migrations
import Synchronization

/// The `events/` directory: one SQLite file per UTC day of commit, and the ledger.
///
/// Only the newest day is written to. It is opened as a `DatabasePool`, so that readers never block the writer. Older
/// days are opened on demand and only a few stay open. A start normally reads only their headers, so neither a start
/// nor a long run depends on how many days are retained.
package final class EventLog: EventStore, EventHistory {
    let folder: String
    let now: @Sendable () -> Timestamp
    let ledger: StorageFile
    /// The export windows, which `ledger.db` stores beside the closed days.
    package let exportLedger: StoredExportLedger
    /// The webhook deliveries, which `ledger.db` stores beside the closed days.
    package let webhookQueue: StoredWebhookQueue
    private let ledgerPool: DatabasePool
    let damaged: DamagedDays
    let state: Mutex<State>
    /// Callers wait on this serial queue for the writer, so that they block no thread that answers requests.
    private let waiting = DispatchQueue(label: "fingerpost.log.waiting")
    /// A serial queue that checkpoints the WALs of finished days while the writer continues in the next file.
    private let checkpointing = DispatchQueue(label: "fingerpost.log.checkpoints")

    struct State {
        /// Oldest first; sequences rise from day to day.
        var days: [Day] = []
        /// The last of `days`; nil until a new log's first append.
        var newest: (file: DayFile, pool: DatabasePool)?
        /// The older days read last, the most recently read at the end.
        var older: [(file: DayFile, queue: DatabaseQueue)] = []
        var lastSequence: Int64 = 0
        var missing: ClosedRange<Int64>?
    }

    /// The writer of the newest day, used by one thread at a time.
    private let today = Mutex<DayFileWriter?>(nil)

    struct Day {
        let day: CivilDay
        var start = Start.unknown
    }

    /// The sequence that a day begins with.
    enum Start: Equatable {
        case unknown
        case empty
        case at(Int64)
    }

    static let daySchema = SQLiteSchema(
        applicationID: 0x4650_4556,
        migrations: Migrations.events,
        givesPagesBack: true
    )
    static let ledgerSchema = SQLiteSchema(applicationID: 0x4650_4C45, migrations: Migrations.ledger)

    /// Opens the log and finds the last sequence. Throws `StorageError`, such as `.missing` when there are day files
    /// but no ledger.
    ///
    /// - Parameters:
    ///   - now: The clock that determines the day of a commit.
    ///   - tell: Called once for each damaged day.
    package init(
        _ folder: String,
        now: @escaping @Sendable () -> Timestamp,
        telling tell: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.now = now
        let hasDays = try FileManager.default.contentsOfDirectory(atPath: folder)
            .contains { $0.hasSuffix(".db") && CivilDay($0.dropLast(3)) != nil }
        if hasDays, access(folder + "/ledger.db", F_OK) != 0, access(folder + "/ledger.db-wal", F_OK) != 0 {
            // A new ledger would not know what was exported, erased and dropped, and days would be counted twice.
            throw StorageError.missing(file: folder + "/ledger.db", detail: "day files exist")
        }
        ledgerPool = try SQLiteFile.open(folder + "/ledger.db", Self.ledgerSchema)
        ledger = StorageFile(folder + "/ledger.db", ledgerPool)
        exportLedger = StoredExportLedger(ledger)
        webhookQueue = StoredWebhookQueue(ledger)
        damaged = DamagedDays(tell: tell)
        state = Mutex(State(days: try Self.days(in: folder, ledger).map { Day(day: $0) }))
        try inspectOlderDays()
        try openNewestDay()
        try findLastSequence()
    }

    /// Checks the header of each finished day and records damage, so that one damaged file does not prevent a start.
    private func inspectOlderDays() throws {
        for day in finishedDays() {
            do {
                try SQLiteHeader.inspect(Self.path(day, in: folder), Self.daySchema)
            } catch let error as StorageError {
                damaged.note(error, on: day)
            }
        }
    }

    private func openNewestDay() throws {
        guard let day = allDays().last else { return }
        let path = Self.path(day, in: folder)
        let pool = try SQLiteFile.open(path, Self.daySchema)
        state.withLock { $0.newest = (DayFile(day: day, storageFile(pool, of: day)), pool) }
        today.withLock { $0 = DayFileWriter(day, pool) }
    }

    /// Sets the last assigned sequence, taken from the ledger and the newest day that has had rows.
    private func findLastSequence() throws {
        // A day that retention dropped may have held the highest sequence.
        var last = try ledger.read { try Int64.fetchOne($0, sql: "SELECT max(last_seq) FROM day") } ?? 0
        for day in allDays().reversed() {
            if let damage = damaged[day] {
                // The ledger holds the last sequence of a closed day. For an open day it is unknown, and nothing may be
                // appended.
                guard try isClosed(day) else { throw damage }
                break
            }
            let file = try file(of: day)
            let (start, found) = (try Self.start(file.database), try Self.lastSequence(file.database))
            setStart(start, of: day)
            last = max(last, found)
            if found > 0 { break }
        }
        // Sequences of a missing file are not assigned again.
        let told = try sequenceInLedger()
        state.withLock { [last] in
            $0.lastSequence = max(last, told)
            if told > last { $0.missing = last + 1...told }
        }
    }

    private func isClosed(_ day: CivilDay) throws -> Bool {
        try ledger.read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM day WHERE day = ?)",
                arguments: [day.daysSince1970]
            ) ?? false
        }
    }

    func setStart(_ start: Start, of day: CivilDay) {
        state.withLock { state in
            guard let index = state.days.firstIndex(where: { $0.day == day }) else { return }
            state.days[index].start = start
        }
    }

    func storageFile(_ writer: any DatabaseWriter, of day: CivilDay) -> StorageFile {
        StorageFile(Self.path(day, in: folder), writer) { [damaged] failure in
            if failure.isDamage { damaged.note(failure, on: day) }
        }
    }

    static func path(_ day: CivilDay, in folder: String) -> String { "\(folder)/\(day).db" }

    /// Returns the days that have files, oldest first. Deletes files of dropped days that a crash left behind.
    private static func days(in folder: String, _ ledger: StorageFile) throws -> [CivilDay] {
        let dropped = try ledger.read {
            Set(try Int64.fetchAll($0, sql: "SELECT day FROM day WHERE dropped_at IS NOT NULL"))
        }
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        for name in names where name.hasSuffix(".db-wal") && !names.contains(String(name.dropLast(4))) {
            // The day's rows would be missing, and their sequences would be assigned again.
            guard let day = CivilDay(name.dropLast(7)), !dropped.contains(day.daysSince1970) else { continue }
            throw StorageError.corrupt(file: path(day, in: folder), detail: "it is missing, but its -wal file exists")
        }
        return try names.compactMap { $0.hasSuffix(".db") ? CivilDay($0.dropLast(3)) : nil }.sorted()
            .filter { day in
                guard dropped.contains(day.daysSince1970) else { return true }
                try removeFile(of: day, in: folder)
                return false
            }
    }

    static func start(_ reader: StorageFile) throws -> Start {
        // Prefers the rollups to the rows: the first rows may have been erased.
        let sql = "SELECT ifnull((SELECT min(first_seq) FROM tenant_rows), (SELECT min(seq) FROM event))"
        return try reader.read { try Int64.fetchOne($0, sql: sql) }.map(Start.at) ?? .empty
    }

    /// Returns the day's last sequence; 0 when the day has had no rows. Includes the `counted` watermark, because the
    /// last rows may have been erased.
    static func lastSequence(_ reader: StorageFile) throws -> Int64 {
        let sql = "SELECT max((SELECT seq FROM counted), (SELECT ifnull(max(seq), 0) FROM event))"
        return try reader.read { try Int64.fetchOne($0, sql: sql) } ?? 0
    }

    /// Runs SQLite's `quick_check` on the newest day file and throws `StorageError` when it is damaged. Blocks while it
    /// reads the whole file. Intended for a background thread after an unclean stop.
    package func checkNewestDay() throws {
        guard let newest = state.withLock({ $0.newest }) else { return }
        try SQLiteFile.quickCheck(newest.pool, file: Self.path(newest.file.day, in: folder))
    }

    /// Waits for the append in progress, then throws unless its connection syncs every commit.
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

    /// Checkpoints every WAL and closes the files. Nothing may be appended or read afterwards.
    package func close() throws {
        try checkpointing.sync {
            try today.withLock { today in
                do {
                    try today?.writeCounts()
                } catch StorageError.full {
                    // The disk is full. The next start counts the rows that are not counted yet.
                } catch let error as DatabaseError {
                    throw StorageError(error, file: today.map { Self.path($0.day, in: folder) } ?? folder)
                }
                today = nil
                let (newest, older) = state.withLock { ($0.newest, $0.older) }
                for day in older { try day.queue.close() }
                if let newest { try SQLiteFile.close(newest.pool) }
                try SQLiteFile.close(ledgerPool)
            }
        }
    }

    // MARK: Writing

    package func lastSequence() async throws -> Int64 { knownSequence() }

    package func knownSequence() -> Int64 { state.withLock { $0.lastSequence } }

    /// Blocks the caller's thread on disk I/O; the recorder calls it on a thread that answers no requests. GRDB's
    /// asynchronous writes are not used, because cancelling the caller's task interrupts them: a stopping server still
    /// writes the events that it has accepted.
    package func append(_ events: [Event]) async throws -> Appended {
        try today.withLock { today in
            let first = state.withLock { $0.lastSequence } + 1
            guard !events.isEmpty else { return Appended(first: first) }
            // The file is chosen once per batch, so that no transaction spans two files.
            try rotateIfNeeded(&today)
            guard let day = today?.day else { preconditionFailure("rotateIfNeeded() opens a file if there is none") }
            var duplicates: [Int] = []
            do {
                let hashes = Set(events.lazy.compactMap(\.content.reportHash))
                let reported = try reportedEarlier(hashes)
                duplicates = try today?.append(events, from: first, besides: reported) ?? []
            } catch let error as StorageError {
                throw EventStoreError(error)
            } catch let error as DatabaseError {
                throw EventStoreError(error, file: Self.path(day, in: folder))
            }
            let appended = Appended(first: first, duplicates: duplicates)
            guard duplicates.count < events.count else { return appended }
            state.withLock { state in
                state.lastSequence = first + Int64(events.count - duplicates.count) - 1
                guard let index = state.days.lastIndex(where: { $0.day == day }), state.days[index].start == .empty
                else {
                    return
                }
                state.days[index].start = .at(first)
            }
            return appended
        }
    }

    /// Switches to today's file. If the clock steps back, stays with the newest file, so that sequences rise from file
    /// to file.
    private func rotateIfNeeded(_ today: inout DayFileWriter?) throws {
        let date = now().day
        if let today, today.day >= date { return }
        do {
            // Counts are written first, so that only the newest file ever has uncounted rows.
            try today?.writeCounts()
            let pool = try SQLiteFile.open(Self.path(date, in: folder), Self.daySchema)
            let before = today?.pool
            today = DayFileWriter(date, pool)
            state.withLock { state in
                state.days.append(Day(day: date, start: .empty))
                state.newest = (DayFile(day: date, storageFile(pool, of: date)), pool)
            }
            if let before { checkpointing.async { Self.checkpoint(before) } }
        } catch let error as StorageError {
            throw EventStoreError(error)
        } catch let error as DatabaseError {
            throw EventStoreError(error, file: Self.path(today?.day ?? date, in: folder))
        }
    }

    /// Writes the rollups up to the last row. Waits for the append in progress.
    func writeCounts() throws { try today.withLock { try $0?.writeCounts() } }

    /// Runs `body`, which changes the texts of a day file. Blocks the writer meanwhile and discards its text cache.
    func forgettingTexts(of day: CivilDay, _ body: () throws -> Void) throws {
        // Finished days are never written to again.
        guard state.withLock({ $0.days.last?.day == day }) else { return try body() }
        try today.withLock { today in
            if today?.day == day { today?.forget() }
            try body()
        }
    }

    /// Checkpoints the WAL of a finished day; readers of the pool may continue. A failure loses nothing: what cannot be
    /// checkpointed now stays in the WAL and is read from there.
    private static func checkpoint(_ pool: DatabasePool) {
        try? SQLiteFile.checkpoint(pool)
    }

    /// Switches to today's file if the newest file belongs to an earlier day. Does nothing for a log without files.
    func rotate() async throws {
        try await withCheckedThrowingContinuation { continuation in
            waiting.async {
                continuation.resume(
                    with: Result {
                        try self.today.withLock { today in
                            if today != nil { try self.rotateIfNeeded(&today) }
                        }
                    }
                )
            }
        }
    }

    /// The days that receive no more events, oldest first.
    func finishedDays() -> [CivilDay] { state.withLock { $0.days.dropLast().map(\.day) } }

    /// All days, oldest first.
    func allDays() -> [CivilDay] { state.withLock { $0.days.map(\.day) } }

    /// Removes the file of a finished day. Open readers may continue.
    func removeFile(of day: CivilDay) throws {
        state.withLock { state in
            state.days.removeAll { $0.day == day }
            state.older.removeAll { $0.file.day == day }
        }
        try Self.removeFile(of: day, in: folder)
        damaged.forget(day)
    }

    private static func removeFile(of day: CivilDay, in folder: String) throws {
        let path = path(day, in: folder)
        for ending in ["", "-wal", "-shm"] where unlink(path + ending) != 0 && errno != ENOENT {
            throw StorageError.unusable(path + ending, errno)
        }
        do {
            try Folder.sync(folder)
        } catch {
            throw StorageError.io(file: path, detail: "\(error)")
        }
    }

    /// Runs long blocking work on the serial checkpoint queue, beside the writer.
    func onCheckpointQueue<Result: Sendable>(
        _ body: @escaping @Sendable (EventLog) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            checkpointing.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    /// Returns when the queued checkpoints of finished days are done.
    func finishCheckpoints() { checkpointing.sync {} }
}

extension EventStoreError {
    init(_ error: DatabaseError, file: String) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .io("\(StorageError(error, file: file))")
        default: self = .refused("\(error)")
        }
    }

    /// Maps a full disk to `.full` and other failures, such as a day file that cannot be opened, to `.io`.
    init(_ error: StorageError) {
        if case .full = error { self = .full } else { self = .io("\(error)") }
    }
}
