import GRDB
import LinkEvents
import LinkRouting

/// The streams of one file that a question is about.
struct StreamSelection {
    let ids: [Int64]

    init(_ scope: StatisticsScope, _ db: Database) throws {
        let purposes = scope.purposes.map(\.rawValue).sorted()
        let find = try db.cachedStatement(
            sql: """
                SELECT id FROM stream
                WHERE tenant = ? AND environment = ? AND purpose IN (\(Self.marks(purposes.count))) ORDER BY id
                """
        )
        ids = try Int64.fetchAll(
            find,
            arguments: [scope.tenant.rawValue, scope.environment.rawValue] + StatementArguments(purposes)
        )
    }

    /// `?, ?` for the ids.
    var marks: String { Self.marks(ids.count) }
    var arguments: StatementArguments { StatementArguments(ids) }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension StatisticsScope {
    /// Whether the question is about an event of its tenant, whenever it was.
    func includes(_ event: Event) -> Bool {
        event.environment == environment && purposes.contains(event.purpose)
    }
}
