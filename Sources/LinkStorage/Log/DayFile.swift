import GRDB
import LinkEvents
import LinkRouting

/// An open day file of the log. Only the log's writer inserts rows; retention and erasures delete them.
final class DayFile: Sendable {
    let day: CivilDay
    let database: StorageFile
    private let texts = DayTexts()

    init(day: CivilDay, _ database: StorageFile) {
        self.day = day
        self.database = database
    }

    /// Returns the tenant's events that match a SQL condition, which includes the order and the limit.
    ///
    /// Uses one read transaction: a reader that never ends would keep the WAL from being checkpointed.
    func events(
        of tenant: TenantID,
        _ condition: String,
        _ arguments: StatementArguments
    ) async throws -> [StoredEvent] {
        try await database.read { try self.events(of: tenant, condition, arguments, $0) }
    }

    /// Returns the tenant's events above the `counted` watermark. The caller's transaction also reads the rollups.
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
