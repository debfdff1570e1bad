import GRDB
import LinkEvents
import LinkRouting
import Testing

@testable import LinkStorage

@Suite(.timeLimit(.minutes(15)))
struct TextDictionaryTests {
    private func withFile(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT")
            try body(db)
        }
    }

    @Test func textIsStoredOnce() throws {
        try withFile { db in
            var texts = try TextDictionary(db)
            #expect(try texts.number(of: "GB", in: 0, db) == 1)
            #expect(try texts.number(of: "FR", in: 0, db) == 2)
            #expect(try texts.number(of: "GB", in: 0, db) == 1)
            var again = try TextDictionary(db)
            #expect(try again.number(of: "FR", in: 0, db) == 2)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM text") == 2)
        }
    }

    /// Different texts in every request fill neither the memory nor the table.
    @Test func fullDictionaryTakesOnlyWhatItMust() throws {
        try withFile { db in
            var texts = try TextDictionary(db)
            let long = String(repeating: "x", count: TextDictionary.mostBytes)
            #expect(try texts.number(of: long, in: 0, db) == 1)
            #expect(try texts.number(of: "new", in: 0, db) == nil)
            #expect(try texts.number(of: long, in: 0, db) == 1)
            #expect(try texts.requiredNumber(of: "tenant", db) == 2)
            #expect(try texts.number(of: "tenant", in: 0, db) == 2)
        }
    }

    @Test func readersFollowTheFile() throws {
        try withFile { db in
            var texts = try TextDictionary(db)
            let reader = DayTexts()
            #expect(try reader.all(db) == [])
            _ = try texts.number(of: "a", in: 0, db)
            #expect(try reader.all(db) == ["a"])
            _ = try texts.number(of: "b", in: 0, db)
            #expect(try reader.all(db) == ["a", "b"])
        }
    }
}
