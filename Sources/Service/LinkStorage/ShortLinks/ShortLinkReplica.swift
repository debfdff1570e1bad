import Foundation
import LinkCatalog
import LinkRouting

/// Keeps this node's `links.db` as a copy of the short links in another store, so that clicks never wait for it.
///
/// The store numbers each changed row under a lock (a sequence's numbers would become visible out of order), so a reader
/// that has all rows up to a number misses none. Deleted rows are not numbered: each node deletes what has ended itself.
struct ShortLinkReplica: Sendable {
    private let source: any SQLStore
    private let copy: SQLiteStore

    /// The most rows that are read at once, and held in memory.
    private static let page = 5_000

    init(of source: any SQLStore, in copy: SQLiteStore) {
        self.source = source
        self.copy = copy
    }

    /// What a copy has.
    private struct Position: Hashable {
        /// The number of the last row.
        var number: Int64 = 0
        /// A transaction of the store that was the newest when the copy was made.
        var commit = Commit()
        /// Whether the copy has ever had all rows.
        var isComplete = false
        /// The history that was accepted last.
        var accepted: String?
    }

    /// A transaction: the number of its last row, and an id that no other transaction has.
    private struct Commit: Hashable {
        var number: Int64 = 0
        var id = ""
    }

    /// Notes a transaction of this node in the store, at its end.
    func note(_ db: any SQLDatabase) throws {
        do {
            try Self.require(try copy.reading(Self.position).commit, in: db, try Self.newestCommit(db))
        } catch let foreign as ForeignHistory {
            throw CatalogUnavailable("\(foreign)")
        }
        try Self.note(db)
    }

    /// Notes a transaction in the store, at its end.
    static func note(_ db: any SQLDatabase) throws {
        try db.execute(
            sql: """
                INSERT INTO link_commit (number, id, at)
                SELECT CASE WHEN is_called THEN last_value ELSE 0 END, gen_random_uuid(), \(now) FROM link_number
                ON CONFLICT (number) DO NOTHING
                """
        )
    }

    private static let now = "CAST(1000 * extract(epoch FROM now()) AS BIGINT)"

    /// Whether the copy has ever had all rows, so that this node can answer clicks.
    var isComplete: Bool { get throws { try copy.reading { try Self.position($0).isComplete } } }

    /// The number of the last row that the copy has.
    var number: Int64 { get throws { try copy.reading { try Self.position($0).number } } }

    /// Copies what has changed. Continues where an earlier call was interrupted.
    ///
    /// - Parameter progress: Called with the number of rows that were copied so far.
    /// - Throws: ``ForeignHistory``, or what the stores throw.
    func follow(telling progress: (Int) -> Void = { _ in }) async throws {
        do {
            if let known = try await copy.read({ try Self.positionBeforeMigration($0) }) {
                try await source.longRead { try Self.require(known.commit, in: $0, try Self.newestCommit($0)) }
                try await copyAll(telling: progress)
            }
            try await copyPages(telling: progress)
        } catch let foreign as ForeignHistory {
            let accepted = try await source.longRead { try AcceptedHistory.last(in: $0) }
            // Links of a directory's own are never replaced.
            let isNew = try copy.reading {
                try Self.isCopy($0) && AcceptedHistory.isNew(accepted, after: Self.position($0).accepted)
            }
            guard isNew else { throw foreign }
            try await copyAll(telling: progress)
        }
    }

