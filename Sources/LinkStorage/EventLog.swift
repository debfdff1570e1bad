import Foundation
import GRDB
package import LinkEvents
package import LinkRouting
import Migrations
import Synchronization

/// The folder `events/`: one file per UTC day of commit, and the ledger. The writer is the only one who appends.
package final class EventLog: EventStore, ExportLedger {
    private let folder: String
    private let now: @Sendable () -> Timestamp
    private let ledger: DatabasePool
    private let state: Mutex<State>

    private struct State {
        /// Oldest first; the last one is written to.
        var days: [Day] = []
        var lastSequence: Int64 = 0
    }

    /// A file is opened when it is first needed: a start does not depend on how many days are kept.
    private struct Day: Sendable {
        let day: CivilDay
        var open: OpenDay?
    }

    private struct OpenDay: Sendable {
        let pool: DatabasePool
        /// Nil while the file is empty.
        var firstSequence: Int64?
    }

    private static let daySchema = SQLiteSchema(applicationID: 0x4650_4556, migrations: Migrations.events)
    private static let ledgerSchema = SQLiteSchema(applicationID: 0x4650_4C45, migrations: Migrations.ledger)

    /// Opens the log and finds the last sequence. `now` says which day a commit belongs to.
    package init(_ folder: String, now: @escaping @Sendable () -> Timestamp) throws {
        self.folder = folder
        self.now = now
        ledger = try SQLiteFile.open(folder + "/ledger.db", Self.ledgerSchema)
        var state = State(days: try Self.days(in: folder).map { Day(day: $0) })
        for index in state.days.indices.reversed() {
            let day = try Self.open(state.days[index].day, in: folder)
            state.days[index].open = day
            if let last = try day.pool.read({ try Int64.fetchOne($0, sql: "SELECT max(seq) FROM event") }) {
                state.lastSequence = last
                break
            }
        }
        // A day that retention dropped may have held the highest sequence; an edge never lies above what was committed.
        let edge = try ledger.read { try Int64.fetchOne($0, sql: "SELECT max(edge) FROM export_cursor") } ?? 0
        state.lastSequence = max(state.lastSequence, edge)
        self.state = Mutex(state)
    }

    private static func path(_ day: CivilDay, in folder: String) -> String { "\(folder)/\(day).db" }

    private static func days(in folder: String) throws -> [CivilDay] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { $0.hasSuffix(".db") ? CivilDay($0.dropLast(3)) : nil }.sorted()
    }

    private static func open(_ day: CivilDay, in folder: String) throws -> OpenDay {
        let pool = try SQLiteFile.open(path(day, in: folder), daySchema)
        return OpenDay(
            pool: pool,
            firstSequence: try pool.read { try Int64.fetchOne($0, sql: "SELECT min(seq) FROM event") }
        )
    }

    /// Checks the newest day file; run after an unclean stop, in the background.
    package func checkNewestDay() throws {
        guard let day = state.withLock({ $0.days.last }), let pool = day.open?.pool else { return }
        try SQLiteFile.quickCheck(pool, file: "events/\(day.day).db")
    }

    /// Brings every WAL into its file and closes.
    package func close() throws {
        let days = state.withLock { $0.days }
        for day in days { try day.open.map { try SQLiteFile.close($0.pool) } }
        try SQLiteFile.close(ledger)
    }

    // MARK: EventStore

    package func lastSequence() async throws -> Int64 { state.withLock { $0.lastSequence } }

    package func append(_ events: [Event]) async throws -> Int64 {
        let first = state.withLock { $0.lastSequence } + 1
        do {
            // The file is chosen once for the batch, so that no transaction spans two.
            try await currentDay().write { db in
                let insert = try db.cachedStatement(sql: EventRow.insertSQL)
                for (offset, event) in events.enumerated() {
                    try insert.execute(arguments: EventRow.arguments(event, sequence: first + Int64(offset)))
                }
            }
        } catch let error as DatabaseError {
            throw EventStoreError(error)
        } catch let error as StorageError {
            throw EventStoreError.io("\(error)")
        }
        state.withLock { state in
            state.lastSequence = first + Int64(events.count) - 1
            guard let newest = state.days.indices.last, state.days[newest].open?.firstSequence == nil else { return }
            state.days[newest].open?.firstSequence = first
        }
        return first
    }

    /// The file of today; a clock that steps back stays in the newest one, so that sequences rise from file to file.
    private func currentDay() throws -> DatabasePool {
        let today = now().day
        if let newest = state.withLock({ $0.days.last }), newest.day >= today { return try pool(of: newest).pool }
        let day = Day(day: today, open: try Self.open(today, in: folder))
        state.withLock { $0.days.append(day) }
        return try pool(of: day).pool
    }

    private func pool(of day: Day) throws -> OpenDay {
        if let open = day.open { return open }
        let opened = try Self.open(day.day, in: folder)
        return state.withLock { state in
            guard let index = state.days.firstIndex(where: { $0.day == day.day }) else { return opened }
            // Another reader may have been quicker; the one that stands is used by all.
            let open = state.days[index].open ?? opened
            state.days[index].open = open
            return open
        }
    }

    package func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        var days: [OpenDay] = []
        for day in state.withLock({ $0.days }).reversed() {
            let open = try pool(of: day)
            days.append(open)
            if let first = open.firstSequence, first <= range.lowerBound { break }
        }
        var found: [StoredEvent] = []
        for day in days.reversed() where found.count < limit {
            let rest = limit - found.count
            // One read transaction a page: a reader that never ends would keep the WAL from being checkpointed.
            found += try await day.pool.read { db in
                try Row.fetchAll(
                    db,
                    sql: "\(EventRow.selectSQL) WHERE tenant = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
                    arguments: [tenant.rawValue, range.lowerBound, range.upperBound, rest]
                ).map(EventRow.event)
            }
        }
        return found
    }

    // MARK: ExportLedger

    package func cursor(of tenant: TenantID, since now: Timestamp) async throws -> ExportCursor {
        try await ledger.write { db in
            try db.execute(
                sql: "INSERT INTO export_cursor (tenant, last_end, edge) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
                arguments: [tenant.rawValue, now.milliseconds]
            )
            return try Self.cursor(of: tenant, db)
        }
    }

    private static func cursor(of tenant: TenantID, _ db: Database) throws -> ExportCursor {
        guard
            let row = try Row.fetchOne(
                db,
                sql: "SELECT last_end, edge FROM export_cursor WHERE tenant = ?",
                arguments: [tenant.rawValue]
            )
        else { throw StorageError.corrupt(file: "events/ledger.db", detail: "tenant '\(tenant)' has no cursor") }
        return ExportCursor(lastEnd: Timestamp(milliseconds: row["last_end"]), edge: row["edge"])
    }

    package func cut(
        _ tenant: TenantID,
        end: Timestamp,
        edge: Int64,
        format: String,
        level: Int
    ) async throws -> ExportWindow {
        try await ledger.write { db in
            if let stored = try Self.windows(
                db,
                "WHERE tenant = ? AND window_end = ?",
                [tenant.rawValue, end.milliseconds]
            ).first {
                return stored
            }
            let cursor = try Self.cursor(of: tenant, db)
            // An edge never moves back; a window that got nothing new is empty.
            let last = max(edge, cursor.edge)
            try db.execute(
                sql: """
                    INSERT INTO export_window (tenant, window_end, window_start, first_seq, last_seq, format, level)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    tenant.rawValue, end.milliseconds, cursor.lastEnd.milliseconds, cursor.edge + 1, last, format,
                    level,
                ]
            )
            try db.execute(
                sql: "UPDATE export_cursor SET last_end = ?, edge = ? WHERE tenant = ?",
                arguments: [end.milliseconds, last, tenant.rawValue]
            )
            return ExportWindow(
                tenant: tenant,
                start: cursor.lastEnd,
                end: end,
                firstSequence: cursor.edge + 1,
                lastSequence: last,
                format: format,
                level: level
            )
        }
    }

    package func pending(_ tenant: TenantID) async throws -> [ExportWindow] {
        try await ledger.read { db in
            try Self.windows(db, "WHERE tenant = ? AND exported_at IS NULL ORDER BY window_end", [tenant.rawValue])
        }
    }

    package func markExported(_ window: ExportWindow, at now: Timestamp) async throws {
        try await ledger.write { db in
            try db.execute(
                sql:
                    "UPDATE export_window SET exported_at = ? WHERE tenant = ? AND window_end = ? AND exported_at IS NULL",
                arguments: [now.milliseconds, window.tenant.rawValue, window.end.milliseconds]
            )
        }
    }

    private static func windows(
        _ db: Database,
        _ condition: String,
        _ arguments: StatementArguments
    ) throws -> [ExportWindow] {
        try Row.fetchAll(db, sql: "SELECT * FROM export_window \(condition)", arguments: arguments).map { row in
            guard let tenant = TenantID(row["tenant"] as String) else {
                throw StorageError.corrupt(file: "events/ledger.db", detail: "a window has no readable tenant")
            }
            return ExportWindow(
                tenant: tenant,
                start: Timestamp(milliseconds: row["window_start"]),
                end: Timestamp(milliseconds: row["window_end"]),
                firstSequence: row["first_seq"],
                lastSequence: row["last_seq"],
                format: row["format"],
                level: row["level"]
            )
        }
    }
}

extension EventStoreError {
    init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .io("\(error)")
        default: self = .refused("\(error)")
        }
    }
}
