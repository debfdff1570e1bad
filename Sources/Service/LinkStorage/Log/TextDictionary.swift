import GRDB
import LinkRouting

/// The dictionary of the newest day file: maps each text to its number, so that repeated texts are stored once.
///
/// It is bounded, because callers choose some of the texts. When it is full, each row stores a new text inline. Only
/// the mandatory texts of a row, such as the tenant, still get a number then.
struct TextDictionary {
    private var numbers: [ExactText: Int64] = [:]
    private var byteCount = 0
    /// The last text looked up in each column.
    private var latest: [(text: ExactText, number: Int64)?] = []

    static let mostTexts = 65_536
    /// The limit for the UTF-8 bytes of all texts.
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

    /// Returns the text's number, and inserts the text into the file if it is new.
    mutating func requiredNumber(of text: String, _ db: Database) throws -> Int64 {
        let text = ExactText(text)
        return try numbers[text] ?? insert(text, db)
    }

    private mutating func insert(_ text: ExactText, _ db: Database) throws -> Int64 {
        let insert = try db.cachedStatement(sql: "INSERT INTO text (value) VALUES (CAST(? AS TEXT))")
        try insert.execute(arguments: [StoredValue.text(text.description)])
        let number = db.lastInsertedRowID
        add(text, as: number)
        return number
    }

    /// Returns the text's number for a column of consecutive rows; nil if the text is new and the dictionary is full. A
    /// row usually repeats the text of the row before, which is found without hashing.
    mutating func number(of text: String, in column: Int, _ db: Database) throws -> Int64? {
        let text = ExactText(text)
        while latest.count <= column { latest.append(nil) }
        if let latest = latest[column], latest.text == text { return latest.number }
        guard let number = try numbers[text] ?? (isFull ? nil : insert(text, db)) else { return nil }
        latest[column] = (text, number)
        return number
    }
}
