import Dispatch
import GRDB
import Synchronization

/// Commits the changes of several callers together: what is submitted while a transaction is written is the next
/// transaction. A refused change does not undo the others; a failure of the file fails all changes of its transaction.
final class GroupCommit: Sendable {
    private let file: StorageFile
    private let writing = DispatchQueue(label: "fingerpost.links.writing")
    private let state = Mutex(State())

    /// The most changes of one transaction, so that the first of them does not wait for all that are submitted.
    private static let most = 128

    private struct State {
        /// Oldest first.
        var waiting: [Change] = []
        /// Whether a thread writes, or is about to.
        var isWriting = false
    }

    private struct Change: Sendable {
        /// Returns what tells the result to the caller, to be called after the commit. Throws if the file failed.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        /// Tells the caller that the transaction failed.
        let fail: @Sendable (any Error) -> Void
    }

    init(_ file: StorageFile) { self.file = file }

    /// Runs `body` in a transaction, and returns when that is on disk. Not even a cancelled caller returns earlier.
    func storing<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            submit(
                Change(
                    run: { [file] db in
                        let result = try Self.inSavepoint(db, of: file, body)
                        return { continuation.resume(with: result) }
                    },
                    fail: { continuation.resume(throwing: $0) }
                )
            )
        }
    }

    /// Returns when everything that was submitted before is written.
    func finish() { writing.sync {} }

    private func submit(_ change: Change) {
        let mustStart = state.withLock { state in
            state.waiting.append(change)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { writing.async { self.write() } }
    }

    private func write() {
        var changes = takeWaiting()
        while !changes.isEmpty {
            do {
                let tellers = try file.storing { db in try changes.map { try $0.run(db) } }
                for tell in tellers { tell() }
            } catch {
                for change in changes { change.fail(error) }
            }
            changes = takeWaiting()
        }
    }

    private func takeWaiting() -> [Change] {
        state.withLock { state in
            let changes = Array(state.waiting.prefix(Self.most))
            state.waiting.removeFirst(changes.count)
            state.isWriting = !changes.isEmpty
            return changes
        }
    }

    /// Runs a change that may fail alone.
    private static func inSavepoint<Value>(
        _ db: Database,
        of file: StorageFile,
        _ body: (Database) throws -> Value
    ) throws -> Result<Value, any Error> {
        try db.cachedStatement(sql: "SAVEPOINT change").execute()
        let result: Result<Value, any Error>
        do {
            result = .success(try db.reportingFullDisk { try body(db) })
        } catch {
            // After a failed write, SQLite may have rolled back the transaction already.
            guard !concernsFile(error, file), db.isInsideTransaction else { throw error }
            try db.cachedStatement(sql: "ROLLBACK TO SAVEPOINT change").execute()
            result = .failure(error)
        }
        try db.cachedStatement(sql: "RELEASE SAVEPOINT change").execute()
        return result
    }

    private static func concernsFile(_ error: any Error, _ file: StorageFile) -> Bool {
        if let error = error as? DatabaseError { return StorageError(ofFile: error, file.path) != nil }
        return error is StorageError
    }
}
