import GRDB
import GRDBSQLite

/// Collects the values of a row, binds them through SQLite's C interface and runs the statement.
///
/// GRDB's `StatementArguments` boxes each value; for the forty columns of an event that is most of the cost of a row.
/// Consecutive rows share most of their values, and SQLite keeps bindings between runs, so only changed values are
/// bound again.
struct RowBinder {
    /// Keeps `statement` compiled.
    private let owner: Statement
    private let statement: OpaquePointer
    /// The value bound to each parameter between rows. Never a text or blob, because their memory belongs to one row.
    private var bound: [Value]
    private var row: [Value] = []
    /// The bytes of the row's texts and blobs.
    private var bytes: [UInt8] = []

    private enum Value: Equatable {
        case null
        case int(Int64)
        case text(Range<Int>)
        case blob(Range<Int>)

        var isMemory: Bool {
            switch self {
            case .null, .int: false
            case .text, .blob: true
            }
        }
    }

    init(_ statement: Statement) {
        owner = statement
        self.statement = statement.sqliteStatement
        sqlite3_clear_bindings(self.statement)
        bound = Array(repeating: .null, count: Int(sqlite3_bind_parameter_count(self.statement)))
        row.reserveCapacity(bound.count)
    }

    /// The number of values collected so far.
    var count: Int { row.count }

    mutating func null() { row.append(.null) }

    mutating func int(_ value: Int64) { row.append(.int(value)) }

    mutating func text(_ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        row.append(.text(start..<bytes.count))
    }

    mutating func blob(_ value: some Collection<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: value)
        row.append(.blob(start..<bytes.count))
    }

    /// Runs the statement, which must return no rows, and resets it for the next row.
    mutating func run() throws {
        precondition(row.count == bound.count, "a row has a value for each parameter")
        defer {
            row.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
        }
        // An empty text also needs an address: SQLite binds a null pointer as NULL.
        if bytes.isEmpty { bytes.append(0) }
        try bytes.withUnsafeBytes { memory in
            defer { releaseMemory() }
            for index in row.indices where bound[index] != row[index] { try bind(index, memory) }
            let code = sqlite3_step(statement)
            let failure = code == SQLITE_DONE ? nil : error(code)
            sqlite3_reset(statement)
            if let failure { throw failure }
        }
    }

    /// Binds texts and blobs without a copy: their memory must stay in place until the statement has run.
    private mutating func bind(_ index: Int, _ memory: UnsafeRawBufferPointer) throws {
        let parameter = Int32(index) + 1
        func address(_ range: Range<Int>) -> UnsafeRawPointer? { memory.baseAddress?.advanced(by: range.lowerBound) }
        let code =
            switch row[index] {
            case .null: sqlite3_bind_null(statement, parameter)
            case .int(let value): sqlite3_bind_int64(statement, parameter, value)
            case .text(let range):
                sqlite3_bind_text(
                    statement,
                    parameter,
                    address(range)?.assumingMemoryBound(to: CChar.self),
                    Int32(range.count),
                    nil
                )
            case .blob(let range):
                sqlite3_bind_blob(statement, parameter, address(range), Int32(range.count), nil)
            }
        if code != SQLITE_OK { throw error(code) }
        bound[index] = row[index]
    }

    private mutating func releaseMemory() {
        for index in bound.indices where bound[index].isMemory {
            sqlite3_bind_null(statement, Int32(index) + 1)
            bound[index] = .null
        }
    }

    private func error(_ code: Int32) -> DatabaseError {
        let connection = sqlite3_db_handle(statement)
        return DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
            message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "code \(code)"
        )
    }
}
