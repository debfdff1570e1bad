import Foundation
import GRDB
import LinkEvents
import LinkRouting

/// An open day file of the log. Only the log's writer inserts rows; retention and erasures delete them.
final class DayFile: Sendable {
    let day: CivilDay
    let database: StorageFile
    let texts = DayTexts()

    init(day: CivilDay, _ database: StorageFile) {
        self.day = day
        self.database = database
    }

    /// Returns at most `limit` events of the tenant.
    ///
    /// Uses one read transaction: a reader that never ends would keep the WAL from being checkpointed.
    func events(
        of tenant: TenantID,
        in range: ClosedRange<Int64>,
        _ order: EventRow.Order,
        limit: Int
    ) async throws -> [StoredEvent] {
        try await database.read { db in
            try self.events(
                of: tenant,
                "seq IN (\(EventRow.sequencesSQL(order))) ORDER BY seq \(order.rawValue)",
                ["low": range.lowerBound, "high": range.upperBound, "limit": limit],
                db
            )
        }
    }

    /// The number of rows that are searched for an id, on either side of its time. Rows of one time may be in any order.
    private static let searchedRows: Int64 = 10_000

    /// Returns the tenant's event with this id, if its row is close to the rows that were recorded at `time`.
    func event(_ id: Bytes16, at time: Timestamp, of tenant: TenantID) async throws -> StoredEvent? {
        try await database.read { db in
            guard let middle = try EventRow.sequence(at: time, db) else { return nil }
            return try self.events(
                of: tenant,
                "seq BETWEEN :low AND :high AND tenant = :tenant AND id = :id LIMIT 1",
                [
                    "low": middle - Self.searchedRows, "high": middle + Self.searchedRows,
                    "id": Data(id),
                ],
                db
            ).first
        }
    }

    /// Returns the tenant's events above the `counted` watermark. The caller's transaction also reads the rollups.
    func uncountedEvents(of tenant: TenantID, _ db: Database) throws -> [Event] {
        try events(of: tenant, "tenant = :tenant AND \(EventRow.uncountedSQL)", [:], db).map(\.event)
    }

    /// - Parameter condition: Refers to the number of the tenant as `:tenant`.
    private func events(
        of tenant: TenantID,
        _ condition: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws -> [StoredEvent] {
        let texts = try texts.all(db)
        guard let number = texts.firstIndex(of: tenant.rawValue) else { return [] }
        let select = try db.cachedStatement(sql: "\(EventRow.selectSQL) WHERE \(condition)")
        let rows = try Row.fetchCursor(select, arguments: arguments + ["tenant": number + 1])
        var events: [StoredEvent] = []
        while let row = try rows.next() { events.append(try EventRow.event(row, texts: texts)) }
        return events
    }
}
