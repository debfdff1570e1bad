import Synchronization

/// Commits the changes of several callers together: what is submitted while a transaction is written is the next
/// transaction. A refused change does not undo the others; a failure of the store fails all changes of its transaction.
final class GroupCommit: Sendable {
    private let store: any SQLStore
    private let ending: @Sendable (any SQLDatabase) throws -> Void
    private let committed: @Sendable () async -> Void
    private let state = Mutex(State())

    /// The most weight of one transaction, so that the first of its changes does not wait for all that are submitted.
    private let most: Int

    private struct State {
        /// Oldest first.
        var waiting: [Change] = []
        /// Whether a task writes, or is about to.
        var isWriting = false
    }

    private struct Change: Sendable {
        let weight: Int
        /// Returns what tells the result to the caller, to be called after the commit. Throws if the store failed.
        let run: @Sendable (any SQLDatabase, _ isAlone: Bool) throws -> @Sendable () -> Void
        /// Tells the caller that the transaction failed.
        let fail: @Sendable (any Error) -> Void
    }

    /// - Parameters:
    ///   - most: The most weight of one transaction.
    ///   - ending: Runs at the end of each transaction, within it.
    ///   - committed: Runs after each transaction, before its callers are told.
    init(
        _ store: any SQLStore,
        most: Int,
        ending: @escaping @Sendable (any SQLDatabase) throws -> Void = { _ in },
        committed: @escaping @Sendable () async -> Void = {}
    ) {
        self.store = store
        self.most = most
        self.ending = ending
        self.committed = committed
    }

    /// Runs `body` in a transaction, and returns when that is on disk. Not even a cancelled caller returns earlier.
    ///
    /// - Parameter weight: About how many rows it changes.
    func storing<Value: Sendable>(
        weight: Int = 4,
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            submit(
                Change(
                    weight: weight,
                    run: { db, isAlone in
                        let result = isAlone ? .success(try body(db)) : try Self.inSavepoint(db, body)
                        return { continuation.resume(with: result) }
                    },
                    fail: { continuation.resume(throwing: $0) }
                )
            )
        }
    }

    private func submit(_ change: Change) {
        let mustStart = state.withLock { state in
            state.waiting.append(change)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { Task { await self.write() } }
    }

    private func write() async {
        var changes = takeWaiting()
        while !changes.isEmpty {
            do {
                let tellers = try await store.storing { [changes, ending] db in
                    let tellers = try changes.map { try $0.run(db, changes.count == 1) }
                    try ending(db)
                    return tellers
                }
                await committed()
                for tell in tellers { tell() }
            } catch {
                for change in changes { change.fail(error) }
            }
            changes = takeWaiting()
        }
    }

    private func takeWaiting() -> [Change] {
        state.withLock { state in
            var (weight, count) = (0, 0)
            for change in state.waiting {
                weight += change.weight
                guard count == 0 || weight <= most else { break }
                count += 1
            }
            let changes = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            state.isWriting = !changes.isEmpty
            return changes
        }
    }

    /// Runs a change that may fail alone.
    private static func inSavepoint<Value>(
        _ db: any SQLDatabase,
        _ body: (any SQLDatabase) throws -> Value
    ) throws -> Result<Value, any Error> {
        try db.execute(sql: "SAVEPOINT change")
        let result: Result<Value, any Error>
        do {
            result = .success(try body(db))
        } catch {
            // After a failed write the store may have undone the whole transaction.
            guard !(error is StorageError), (try? db.execute(sql: "ROLLBACK TO SAVEPOINT change")) != nil else {
                throw error
            }
            result = .failure(error)
        }
        try db.execute(sql: "RELEASE SAVEPOINT change")
        return result
    }
}
