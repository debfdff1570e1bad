import Foundation
import GRDB
import LinkEvents
import LinkRouting

/// Reads the log in its order, for the copy of it in PostgreSQL.
extension EventLog {
    /// Returns the next events between two sequences, all of one day; nil if there are none. The rows of a range take about
    /// `bytes`, and one row may take more.
    package func range(
        after sequence: Int64,
        through end: Int64 = .max,
        limit: Int,
        bytes: Int
    ) async throws -> LogRange? {
        guard sequence < end else { return nil }
        for day in try days(holding: (sequence + 1)...end) {
            guard let file = try heldFile(of: day) else { continue }
            let found = try await file.events(after: sequence, through: end, limit: limit, bytes: bytes)
            guard let last = found.events.last else { continue }
            let erased = try await ledger.read { db in
                try Int64.fetchSet(
                    db,
                    sql: "SELECT seq FROM erased WHERE seq BETWEEN ? AND ?",
                    arguments: [sequence + 1, last.sequence]
                )
            }
            return LogRange(
                day: day,
                first: sequence + 1,
                events: found.events,
                reports: found.reports,
                // A row that is being erased is listed before it is deleted.
                erased: erased.subtracting(found.events.map(\.sequence)),
                hasMore: found.isFull || day != allDays().last
            )
        }
        return nil
    }

    /// Whether the log has had an event at a position. Nobody can tell for rows that retention has dropped: then it has.
    package func has(_ position: LogPosition) async throws -> Bool {
        let sequence = position.sequence
        guard sequence > 0 else { return true }
        guard sequence <= knownSequence() else { return false }
        for day in try days(holding: sequence...sequence) {
            guard let file = try heldFile(of: day) else { continue }
            if let found = try await file.eventID(at: sequence) { return "\(found)" == position.event }
        }
        let erased = try await ledger.read { db in
            try StoredValue.fetchOne(db, sql: "SELECT event FROM erased WHERE seq = ?", arguments: [sequence])
        }
        return erased.map { EventRow.id($0).map { "\($0)" } == position.event } ?? true
    }

    /// Returns under which id the log is shipped, for the process that now begins to. Durable on return: the nonce is not used
    /// before.
    ///
    /// - Parameters:
    ///   - nonce: A random text.
    ///   - begun: If not nil, the log gets another id than before, which `nonce` becomes, for what was recorded after it.
    package func identify(nonce: String, asNewAfter begun: LogPosition? = nil) async throws -> LogIdentity {
        try await ledger.storing { db in
            let before = try Self.identities(db).last
            let log = begun == nil ? before?.log ?? nonce : nonce
            let begun = begun ?? before?.begun ?? .start
            try db.execute(
                sql: "INSERT INTO shipped_as (log, nonce, begun_seq, begun_event) VALUES (?, ?, ?, ?)",
                arguments: [log, nonce, begun.sequence, begun.event]
            )
            try db.execute(
                sql: "DELETE FROM shipped_as WHERE number <= (SELECT max(number) FROM shipped_as) - ?",
                arguments: [Self.mostNonces]
            )
            return try Self.identities(db).last ?? LogIdentity(log: log, nonces: [nonce], begun: begun)
        }
    }

    /// The ids of the log, oldest first, each with those before it.
    private static func identities(_ db: Database) throws -> [LogIdentity] {
        var identities: [LogIdentity] = []
        for row in try Row.fetchAll(db, sql: "SELECT * FROM shipped_as ORDER BY number") {
            let log: String = row["log"]
            let last = identities.last?.log == log ? identities.popLast() : nil
            identities.append(
                LogIdentity(
                    log: log,
                    nonces: (last?.nonces ?? []) + [row["nonce"]],
                    begun: LogPosition(sequence: row["begun_seq"], event: row["begun_event"]),
                    earlier: identities
                )
            )
        }
        return identities
    }

    /// The id under which the log is shipped; nil before it was.
    package func shippedAs() async throws -> String? {
        try await ledger.read { db in
            try String.fetchOne(db, sql: "SELECT log FROM shipped_as ORDER BY number DESC LIMIT 1")
        }
    }

    /// How many starts a failover may take back.
    private static let mostNonces = 1_000
}

extension DayFile {
    fileprivate func events(
        after sequence: Int64,
        through end: Int64,
        limit: Int,
        bytes: Int
    ) async throws -> (events: [StoredEvent], reports: [Int64: Bytes16], isFull: Bool) {
        try await database.read { db in
            let texts = try self.texts.all(db)
            let select = try db.cachedStatement(
                sql: "\(EventRow.selectSQL) WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
            )
            let rows = try Row.fetchCursor(select, arguments: [sequence, end, limit])
            var (events, size) = ([StoredEvent](), 0)
            while size < bytes, let row = try rows.next() {
                let event = try EventRow.event(row, texts: texts)
                events.append(event)
                size += event.event.byteCount
            }
            let hashes = try Row.fetchAll(
                db,
                sql: "SELECT seq, hash FROM client_event WHERE seq BETWEEN ? AND ?",
                arguments: [sequence + 1, events.last?.sequence ?? sequence]
            )
            let reports = hashes.compactMap { row in
                Bytes16(Array(row["hash"] as Data)).map { (row["seq"] as Int64, $0) }
            }
            return (events, Dictionary(reports) { first, _ in first }, events.count == limit || size >= bytes)
        }
    }

    fileprivate func eventID(at sequence: Int64) async throws -> RecordedID? {
        try await database.read { db in
            try StoredValue.fetchOne(db, sql: "SELECT id FROM event WHERE seq = ?", arguments: [sequence])
                .flatMap(EventRow.id)
        }
    }
}

extension EventRow {
    /// Reads a stored id; nil for what is none.
    static func id(_ stored: StoredValue) -> RecordedID? {
        switch stored {
        case .text(let text): RecordedID(text)
        case .bytes(let bytes): Bytes16(bytes).map { RecordedID(uuid: $0) }
        case .integer, .real: nil
        }
    }
}
