import GRDB
import LinkEvents
import LinkRouting

/// Appends to the day file that is written to.
struct DayWriter {
    let day: CivilDay
    let pool: DatabasePool
    /// What of the file is kept in memory; nil after a transaction that failed, for it may hold what was rolled back.
    private var memory: Memory?

    private struct Memory {
        var texts: TextDictionary
        var counts: CountWriter
        var tally = EventTally()
    }

    init(_ day: CivilDay, _ pool: DatabasePool) {
        self.day = day
        self.pool = pool
    }

    /// Adds the events and what they count, in one transaction with one fsync.
    mutating func append(_ events: [Event], from first: Int64) throws {
        var known = memory.take()
        memory = try pool.write { db in
            // Taken and not copied: a second owner would make the first change copy the whole dictionary.
            var memory = try known.take() ?? Memory(texts: TextDictionary(db), counts: CountWriter(db))
            var row = RowBinder(try db.cachedStatement(sql: EventRow.insertSQL), db)
            for (sequence, event) in zip(first..., events) {
                try EventRow.bind(event, sequence: sequence, to: &row, texts: &memory.texts, db)
                try row.run()
            }
            memory.tally.add(events, from: first)
            try memory.counts.write(&memory.tally, db)
            memory.tally.startAnew()
            return memory
        }
    }
}