    /// Follows for a second at most: after that, the caller's link arrives a little later.
    func followBriefly() async {
        let (wait, end) = AsyncStream.makeStream(of: Never.self)
        Task {
            try? await follow()
            end.finish()
        }
        Task {
            try? await Task.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in wait {}
    }

    private func copyPages(telling progress: (Int) -> Void) async throws {
        var sum = 0
        while let count = try await copyPage() {
            sum += count
            progress(sum)
            try Task.checkCancellation()
        }
    }

    /// Returns the number of copied rows; nil if the copy has all.
    private func copyPage() async throws -> Int? {
        let known = try await copy.read { try Self.position($0) }
        let (newest, accepted, rows) = try await source.longRead { source in
            let newest = try Self.newestCommit(source)
            try Self.require(known.commit, in: source, newest)
            let isCurrent = newest.number == known.number
            return (
                newest, try AcceptedHistory.last(in: source),
                isCurrent ? [] : try Self.rows(source, after: known.number, by: "change")
            )
        }
        let hasAll = rows.count < Self.page
        let position = Position(
            number: hasAll ? newest.number : try rows.last?["change"] ?? newest.number,
            commit: newest,
            isComplete: known.isComplete || hasAll,
            accepted: accepted
        )
        guard position != known else { return nil }
        return try await copy.storing { copy in
            // Another call may have been faster.
            guard try Self.position(copy) == known else { return 0 }
            guard try Self.isCopy(copy) || Int.fetchOne(copy, sql: "SELECT 1 FROM short_link LIMIT 1") == nil else {
                throw ForeignHistory(known: 0, found: newest.number)
            }
            try Self.put(rows, copy)
            try Self.save(position, copy)
            return hasAll ? nil : rows.count
        }
    }

    /// Copies all rows by their ids, and removes others: a history was accepted that lacks changes of the copy, or a migration of
    /// the copy added columns that the store has had values for.
    private func copyAll(telling progress: (Int) -> Void) async throws {
        var (last, sum) = (Int64(0), 0)
        let (newest, accepted) = try await source.longRead {
            (try Self.newestCommit($0), try AcceptedHistory.last(in: $0))
        }
        while true {
            let rows = try await source.longRead { [last] in try Self.rows($0, after: last, by: "id") }
            let end: Int64 = rows.count < Self.page ? .max : try rows.last?["id"] ?? .max
            try await copy.storing { [last] copy in
                try Self.put(rows, copy)
                let kept = Set(try rows.map { try $0["id"] as Int64 })
                let all = "SELECT id FROM short_link WHERE id > ? AND id <= ?"
                for id in try Int64.fetchAll(copy, sql: all, arguments: [last, end]) where !kept.contains(id) {
                    try copy.execute(sql: "DELETE FROM short_link WHERE id = ?", arguments: [id])
                }
                guard end == .max else { return }
                // A click of the lost time, since its link's id may be another one's now.
                try copy.execute(sql: "DELETE FROM unsent_end")
                // What has changed since the beginning is copied again.
                try Self.save(
                    Position(number: newest.number, commit: newest, isComplete: true, accepted: accepted),
                    copy
                )
            }
            guard end < .max else { return }
            last = end
            sum += rows.count
            progress(sum)
            try Task.checkCancellation()
        }
    }

    private static func rows(_ source: any SQLDatabase, after last: Int64, by column: String) throws -> [SQLRow] {
        try SQLRow.fetchAll(
            source,
            sql: """
                SELECT link.*, tenant.name AS tenant_name FROM short_link AS link
                JOIN link_tenant AS tenant ON tenant.id = link.tenant
                WHERE link.\(column) > ? ORDER BY link.\(column) LIMIT ?
                """,
            arguments: [last, page]
        )
    }

    private static func isCopy(_ db: any SQLDatabase) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM link_position") == 1
    }

    private static func position(_ copy: any SQLDatabase) throws -> Position {
        guard let row = try SQLRow.fetchOne(copy, sql: "SELECT * FROM link_position") else { return Position() }
        return Position(
            number: try row["number"],
            commit: Commit(number: try row["commit_number"], id: try row["commit_id"]),
            isComplete: try row["is_complete"],
            accepted: try row["accepted"]
        )
    }

    /// The position of a copy that was migrated after its rows were copied; nil if it was not.
    private static func positionBeforeMigration(_ copy: any SQLDatabase) throws -> Position? {
        let sql = "SELECT 1 FROM link_position, pragma_user_version WHERE link_position.schema <> user_version"
        return try Int.fetchOne(copy, sql: sql) == nil ? nil : try position(copy)
    }

    private static func save(_ position: Position, _ copy: any SQLDatabase) throws {
        try copy.execute(sql: "DELETE FROM link_position")
        try copy.execute(
            sql: """
                INSERT INTO link_position (number, commit_number, commit_id, is_complete, accepted, schema)
                SELECT ?, ?, ?, ?, ?, user_version FROM pragma_user_version
                """,
            arguments: [
                position.number, position.commit.number, position.commit.id, position.isComplete, position.accepted,
            ]
        )
    }

    private static func newestCommit(_ source: any SQLDatabase) throws -> Commit {
        try SQLRow.fetchOne(source, sql: "SELECT number, id FROM link_commit ORDER BY number DESC LIMIT 1").map {
            Commit(number: try $0["number"], id: try $0["id"])
        } ?? Commit()
    }

    /// A store without the transaction has lost it, and may number other rows as the copy's.
    private static func require(_ known: Commit, in source: any SQLDatabase, _ newest: Commit) throws {
        guard known.id != "" else { return }
        let id = try String.fetchOne(
            source,
            sql: "SELECT id FROM link_commit WHERE number = ?",
            arguments: [known.number]
        )
        guard id == known.id else { throw ForeignHistory(known: known.number, found: newest.number) }
    }

