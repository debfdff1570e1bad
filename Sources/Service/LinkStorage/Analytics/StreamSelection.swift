import GRDB
import LinkEvents
import LinkRouting

/// The streams in one file that match a query's scope.
struct StreamSelection {
    let ids: [Int64]
    private let idsByPurpose: [String: Int64]
    private let tenant: TenantID

    init(_ scope: AnalyticsScope, _ db: Database) throws {
        let purposes = scope.purposes.map(\.rawValue).sorted()
        let find = try db.cachedStatement(
            sql: """
                SELECT id, purpose FROM stream
                WHERE tenant = ? AND environment = ? AND purpose IN (\(Self.marks(purposes.count))) ORDER BY id
                """
        )
        let rows = try Row.fetchAll(
            find,
            arguments: [scope.tenant.rawValue, scope.environment.rawValue] + StatementArguments(purposes)
        )
        ids = rows.map { $0[0] }
        idsByPurpose = Dictionary(rows.map { ($0[1], $0[0]) }) { first, _ in first }
        tenant = scope.tenant
    }

    /// Whether a value has a counter of its own in the stream of a purpose. Only day files contain this information.
    func counts(_ value: ExactText, in dimension: Dimension, of purpose: Event.Purpose, _ db: Database) throws -> Bool {
        guard let stream = idsByPurpose[purpose.rawValue] else { return false }
        let find = try db.cachedStatement(
            sql: """
                SELECT 1 FROM stream_value JOIN value ON value.id = stream_value.value
                WHERE stream = ? AND tenant = ? AND dimension = ? AND other = 0 AND value.value = CAST(? AS TEXT)
                """
        )
        return try Row.fetchOne(
            find,
            arguments: [stream, tenant.rawValue, dimension.rawValue, StoredValue.text(value.description)]
        ) != nil
    }

    /// Placeholders for the ids: `?, ?`.
    var marks: String { Self.marks(ids.count) }
    var arguments: StatementArguments { StatementArguments(ids) }

    static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension AnalyticsScope {
    /// Whether the scope includes an event of its tenant, regardless of its time.
    func includes(_ event: Event) -> Bool {
        event.content.fields.countedEnvironment == environment && purposes.contains(event.purpose)
    }
}
