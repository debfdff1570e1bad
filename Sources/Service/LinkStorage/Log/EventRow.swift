import GRDB
import LinkEvents
import LinkRouting

/// Maps an event to a row of a day file, see m0001_events.sql.
enum EventRow {
    private static let columns = EventColumn.all
    private static let names = columns.map(\.name).joined(separator: ", ")

    /// The columns that may hold the number of a text in the dictionary.
    static let textColumns = columns.filter { $0.storage == .shared || $0.storage == .key }.map(\.name)

    static let insertSQL = """
        INSERT INTO event (\(names))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let selectSQL = "SELECT \(names) FROM event"

    // MARK: Writing

    /// Runs ``insertSQL`` for each event. Inserts texts that are new to the dictionary into the file first.
    static func insert(
        _ events: [Event],
        from first: Int64,
        with row: inout RowBinder,
        texts: inout TextDictionary,
        _ db: Database
    ) throws {
        try Event.forEachValue(of: events, from: first) { value, storage in
            switch value {
            case .null: row.null()
            case .integer(let number): row.int(number)
            case .bytes(let bytes): row.blob(bytes)
            case .text(let text):
                switch storage {
                case .integer, .row, .bytes: row.text(text)
                case .shared:
                    if let number = try texts.number(of: text, in: row.count, db) {
                        row.int(number)
                    } else {
                        row.text(text)
                    }
                case .key: row.int(try texts.requiredNumber(of: text, db))
                }
            }
        } end: {
            try row.run()
        }
    }

    // MARK: Reading

    /// Decodes a row of ``selectSQL``.
    static func event(_ row: Row, texts: [String]) throws -> StoredEvent {
        var values: [EventValue] = []
        values.reserveCapacity(columns.count)
        for column in columns {
            guard let value = value(row[values.count], in: column, texts) else { throw broken(row, column) }
            values.append(value)
        }
        do {
            return try StoredEvent(values)
        } catch {
            throw broken(row, columns[error.index])
        }
    }

    /// Resolves a text that is stored in the dictionary. Returns nil for what the column cannot hold.
    private static func value(_ stored: StoredValue?, in column: EventColumn, _ texts: [String]) -> EventValue? {
        switch (stored, column.storage) {
        case (nil, _): .null
        case (.integer(let number), .integer): .integer(number)
        case (.integer(let number), _): number >= 1 && number <= texts.count ? .text(texts[Int(number) - 1]) : nil
        case (_, .integer): nil
        case (.text(let text), _): .text(text)
        case (.bytes(let bytes), .bytes): Bytes16(bytes).map(EventValue.bytes)
        case (.bytes, _), (.real, _): nil
        }
    }

    private static func broken(_ row: Row, _ column: EventColumn) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "row \(row[0] as Int64): the column \(column.name) cannot be read"
        )
    }

    // MARK: By id

    /// Returns the sequence of the first row that was recorded at or after this time, else of the last row; nil without
    /// rows. Halves the range of sequences, because times rise with them unless the clock steps back.
    static func sequence(at time: Timestamp, _ db: Database) throws -> Int64? {
        guard let first = try Int64.fetchOne(db, sql: "SELECT min(seq) FROM event"),
            let last = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM event")
        else { return nil }
        var (low, high) = (first, last)
        let select = try db.cachedStatement(sql: "SELECT recorded_at FROM event WHERE seq >= ? ORDER BY seq LIMIT 1")
        while low < high {
            let middle = low + (high - low) / 2
            let recordedAt = try Int64.fetchOne(select, arguments: [middle]) ?? .max
            if recordedAt < time.milliseconds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Uncounted rows

    /// Selects rows above the `counted` watermark. Only the newest rows of the newest day are.
    static let uncountedSQL = "seq > (SELECT seq FROM counted)"

    static func uncounted(_ db: Database) throws -> [StoredEvent] {
        let rows = try Row.fetchCursor(db, sql: "\(selectSQL) WHERE \(uncountedSQL) ORDER BY seq")
        var events: [StoredEvent] = []
        let texts = try DayTexts().all(db)
        while let row = try rows.next() { events.append(try event(row, texts: texts)) }
        return events
    }

    static func isCounted(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM event WHERE \(uncountedSQL))") ?? true
    }

    // MARK: By tenant

    enum Order: String {
        case oldestFirst = "ASC"
        case newestFirst = "DESC"
    }

    /// Selects the sequences of a tenant's rows from `:low` to `:high`, at most `:limit`: those of the index, and those
    /// above the `counted` watermark, which the index does not have yet. `:tenant` is the number of its text.
    ///
    /// The second part has one lower bound. With two, SQLite may search by the smaller one and read all rows above it.
    static func sequencesSQL(_ order: Order) -> String {
        """
        SELECT seq FROM indexed_event WHERE tenant = :tenant AND seq BETWEEN :low AND :high
        UNION ALL
        SELECT seq FROM event
        WHERE seq BETWEEN max(:low, (SELECT seq FROM counted) + 1) AND :high AND tenant = :tenant
        ORDER BY seq \(order.rawValue) LIMIT :limit
        """
    }

    /// Adds the uncounted rows to the index. The caller's transaction moves the `counted` watermark afterwards.
    static func indexUncounted(_ db: Database) throws {
        let insert = "INSERT INTO indexed_event (tenant, seq) SELECT tenant, seq FROM event"
        try db.cachedStatement(sql: "\(insert) WHERE \(uncountedSQL) ORDER BY tenant, seq").execute()
    }
}
