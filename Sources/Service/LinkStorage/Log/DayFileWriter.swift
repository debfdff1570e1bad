import GRDB
import LinkEvents
import LinkRouting

/// Appends events to the newest day file.
///
/// A batch commits only its rows. Their counts are accumulated in memory and written with a later batch, see
/// m0001_events.sql, and so is their index by tenant. After a crash the uncounted rows are accumulated again; readers
/// count and find uncounted rows themselves.
struct DayFileWriter {
    let day: CivilDay
    let pool: DatabasePool
    /// Cached state of the file; nil after a failed transaction, because the cache may contain what was rolled back.
    private var memory: Memory?

    /// The number of uncounted rows at which the counts are written. Analytics queries read uncounted rows one by one,
    /// so it is small.
    private static let mostUncounted = 1_024

    private struct Memory {
        private var row: RowBinder
        private(set) var texts: TextDictionary
        private var counts: RollupWriter
        /// The counts of the uncounted rows.
        private var accumulator = RollupAccumulator()

        init(_ db: Database) throws {
            row = RowBinder(try db.cachedStatement(sql: EventRow.insertSQL))
            texts = try TextDictionary(db)
            counts = try RollupWriter(db)
            for stored in try EventRow.uncounted(db) { accumulator.add([stored.event], from: stored.sequence) }
            try counts.number(&accumulator, db)
        }

        /// Whether the counts must be written now.
        var isFull: Bool { accumulator.eventCount >= DayFileWriter.mostUncounted || counts.isCrowded }
        var uncounted: Int { accumulator.eventCount }

        mutating func add(_ events: [Event], from first: Int64, _ db: Database) throws {
            guard !events.isEmpty else { return }
            try EventRow.insert(events, from: first, with: &row, texts: &texts, db)
            accumulator.add(events, from: first)
            try counts.number(&accumulator, db)
        }

        mutating func writeCounts(_ db: Database) throws {
            try EventRow.indexUncounted(db)
            try counts.write(accumulator, db)
            accumulator.resetCounts()
        }

        /// Evicts values. Call it after ``writeCounts(_:)``.
        mutating func makeRoom(_ db: Database) throws {
            guard counts.isCrowded else { return }
            try counts.makeRoom(db)
            accumulator = RollupAccumulator()
        }
    }

    init(_ day: CivilDay, _ pool: DatabasePool) {
        self.day = day
        self.pool = pool
    }

    /// Inserts the events in one transaction with one fsync, without those that were reported before.
    ///
    /// - Parameter reported: The events' hashes that the log has in earlier days.
    /// - Returns: The indices of the events that were not inserted.
    mutating func append(_ events: [Event], from first: Int64, besides reported: Set<Bytes16>) throws -> [Int] {
        var duplicates: [Int] = []
        try write { memory, db in
            duplicates = try ReportedEvents.insert(events, from: first, besides: reported, db)
            let new = duplicates.isEmpty ? events : events.removing(at: duplicates)
            try memory.add(new, from: first, db)
            guard memory.isFull else { return }
            try memory.writeCounts(db)
            try memory.makeRoom(db)
        }
        return duplicates
    }

    /// Writes the counts and the index up to the last row.
    mutating func writeCounts() throws {
        let isUpToDate = try memory.map { $0.uncounted == 0 } ?? pool.read { try EventRow.isCounted($0) }
        guard !isUpToDate else { return }
        try write { try $0.writeCounts($1) }
    }

    /// Discards the cache; the next batch reads the file again.
    mutating func forget() { memory = nil }

    private mutating func write(_ body: (inout Memory, Database) throws -> Void) throws {
        var known = memory.take()
        memory = try pool.storing { db in
            // Moved and not copied: with a second owner, the first change would copy the whole dictionary.
            var memory = try known.take() ?? Memory(db)
            try body(&memory, db)
            return memory
        }
    }
}

extension [Event] {
    /// Returns the elements besides those at `indexes`, which ascend.
    fileprivate func removing(at indexes: [Int]) -> [Event] {
        var rest = indexes[...]
        return enumerated().compactMap { index, event in
            guard rest.first == index else { return event }
            rest.removeFirst()
            return nil
        }
    }
}
