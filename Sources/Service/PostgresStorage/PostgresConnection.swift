import CPostgres
import Foundation
import LinkStorage

/// One connection, used by one thread. Every wait ends at a deadline of ours, because a stopped server answers nothing,
/// not even that a statement took too long.
final class PostgresConnection {
    private let connection: OpaquePointer
    /// The end of all waits of the current transaction.
    private var deadline: ContinuousClock.Instant
    private var limit: Duration
    /// What the limit bounds.
    var bound = Bound.transaction

    enum Bound { case transaction, eachWait }

    /// Connects to one host. Throws ``PostgresError/unreachable(_:)``.
    init(_ parameters: [String: String], within limit: Duration) throws(PostgresError) {
        let pairs = Array(parameters)
        let made = Self.withTexts(pairs.map(\.key)) { keys in
            Self.withTexts(pairs.map(\.value)) { values in PQconnectStartParams(keys, values, 0) }
        }
        guard let made else { throw .unreachable("no memory for a connection") }
        connection = made
        self.limit = limit
        deadline = .now + limit
        try connect()
    }

    deinit { PQfinish(connection) }

    private func connect() throws(PostgresError) {
        var state = PGRES_POLLING_WRITING
        while PQstatus(connection) != CONNECTION_BAD {
            switch state {
            case PGRES_POLLING_OK:
                PQsetnonblocking(connection, 1)
                // The server's notices would otherwise go to standard error.
                PQsetNoticeProcessor(connection, { _, _ in }, nil)
                return
            case PGRES_POLLING_READING: try wait(for: POLLIN)
            case PGRES_POLLING_WRITING: try wait(for: POLLOUT)
            default: throw lost()
            }
            state = PQconnectPoll(connection)
        }
        throw lost()
    }

    /// Bounds everything until the next call.
    func begin(within limit: Duration) {
        self.limit = limit
        bound = .transaction
        deadline = .now + limit
    }

    /// Whether the server has closed the connection while it was idle.
    var isClosed: Bool { PQconsumeInput(connection) == 0 || PQstatus(connection) != CONNECTION_OK }

    /// Runs statements without parameters and results, such as those that begin or end a transaction, in one round trip.
    func run(_ statements: String) throws {
        guard PQsendQuery(connection, statements) == 1 else { throw lost() }
        try results { _ in }
    }

