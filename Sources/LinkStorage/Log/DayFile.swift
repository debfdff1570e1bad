import GRDB
import LinkEvents
import LinkRouting

/// A day of the log, open. Nobody but the log's writer adds to it; retention and erasures take rows out.
final class DayFile: Sendable {
    let day: CivilDay
    let database: StorageFile
    private let texts = DayTexts()

    init(day: CivilDay, _ database: StorageFile) {
        self.day = day
        self.database = database
    }

    /// The tenant's events that a condition with an order and a limit selects.
    ///
    /// One read transaction: a reader that never ends would keep the WAL from being checkpointed.
    func events(
        of tenant: TenantID,
        _ condition: String,
        _ arguments: StatementArguments
    ) async throws -> [StoredEvent] {
        try await database.read { try self.events(of: tenant, condition, arguments, $0) }
    }

    /// The tenant's events that are in no count yet, of a transaction that reads the counts, too.
    func uncountedEvents(of tenant: TenantID, _ db: Database) throws -> [Event] {
        try events(of: tenant, EventRow.uncountedSQL, [], db).map(\.event)
    }

    private func events(
        of tenant: TenantID,
        _ condition: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws -> [StoredEvent] {
        let texts = try texts.all(db)
        guard let number = texts.firstIndex(of: tenant.rawValue) else { return [] }
        let select = try db.cachedStatement(sql: "\(EventRow.selectSQL) WHERE tenant = ? AND \(condition)")
        let rows = try Row.fetchCursor(select, arguments: [number + 1] + arguments)
        var events: [StoredEvent] = []
        while let row = try rows.next() { events.append(try EventRow.event(row, texts: texts)) }
        return events
    }
}
