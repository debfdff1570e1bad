import LinkEvents
package import LinkRouting
package import LinkStorage
import Synchronization

/// The copies of nodes' logs in PostgreSQL.
///
/// A range of rows is stored only if it continues exactly what is there. Its rows, their counts and the log's new position
/// are one transaction, which locks the log's own row and no other. So a range that is sent again does no harm, and what a
/// failover takes back is sent again.
package final class LogCopy: Sendable {
    let store: PostgresStore
    /// The values that have a counter of their own, as far as they are known. Only this node writes them.
    private let places = Mutex(ValuePlaces())
    /// The days that have a partition.
    private let days = Mutex<Set<CivilDay>>([])

    package init(_ store: PostgresStore) { self.store = store }

    /// Why rows are not taken.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        /// Another process ships this log: one of them runs on a copied disk.
        case foreign(log: String)
        /// The copy ends elsewhere.
        case moved(to: LogPosition)
        /// The log has not been shipped before, and nobody has said of which node it is.
        case unnamed

        package var description: String {
            switch self {
            case .foreign(let log):
                "another process ships the log \(log) too: this disk is a copy, or was set back. Nothing is shipped; stop this "
                    + "node and run 'fingerpost fleet rejoin' for its data directory."
            case .moved(let position): "the copy of the log ends at \(position.sequence)."
            case .unnamed: "nothing of this log was shipped yet: name its node by --node."
            }
        }
    }

    /// Announces the process that ships a log, if the copy is one of it. Returns where the copy ends.
    ///
    /// - Parameters:
    ///   - node: The name of its node; nil to leave that of a log that is known.
    ///   - has: Whether the log has had the event at a position. A copied disk that has not changes nothing.
    /// - Throws: ``Refusal``, or what the store throws.
    package func claim(
        _ log: LogIdentity,
        node: String?,
        has: (LogPosition) async throws -> Bool
    ) async throws -> LogPosition {
        forget()
        let found = try await store.read { db in try Self.place(of: log, db, sql: Self.select) }
        if let found { guard try await has(found) else { throw Refusal.foreign(log: log.log) } }
        return try await store.shipping { db in
            guard let place = try Self.place(of: log, db, sql: "\(Self.select) FOR UPDATE") else {
                guard let node else { throw Refusal.unnamed }
                try Self.insert(log, node: node, db)
                return log.begun
            }
            guard place == found else { throw Refusal.moved(to: place) }
            try db.execute(
                sql: "UPDATE shipped_log SET nonce = ?, node = coalesce(?, node) WHERE id = ?",
                arguments: [log.nonces.last, node, log.log]
            )
            return place
        }
    }

    private static let select = "SELECT nonce, last_seq, last_event FROM shipped_log WHERE id = ?"

    /// Returns where the copy of a log ends; nil if there is none. Throws if a process with another nonce ships it.
    private static func place(of log: LogIdentity, _ db: any SQLDatabase, sql: String) throws -> LogPosition? {
        guard let row = try SQLRow.fetchOne(db, sql: sql, arguments: [log.log]) else { return nil }
        guard log.nonces.contains(try row["nonce"]) else { throw Refusal.foreign(log: log.log) }
        return LogPosition(sequence: try row["last_seq"], event: try row["last_event"])
    }

    private static func insert(_ log: LogIdentity, node: String, _ db: PostgresConnection) throws {
        let begun = log.begun
        try db.execute(
            sql: """
                INSERT INTO shipped_log (id, node, nonce, begun_seq, begun_event, last_seq, last_event, last_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                log.log, node, log.nonces.last, begun.sequence, begun.event, begun.sequence, begun.event,
            ]
        )
    }

    /// Returns where the copy of a log ends, and the nonce of the process that ships it; nil if there is none.
    func end(of log: LogIdentity) async throws -> (position: LogPosition, nonce: String)? {
        try await store.read { db in
            try SQLRow.fetchOne(db, sql: Self.select, arguments: [log.log]).map { row in
                (LogPosition(sequence: try row["last_seq"], event: try row["last_event"]), try row["nonce"])
            }
        }
    }

    /// Stores a range of a log that the caller has claimed.
    ///
    /// - Parameter position: Where the copy ends, as the caller knows it.
    /// - Throws: ``Refusal``, or what the store throws. After other errors than a refusal, claim again.
    package func ship(_ range: LogRange, of log: LogIdentity, after position: LogPosition) async throws {
        guard range.first == position.sequence + 1 else { throw Refusal.moved(to: position) }
        do {
            try await addPartition(for: range.day)
            try await store.shipping { db in
                let number = try Self.lock(log, at: position, db)
                let events = try Self.withoutErased(range.events, db)
                let duplicates = try Self.insertReports(of: events, in: range, db)
                let rows = try CopiedRows.text(of: events, in: number, on: range.day, duplicates: duplicates)
                try db.copy(CopiedRows.statement, rows)
                var counts = RangeCounts()
                counts.add(events.filter { !duplicates.contains($0.sequence) }.map(\.event))
                try self.places.withLock { try counts.add(to: db, log: number, places: &$0) }
                try Self.move(number, to: range, rows: events.count, duplicates: duplicates.count, db)
            }
        } catch {
            // What was remembered may have been rolled back.
            forget()
            throw error
        }
    }

    /// Says that everything that a log has had until `now` is stored. Throws ``Refusal``, or what the store throws.
    package func confirm(_ log: LogIdentity, at position: LogPosition, now: Timestamp) async throws {
        try await store.shipping { db in
            let number = try Self.lock(log, at: position, db)
            try db.execute(
                sql: "UPDATE shipped_log SET last_at = ? WHERE number = ?",
                arguments: [now.milliseconds, number]
            )
        }
    }

    func forget() {
        places.withLock { $0 = ValuePlaces() }
        days.withLock { $0 = [] }
    }

    private func addPartition(for day: CivilDay) async throws {
        guard !days.withLock({ $0.contains(day) }) else { return }
        try await store.shipping { try $0.execute(sql: "SELECT add_event_day(?)", arguments: ["\(day)"]) }
        days.withLock { _ = $0.insert(day) }
    }

    /// Locks the log's row and returns its number. The check that makes a repetition harmless.
    private static func lock(_ log: LogIdentity, at position: LogPosition, _ db: PostgresConnection) throws -> Int64 {
        let row = try SQLRow.fetchOne(
            db,
            sql: "SELECT number, nonce, last_seq, last_event FROM shipped_log WHERE id = ? FOR UPDATE",
            arguments: [log.log]
        )
        guard let row else { throw Refusal.moved(to: .start) }
        guard try row["nonce"] == log.nonces.last else { throw Refusal.foreign(log: log.log) }
        let end = LogPosition(sequence: try row["last_seq"], event: try row["last_event"])
        guard end == position else { throw Refusal.moved(to: end) }
        return try row["number"]
    }

    /// Returns the sequences of reports that another log has stored already.
    private static func insertReports(
        of events: [StoredEvent],
        in range: LogRange,
        _ db: PostgresConnection
    ) throws -> Set<Int64> {
        let reports = events.compactMap { event in
            range.reports[event.sequence].map { ($0.text(.digits), event.sequence) }
        }
        guard !reports.isEmpty else { return [] }
        let hashes = Dictionary(reports) { first, _ in first }
        let new = try String.fetchAll(
            db,
            // In their order, so that two nodes wait for each other in one order.
            sql: """
                INSERT INTO reported_event (hash, day) SELECT decode(h, 'hex'), ?::date FROM unnest(?::text[]) h ORDER BY h
                ON CONFLICT DO NOTHING RETURNING encode(hash, 'hex')
                """,
            arguments: ["\(range.day)", "{\(hashes.keys.sorted().joined(separator: ","))}"]
        )
        return Set(hashes.values).subtracting(new.compactMap { hashes[$0] })
    }

    private static func move(_ log: Int64, to range: LogRange, rows: Int, duplicates: Int, _ db: PostgresConnection)
        throws
    {
        let end = range.end
        try db.execute(
            sql: """
                INSERT INTO shipped_day (log, day, first_seq, last_seq, rows, duplicates, absent) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (log, day) DO UPDATE SET last_seq = excluded.last_seq, rows = shipped_day.rows + excluded.rows,
                    duplicates = shipped_day.duplicates + excluded.duplicates, absent = shipped_day.absent + excluded.absent
                """,
            arguments: [
                log, "\(range.day)", range.first, end.sequence, rows, duplicates,
                end.sequence - range.first + 1 - Int64(rows),
            ]
        )
        for gap in range.dropped {
            try db.execute(
                sql: "INSERT INTO shipping_gap (log, first_seq, last_seq) VALUES (?, ?, ?)",
                arguments: [log, gap.lowerBound, gap.upperBound]
            )
        }
        try db.execute(
            sql: "UPDATE shipped_log SET last_seq = ?, last_event = ?, last_at = ? WHERE number = ?",
            arguments: [end.sequence, end.event, range.events.last?.event.recordedAt.milliseconds, log]
        )
    }
}
