import GRDB
import LinkEvents
import LinkRouting

/// Appends to the day file that is written to.
///
/// A batch is its rows. What they count is summed in memory and written with a later batch, see m0002_events.sql: after a
/// crash the rows that are in no count yet are summed again, and readers sum them for themselves.
struct DayWriter {
    let day: CivilDay
    let pool: DatabasePool
    /// What of the file is kept in memory; nil after a transaction that failed, for it may hold what was rolled back.
    private var memory: Memory?

    /// Rows that are in no count yet, before a batch. A question about counts reads them, so they are few.
    private static let mostUncounted = 1_024

    private struct Memory {
        private(set) var texts: TextDictionary
        private var counts: RollupWriter
        /// Of the rows that are in no count yet.
        private var tally = RollupAccumulator()

        init(_ db: Database) throws {
            texts = try TextDictionary(db)
            counts = try RollupWriter(db)
            for stored in try EventRow.uncounted(db) { tally.add([stored.event], from: stored.sequence) }
            try counts.number(&tally, db)
        }

        /// Whether the counts are to be written now.
        var isFull: Bool { tally.eventCount >= DayWriter.mostUncounted || counts.isCrowded }
        var uncounted: Int { tally.eventCount }

        mutating func add(_ events: [Event], from first: Int64, _ db: Database) throws {
            var row = RowBinder(try db.cachedStatement(sql: EventRow.insertSQL), db)
            for (sequence, event) in zip(first..., events) {
                try EventRow.bind(event, sequence: sequence, to: &row, texts: &texts, db)
                try row.run()
            }
            tally.add(events, from: first)
            try counts.number(&tally, db)
        }

        mutating func writeCounts(_ db: Database) throws {
            try counts.write(tally, db)
            tally.startAnew()
        }

        /// Behind the counts.
        mutating func makeRoom(_ db: Database) throws {
            guard counts.isCrowded else { return }
            try counts.makeRoom(db)
            tally = RollupAccumulator()
        }
    }

    init(_ day: CivilDay, _ pool: DatabasePool) {
        self.day = day
        self.pool = pool
    }

    /// Adds the events in one transaction with one fsync.
    mutating func append(_ events: [Event], from first: Int64) throws {
        try write { memory, db in
            try memory.add(events, from: first, db)
            guard memory.isFull else { return }
            try memory.writeCounts(db)
            try memory.makeRoom(db)
        }
    }

    /// Brings the counts up to the last row.
    mutating func writeCounts() throws {
        let isUpToDate = try memory.map { $0.uncounted == 0 } ?? pool.read { try EventRow.isCounted($0) }
        guard !isUpToDate else { return }
        try write { try $0.writeCounts($1) }
    }

    /// Reads the file anew before the next batch.
    mutating func forget() { memory = nil }

    private mutating func write(_ body: (inout Memory, Database) throws -> Void) throws {
        var known = memory.take()
        memory = try pool.storing { db in
            // Taken and not copied: a second owner would make the first change copy the whole dictionary.
            var memory = try known.take() ?? Memory(db)
            try body(&memory, db)
            return memory
        }
    }
}