    private static let columns = [
        "id", "code", "content", "expires", "status", "block_reason", "created_at", "updated_at", "actor_kind",
        "actor_id", "actor_name", "version", "install", "from_app", "reuse",
    ]

    private static let insert = """
        INSERT INTO short_link (tenant, \(columns.joined(separator: ", ")))
        VALUES (\(ShortLinkDatabase.tenantSQL), \(columns.map { ":" + $0 }.joined(separator: ", ")))
        ON CONFLICT (id) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    private static func put(_ rows: [SQLRow], _ copy: any SQLDatabase) throws {
        var tenants: Set<String> = []
        for row in rows {
            let name: String = try row["tenant_name"]
            if tenants.insert(name).inserted, let tenant = TenantID(name) { try ShortLinkDatabase.add(tenant, copy) }
            try put(row, copy)
        }
    }

    private static func put(_ row: SQLRow, _ copy: any SQLDatabase) throws {
        var values = Dictionary(columns.map { ($0, row[value: $0]) }) { first, _ in first }
        values["tenant"] = row[value: "tenant_name"]
        // A link that this node has not deleted yet, and whose code has been given again; or a link of a lost history, whose
        // id has been given again.
        try copy.execute(
            sql: """
                DELETE FROM short_link WHERE (tenant = \(ShortLinkDatabase.tenantSQL) AND code = :code AND id <> :id)
                    OR (id = :id AND NOT (tenant = \(ShortLinkDatabase.tenantSQL) AND code = :code
                        AND created_at = :created_at AND from_app = :from_app))
                """,
            arguments: .named(values)
        )
        try copy.execute(sql: insert, arguments: .named(values))
    }

    // MARK: Ends of apps' links

    /// Moves the end of a link in the copy, and notes it for ``sendEnds(by:)``. Returns false if `move` finds no link.
    func prolong(to end: Timestamp, _ move: @escaping @Sendable (any SQLDatabase) throws -> Int64?) async throws -> Bool
    {
        try await copy.storing { copy in
            guard let id = try move(copy) else { return false }
            try copy.execute(
                sql: """
                    INSERT INTO unsent_end (link, expires) VALUES (?, ?)
                    ON CONFLICT (link) DO UPDATE SET expires = excluded.expires
                    """,
                arguments: [id, end.milliseconds]
            )
            return true
        }
    }

    /// A click leaves a link of an app two months, so links that end within two days were not clicked on a node that has
    /// reported since. They get a week more. Also forgets transactions that no copy can need any more.
    func hold(by commits: GroupCommit, at now: Timestamp) async throws {
        let (hour, day) = (Int64(3_600_000), Timestamp.millisecondsPerDay)
        var count = 0
        repeat {
            count = try await commits.storing { db in
                try Int64.fetchAll(
                    db,
                    sql: """
                        UPDATE short_link SET expires = :held WHERE id IN (
                            SELECT id FROM short_link
                            WHERE from_app = 1 AND version = 1 AND expires BETWEEN :now AND :soon
                                AND EXISTS (SELECT 1 FROM node WHERE seen_at < :missing)
                            LIMIT 500)
                        RETURNING id
                        """,
                    arguments: [
                        "now": now.milliseconds, "soon": now.milliseconds + 2 * day,
                        "held": now.milliseconds + 9 * day, "missing": now.milliseconds - hour,
                    ]
                ).count
            }
        } while count == 500
        let old = now.milliseconds - 90 * day
        try await commits.storing { db in
            // Not the newest of them: a node that has everything may know no later one.
            try db.execute(
                sql: "DELETE FROM link_commit WHERE number < (SELECT max(number) FROM link_commit WHERE at < ?)",
                arguments: [old]
            )
        }
    }

    /// Tells the store which apps' links live on because they were clicked here. The latest end of all nodes holds.
    func sendEnds(by commits: GroupCommit) async throws {
        while true {
            let ends = try await copy.read { copy in
                try SQLRow.fetchAll(copy, sql: "SELECT link, expires FROM unsent_end LIMIT 500").map {
                    (link: try $0["link"] as Int64, expires: try $0["expires"] as Int64)
                }
            }
            guard !ends.isEmpty else { return }
            try await commits.storing { db in
                for end in ends {
                    try db.execute(
                        sql: """
                            UPDATE short_link SET expires = :expires
                            WHERE id = :link AND from_app = 1 AND version = 1 AND expires < :expires
                            """,
                        arguments: ["link": end.link, "expires": end.expires]
                    )
                }
            }
            try await copy.storing { copy in
                for end in ends {
                    try copy.execute(
                        sql: "DELETE FROM unsent_end WHERE link = ? AND expires = ?",
                        arguments: [end.link, end.expires]
                    )
                }
            }
        }
    }
}
