import GRDB
package import LinkEvents
package import LinkRouting
import Synchronization

/// Reads events by sequence.
extension EventLog {
    private static let olderDaysOpen = 4

    /// Returns the highest sequence that was exported, erased, or known when an install was erased.
    func sequenceInLedger() throws -> Int64 {
        try ledger.read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT max(ifnull((SELECT max(edge) FROM export_cursor), 0),
                        ifnull((SELECT max(last_seq) FROM erasure), 0), ifnull((SELECT max(seq) FROM erased), 0))
                    """
            )
        } ?? 0
    }

    /// The sequences that the ledger knows and that were in no file when the log was opened: the newest day file was
    /// removed. Nil if there are none.
    package var missing: ClosedRange<Int64>? { state.withLock(\.missing) }

    package func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] {
        var found: [StoredEvent] = []
        for day in try days(holding: range) where found.count < limit {
            let rest = limit - found.count
            // One read transaction per page: a reader that never ends would keep the WAL from being checkpointed.
            guard let file = try heldFile(of: day) else { continue }
            found += try await file.events(of: tenant, in: range, .oldestFirst, limit: rest)
        }
        return found
    }

    package func end() async throws -> LogCursor { LogCursor(knownSequence()) }

    package func end(of day: CivilDay) async throws -> LogCursor? {
        try await ledger.read { db in
            try Int64.fetchOne(
                db,
                sql: "SELECT last_seq + 1 FROM day WHERE day >= ? ORDER BY day LIMIT 1",
                arguments: [day.daysSince1970]
            )
        }.map { LogCursor($0) }
    }

    package func nodes() -> [ShippedNode] { [] }

    package func events(of tenant: TenantID, after cursor: LogCursor, limit: Int) async throws -> [StoredEvent] {
        let (after, last) = (cursor[LogCursor.ownLog] ?? 0, knownSequence())
        guard after < last else { return [] }
        return try await events(of: tenant, in: (after + 1)...last, limit: limit)
    }

    package func event(at sequence: Int64, of tenant: TenantID) async throws -> StoredEvent? {
        try await events(of: tenant, in: sequence...sequence, limit: 1).first
    }

    package func events(
        of tenant: TenantID,
        before cursor: LogCursor,
        since day: CivilDay,
        limit: Int
    ) async throws -> [StoredEvent] {
        var found: [StoredEvent] = []
        let sequence = cursor[LogCursor.ownLog] ?? .max
        guard sequence > 1 else { return found }
        let range = 1...(sequence - 1)
        for day in try days(holding: range, since: day).reversed() where found.count < limit {
            let rest = limit - found.count
            guard let file = try heldFile(of: day) else { continue }
            found += try await file.events(of: tenant, in: range, .newestFirst, limit: rest)
        }
        return found
    }

    package func event(_ id: RecordedID, of tenant: TenantID) async throws -> StoredEvent? {
        guard let (bytes, time) = id.timed else { return nil }
        // An event may be committed on the other side of the midnight that its id is close to.
        for day in allDays() where abs(day.daysSince1970 - time.day.daysSince1970) <= 1 {
            guard let file = try heldFile(of: day) else { continue }
            if let found = try await file.event(bytes, at: time, of: tenant) { return found }
        }
        return nil
    }

    /// Returns the days that hold sequences of the range, oldest first. Opens a day once to find its first sequence.
    func days(holding range: ClosedRange<Int64>, since first: CivilDay = .first) throws -> [CivilDay] {
        var holding: [CivilDay] = []
        for known in state.withLock({ $0.days }).reversed() where known.day >= first {
            var start = known.start
            if start == .unknown {
                guard let found = try knownStart(of: known.day) else { continue }
                start = found
            }
            guard case .at(let first) = start else { continue }
            if first <= range.upperBound { holding.append(known.day) }
            if first <= range.lowerBound { break }
        }
        return holding.reversed()
    }

    /// Returns the day's start; nil if retention has dropped the day since it was listed.
    private func knownStart(of day: CivilDay) throws -> Start? {
        if damaged[day] == nil {
            do {
                guard let file = try heldFile(of: day) else { return nil }
                let start = try Self.start(file.database)
                setStart(start, of: day)
                return start
            } catch  where damaged[day] != nil {}
        }
        return try startOfDamaged(day)
    }

    /// Returns the files to back up: the ledger, then every day, oldest first. Each has a name and a closure that opens
    /// it when its turn comes. The closure returns nil if retention has dropped the day in the meantime.
    func backupFiles() -> [(name: String, file: () throws -> StorageFile?)] {
        let days = state.withLock { $0.days.map(\.day) }
        return [("ledger.db", { self.ledger })]
            + days.map { day in
                ("\(day).db", { try self.heldFile(of: day)?.database })
            }
    }

    /// Returns the day's file; nil if retention has dropped the day since it was listed.
    func heldFile(of day: CivilDay) throws -> DayFile? {
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
        let queue = try openOlder(day)
        let file = DayFile(day: day, storageFile(queue, of: day))
        // An evicted file closes when its last reader is done.
        _ = state.withLock { state in
            state.older.append((file, queue))
            return state.older.count > Self.olderDaysOpen ? state.older.removeFirst() : nil
        }
        return file
    }

    private func openOlder(_ day: CivilDay) throws -> DatabaseQueue {
        do {
            return try SQLiteFile.openFinished(Self.path(day, in: folder), Self.daySchema)
        } catch let error as StorageError {
            if error.isDamage { damaged.note(error, on: day) }
            throw error
        }
    }
}
