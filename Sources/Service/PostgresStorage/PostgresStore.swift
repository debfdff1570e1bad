import Dispatch
import LinkCatalog
package import LinkStorage
import Synchronization

/// The catalog's PostgreSQL database as a store: a few connections, each used on a thread of its own.
///
/// A transaction that writes first locks the row of `audit_head`, so that all of them, of all nodes, come one after
/// another, as in a SQLite file. Settings are `SET LOCAL`, so that a pooler in transaction mode does no harm.
package final class PostgresStore: SQLStore {
    /// Connections for requests. A node has two more: one follows the catalog, and one ships the log.
    package static let connections = 4
    /// The most transactions that wait for a connection.
    package static let maximumWaiting = 64
    /// The most time of a transaction, and of connecting to one host.
    package static let limit = (transaction: Duration.seconds(10), connecting: Duration.seconds(3))

    package let address: PostgresAddress
    private let state = Mutex(State())
    /// Follows the catalog, so that a node learns of revoked keys however many requests wait.
    private let following = Lane()
    private let shipping = Lane()
    let backOff = Mutex(BackOff())
    let isPrepared = Mutex(false)
    let sessionMark = "\(UInt64.random(in: 0...UInt64.max))"

    private struct State {
        var free = (0..<PostgresStore.connections).map { _ in Lane() }
        /// Oldest first.
        var waiting: [@Sendable (Lane) -> Void] = []
    }

    /// A thread with its connection.
    private final class Lane: Sendable {
        let thread = DispatchQueue(label: "fingerpost.postgresql")
        let connection = Mutex<PostgresConnection?>(nil)
    }

    /// After failed attempts, later ones fail at once for a while, so that nobody waits for a server that is away.
    struct BackOff {
        var failures = 0
        var end = ContinuousClock.now
        var error = PostgresError.busy
    }

    package init(_ address: PostgresAddress) { self.address = address }

    package var name: String {
        "postgresql://\(address.hosts.map(\.description).joined(separator: ","))/\(address.database)"
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await prepared { try await transaction(Self.reading, body) }
    }

    package func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await prepared { try await onFollowing(body) }
    }

    /// Reads on the connection that follows the catalog.
    func onFollowing<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            following.thread.async { [following] in
                continuation.resume(with: self.result(Self.long, .eachWait, on: following, body))
            }
        }
    }

    package func storing<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await prepared { try await transaction(Self.writing, body) }
    }

    /// Runs a transaction that writes rows of this node's log, which no other node writes. It may be lost with its server,
    /// since the node then sends the rows again.
    func shipping<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        try await prepared {
            try await withCheckedThrowingContinuation { continuation in
                shipping.thread.async { [shipping] in
                    continuation.resume(
                        with: self.result(Self.shippingRows, .transaction, on: shipping) { db in
                            guard let connection = db as? PostgresConnection else { throw PostgresError.busy }
                            return try body(connection)
                        }
                    )
                }
            }
        }
    }

    private static let shippingRows = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path = public; SET LOCAL bytea_output = hex; \
        SET LOCAL synchronous_commit = local; \
        SET LOCAL lock_timeout = '8s'; SET LOCAL statement_timeout = '10s'; \
        SET LOCAL idle_in_transaction_session_timeout = '10s'
        """

    private static let reading = "\(long); SET LOCAL lock_timeout = '8s'; SET LOCAL statement_timeout = '10s'"

    private static let long = """
        BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = public; SET LOCAL bytea_output = hex; \
        SET LOCAL datestyle = iso
        """

    private static let writing = """
        BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL search_path = public; SET LOCAL bytea_output = hex; \
        SET LOCAL synchronous_commit = on; \
        SET LOCAL lock_timeout = '8s'; SET LOCAL statement_timeout = '10s'; \
        SET LOCAL idle_in_transaction_session_timeout = '10s'; SELECT id FROM audit_head FOR UPDATE
        """

    /// Checks and migrates the database before its first use, since it may have been away when the process started.
    private func prepared<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            if !isPrepared.withLock({ $0 }) { _ = try await prepare() }
            return try await body()
        } catch PostgresError.unsuitable(let reason) {
            throw CatalogUnavailable(reason)
        }
    }

    /// Runs a transaction that `opening` begins. A lost connection undoes it, except during its commit.
    ///
    /// - Throws: `CatalogUnavailable`, ``PostgresError``, or the body's errors.
    func transaction<Value: Sendable>(
        _ opening: String,
        _ body: @escaping @Sendable (any SQLDatabase) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit(
                { continuation.resume(with: self.result(opening, .transaction, on: $0, body)) },
                orFail: { continuation.resume(throwing: CatalogUnavailable(PostgresError.busy.description)) }
            )
        }
    }

    private func result<Value>(
        _ opening: String,
        _ bound: PostgresConnection.Bound,
        on lane: Lane,
        _ body: @Sendable (any SQLDatabase) throws -> Value
    ) -> Result<Value, any Error> {
        Result {
            do {
                return try lane.connection.withLock { try self.run(opening, bound, on: &$0, body) }
            } catch let error as PostgresError {
                throw error.unavailable ?? error
            }
        }
    }

    package func close() throws {
        let free = state.withLock { $0.free }
        for lane in free + [following, shipping] { lane.connection.withLock { $0 = nil } }
    }

    // MARK: Threads

    private func submit(_ job: @escaping @Sendable (Lane) -> Void, orFail refuse: () -> Void) {
        let lane: Lane?? = state.withLock { state in
            if let lane = state.free.popLast() { return lane }
            guard state.waiting.count < Self.maximumWaiting else { return Lane??.none }
            state.waiting.append(job)
            return Lane??.some(nil)
        }
        switch lane {
        case .none: refuse()
        case .some(.none): break
        case .some(.some(let lane)): lane.thread.async { self.work(job, on: lane) }
        }
    }

    private func work(_ first: @Sendable (Lane) -> Void, on lane: Lane) {
        first(lane)
        while let next = next(for: lane) { next(lane) }
    }

    private func next(for lane: Lane) -> (@Sendable (Lane) -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free.append(lane)
            return nil
        }
    }

    // MARK: Transactions

    private func run<Value>(
        _ opening: String,
        _ bound: PostgresConnection.Bound,
        on slot: inout PostgresConnection?,
        _ body: (any SQLDatabase) throws -> Value
    ) throws -> Value {
        let connection = try open(opening, on: &slot)
        connection.bound = bound
        do {
            let value = try body(connection)
            try connection.run("COMMIT")
            return value
        } catch {
            let isUsable = (error as? PostgresError).map { !$0.endsConnection } ?? true
            if !isUsable || (try? connection.run("ROLLBACK")) == nil { slot = nil }
            throw error
        }
    }

    /// Returns a connection in a begun transaction. A connection that the server has closed meanwhile is replaced once.
    private func open(_ opening: String, on slot: inout PostgresConnection?) throws -> PostgresConnection {
        let used = slot
        // Stays empty if the transaction cannot begin: the connection's state is then unknown.
        slot = nil
        if let used, !used.isClosed {
            do {
                return try begin(opening, on: used, &slot)
            } catch PostgresError.unreachable {
            } catch PostgresError.statement(let code, _) where PostgresError.endsConnection(code) {}
        }
        return try begin(opening, on: try connect(), &slot)
    }

    private func begin(
        _ opening: String,
        on connection: PostgresConnection,
        _ slot: inout PostgresConnection?
    ) throws -> PostgresConnection {
        connection.begin(within: Self.limit.transaction)
        try connection.run(opening)
        slot = connection
        return connection
    }

    private func connect() throws -> PostgresConnection {
        try backOff.withLock { backOff in
            if backOff.failures > 0, backOff.end > .now { throw backOff.error }
        }
        let start = ContinuousClock.now
        var failures: [String] = []
        for host in address.hosts {
            do {
                let connection = try PostgresConnection(
                    try address.parameters(for: host),
                    within: Self.limit.connecting
                )
                backOff.withLock { $0.failures = 0 }
                return connection
            } catch .unsuitable(let reason) {
                throw PostgresError.unsuitable(reason)
            } catch {
                failures.append(error.detail)
            }
        }
        let error = PostgresError.unreachable(failures.joined(separator: "; "))
        backOff.withLock { backOff in
            backOff.failures = min(backOff.failures + 1, 6)
            // At least half as long as the attempt took: a server that answers nothing does not delay most requests.
            let longest = max(.milliseconds(100) * (1 << backOff.failures), ContinuousClock.now - start)
            backOff.end = .now + longest * Double.random(in: 0.5...1)
            backOff.error = error
        }
        throw error
    }
}

extension PostgresError {
    fileprivate var detail: String {
        if case .unreachable(let detail) = self { detail } else { description }
    }
}
