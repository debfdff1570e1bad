import ArgumentParser
import Dispatch
import Foundation
import GRDBSQLite
import NIOCore
import Synchronization

/// The minimal cost of an answer that waits for the disk: hello, and one row.
struct Durable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The hello server, in which each answer waits until a row of 300 bytes is committed and synced.",
        discussion: """
            SQLite through its C interface, WAL, synchronous=FULL, one table without an index. One thread commits all that wait in one
            transaction.

            EXAMPLE
              Yardsticks durable rows.db
            """
    )

    @Argument(help: "The file of the database to create.") var file: String

    func run() async throws {
        let rows = try RowWriter(file)
        try await Greeting.serve(as: "durable") { Recording(rows) }
    }
}

private final class Recording: Greeting {
    private let rows: RowWriter

    init(_ rows: RowWriter) { self.rows = rows }

    override func requestEnded(_ context: ChannelHandlerContext) {
        let (loop, handler) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
        rows.add {
            loop.execute {
                // The client has closed the connection.
                if let context = handler.value.context { handler.value.answer(context) }
            }
        }
    }
}

private final class RowWriter: Sendable {
    private struct Waiting {
        var completions: [@Sendable () -> Void] = []
        var isWriting = false
    }

    private let waiting = Mutex(Waiting())
    private let table: Mutex<Table>
    private let queue = DispatchQueue(label: "rows")

    init(_ file: String) throws { table = Mutex(try Table(file)) }

    func add(_ completion: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.completions.append(completion)
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if isFirst { queue.async { self.write() } }
    }

    private func write() {
        while let completions = taken() {
            let isWritten = table.withLock { $0.commit(rows: completions.count) }
            precondition(isWritten, "SQLite could not write the yardstick's rows")
            for completion in completions { completion() }
        }
    }

    private func taken() -> [@Sendable () -> Void]? {
        waiting.withLock { waiting in
            guard !waiting.completions.isEmpty else {
                waiting.isWriting = false
                return nil
            }
            defer { waiting.completions = [] }
            return waiting.completions
        }
    }
}

/// Exists as long as the process.
private final class Table {
    private let database: OpaquePointer
    private let begin: OpaquePointer
    private let insert: OpaquePointer
    private let commit: OpaquePointer

    init(_ file: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(file, &opened) == SQLITE_OK, let database = opened else {
            throw ValidationError("'\(file)' cannot be created.")
        }
        func prepare(_ sql: String) throws -> OpaquePointer {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
                throw ValidationError("'\(file)': \(String(cString: sqlite3_errmsg(database)))")
            }
            return statement
        }
        for sql in [
            "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL",
            "CREATE TABLE row (seq INTEGER PRIMARY KEY, bytes BLOB)",
        ] {
            let statement = try prepare(sql)
            while sqlite3_step(statement) == SQLITE_ROW {}
            sqlite3_finalize(statement)
        }
        self.database = database
        begin = try prepare("BEGIN IMMEDIATE")
        insert = try prepare("INSERT INTO row (bytes) VALUES (zeroblob(300))")
        commit = try prepare("COMMIT")
    }

    func commit(rows: Int) -> Bool {
        run(begin) && (0..<rows).allSatisfy { _ in run(insert) } && run(commit)
    }

    private func run(_ statement: OpaquePointer) -> Bool {
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_DONE
    }
}