    /// Sends rows to a `COPY … FROM STDIN`, in its text format.
    func copy(_ statement: String, _ rows: [UInt8]) throws {
        guard PQsendQuery(connection, statement) == 1 else { throw lost() }
        try flush()
        guard let opening = try nextResult() else { throw lost() }
        defer { PQclear(opening) }
        guard PQresultStatus(opening) == PGRES_COPY_IN else {
            let failure = refused(opening)
            try results { _ in }
            throw failure
        }
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.bytesAtOnce)
            try part.withUnsafeBytes { bytes in
                try bytes.withMemoryRebound(to: CChar.self) { characters in
                    try queued { PQputCopyData(connection, characters.baseAddress, Int32(characters.count)) }
                }
            }
            rest = rest.dropFirst(part.count)
        }
        try queued { PQputCopyEnd(connection, nil) }
        try results { _ in }
    }

    private static let bytesAtOnce = 1 << 16

    /// Repeats what libpq has no room for.
    private func queued(_ body: () -> Int32) throws {
        while true {
            switch body() {
            case 1: return try flush()
            case 0: try flush()
            default: throw lost()
            }
        }
    }

    // MARK: Waiting

    private func wait(for events: Int32) throws(PostgresError) {
        if bound == .eachWait { deadline = .now + limit }
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .late(after: limit) }
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
            let milliseconds = Int32(clamping: left.components.seconds * 1_000 + 1)
            let ready = poll(&descriptor, 1, min(milliseconds, 1_000))
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw .unreachable(String(cString: strerror(errno))) }
        }
    }

    private func flush() throws(PostgresError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may wait until its own output is read.
                try wait(for: POLLIN | POLLOUT)
                guard PQconsumeInput(connection) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func nextResult() throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(for: POLLIN)
            guard PQconsumeInput(connection) == 1 else { throw lost() }
        }
        return PQgetResult(connection)
    }

    /// Passes on the results of what was sent. Reads all of them, so that the next statement can be sent.
    private func results(_ body: (OpaquePointer) throws -> Void) throws {
        try flush()
        var failure: (any Error)?
        while let result = try nextResult() {
            defer { PQclear(result) }
            do {
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE:
                    if failure == nil { try body(result) }
                default: throw refused(result)
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    // MARK: Errors

    private func lost() -> PostgresError { .unreachable(Self.line(PQerrorMessage(connection))) }

    private func refused(_ result: OpaquePointer) -> any Error {
        guard PQstatus(connection) == CONNECTION_OK else { return lost() }
        let code = PQresultErrorField(result, Self.fieldOfCode).map { String(cString: $0) } ?? ""
        let message = Self.line(PQresultErrorMessage(result))
        return code == "23505" ? SQLUniqueViolation(message) : PostgresError.statement(code: code, message: message)
    }

    /// PG_DIAG_SQLSTATE, a macro of a character.
    private static let fieldOfCode = Int32(UInt8(ascii: "C"))

    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        (text.map { String(cString: $0) } ?? "").split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    // MARK: Texts of C

    private static func withTexts<Result>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return (copies.map { $0.map { UnsafePointer($0) } } + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

extension PostgresConnection: SQLDatabase {
    func forEachRow(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Void) throws {
        let statement = PostgresStatement(sql)
        try send(statement.sql, try statement.values(arguments).map(Parameter.init))
        PQsetSingleRowMode(connection)
        var columns: [String: Int]?
        try results { result in
            guard PQntuples(result) > 0 else { return }
            let known = columns ?? Self.columns(result)
            columns = known
            try body(SQLRow(columns: known, values: (0..<PQnfields(result)).map { Self.value(result, $0) }))
        }
    }

    /// A value as it is sent: texts in text format, bytes in binary format.
    private struct Parameter {
        var bytes: [CChar]?
        var isBinary = false

        init(_ value: SQLValue) throws {
            switch value {
            case .null: bytes = nil
            case .integer(let number): bytes = Array("\(number)".utf8CString)
            case .text(let text):
                // PostgreSQL's texts have no NUL, and SQLite's end there.
                bytes = Array(text.utf8CString.prefix { $0 != 0 }) + [0]
            case .bytes(let data):
                bytes = data.map { CChar(bitPattern: $0) }
                isBinary = true
            }
        }
    }

    private func send(_ sql: String, _ parameters: [Parameter]) throws(PostgresError) {
        let pointers = parameters.map { parameter -> UnsafeMutablePointer<CChar>? in
            parameter.bytes.map { bytes in
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(bytes.count, 1))
                copy.initialize(from: bytes, count: bytes.count)
                return copy
            }
        }
        defer { for pointer in pointers { pointer?.deallocate() } }
        let sent = PQsendQueryParams(
            connection,
            sql,
            Int32(parameters.count),
            // Unknown types follow from the statement.
            parameters.map { $0.isBinary ? Self.typeOfBytes : 0 },
            pointers.map { $0.map { UnsafePointer($0) } },
            parameters.map { Int32($0.bytes?.count ?? 0) },
            parameters.map { $0.isBinary ? 1 : 0 },
            0
        )
        guard sent == 1 else { throw lost() }
    }

    private static func columns(_ result: OpaquePointer) -> [String: Int] {
        Dictionary(
            (0..<PQnfields(result)).map { (PQfname(result, $0).map { String(cString: $0) } ?? "", Int($0)) }
        ) { first, _ in first }
    }

    private static let typeOfBytes: Oid = 17
    private static let typeOfBool: Oid = 16
    /// smallint, integer and bigint, and numeric, which sums of bigint have.
    private static let typesOfIntegers: Set<Oid> = [20, 21, 23, 1700]

    private static func value(_ result: OpaquePointer, _ column: Int32) -> SQLValue {
        guard PQgetisnull(result, 0, column) == 0, let start = PQgetvalue(result, 0, column) else { return .null }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, 0, column))),
            as: UTF8.self
        )
        switch PQftype(result, column) {
        case typeOfBytes: return .bytes(Data(hexadecimal: text.dropFirst(2)))
        case typeOfBool: return .integer(text == "t" ? 1 : 0)
        case let type where typesOfIntegers.contains(type): return Int64(text).map(SQLValue.integer) ?? .text(text)
        default: return .text(text)
        }
    }
}

extension Data {
    /// Reads the digits of bytea, whose output format is hexadecimal.
    fileprivate init(hexadecimal digits: Substring) {
        let values = digits.utf8.map { UInt8(truncatingIfNeeded: Character(Unicode.Scalar($0)).hexDigitValue ?? 0) }
        self.init(stride(from: 0, to: values.count - values.count % 2, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
}
