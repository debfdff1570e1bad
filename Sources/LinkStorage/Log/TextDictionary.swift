import GRDB
import LinkRouting

/// The texts of the day file that is written to, each with its number: what repeats is stored once.
///
/// It is bounded, because callers choose some of the texts: when it is full, a text that it does not hold is written out in
/// each row. Only what every row has, such as the tenant, still gets a number then.
struct TextDictionary {
    private var numbers: [ExactText: Int64] = [:]
    private var byteCount = 0
    /// By column, the text that was asked for last.
    private var latest: [(text: ExactText, number: Int64)?] = []

    static let mostTexts = 65_536
    /// UTF-8 bytes of all texts.
    static let mostBytes = 8 << 20

    init(_ db: Database) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT id, value FROM text")
        while let row = try rows.next() { add(ExactText(try row.text(1)), as: row[0]) }
    }

    private mutating func add(_ text: ExactText, as number: Int64) {
        numbers[text] = number
        byteCount += text.description.utf8.count
    }

    private var isFull: Bool { numbers.count >= Self.mostTexts || byteCount >= Self.mostBytes }

    /// The text's number, which is now in the file; nil when the text is new and there is no room.
    mutating func number(of text: String, _ db: Database, always: Bool = false) throws -> Int64? {
        try number(of: ExactText(text), db, always: always)
    }

    private mutating func number(of text: ExactText, _ db: Database, always: Bool = false) throws -> Int64? {
        if let number = numbers[text] { return number }
        guard always || !isFull else { return nil }
        let insert = try db.cachedStatement(sql: "INSERT INTO text (value) VALUES (CAST(? AS TEXT))")
        try insert.execute(arguments: [StoredValue.text(text.description)])
        let number = db.lastInsertedRowID
        add(text, as: number)
        return number
    }

    /// As above, for a column of rows. A row mostly has the text of the one before, which is found without hashing.
    mutating func number(of text: String, in column: Int, _ db: Database) throws -> Int64? {
        let text = ExactText(text)
        while latest.count <= column { latest.append(nil) }
        if let latest = latest[column], latest.text == text { return latest.number }
        guard let number = try number(of: text, db) else { return nil }
        latest[column] = (text, number)
        return number
    }
}
