package import Foundation
import GRDB
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func saveKey(_ grant: KeyGrant, change: Change) async throws {
        try await pool.storing { db in
            try db.execute(
                sql: """
                    INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, expires_at, environments, owners,
                        path_prefixes, created_by, replaces)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    grant.id, grant.secretHash, grant.tenant?.rawValue,
                    Self.list(grant.scopes.map(\.rawValue).sorted()),
                    grant.name, grant.createdAt.milliseconds, grant.expiresAt?.milliseconds,
                    Self.list(grant.environments?.map(\.rawValue).sorted()),
                    Self.list(grant.routes?.owners?.sorted().map(\.description)), Self.list(grant.routes?.pathPrefixes),
                    grant.createdBy, grant.replaces,
                ]
            )
            try Self.audit(
                Audited("key.create", grant.tenant, subject: grant.id, after: grant.json),
                change,
                db
            )
        }
    }

    package func keySnapshot() async throws -> (version: Int64, grants: [KeyGrant]) {
        try await pool.read { db in
            let version = try Int64.fetchOne(db, sql: "SELECT max(id) FROM audit") ?? 0
            return (version, try Row.fetchAll(db, sql: "SELECT * FROM api_key ORDER BY id").map(Self.grant))
        }
    }

    package func endKey(_ id: String, at end: Timestamp, as action: KeyEnd, change: Change) async throws -> EndedKey? {
        try await pool.storing { db in
            let grants = Dictionary(
                try Row.fetchAll(db, sql: "SELECT * FROM api_key").map(Self.grant).map { ($0.id, $0) }
            ) { first, _ in first }
            guard let key = grants[id] else { return nil }
            let after = try Self.end(key, at: end, as: action, change, db)
            guard action == .revoke else { return EndedKey(after, others: []) }
            let others = Self.heirs(of: key, in: grants).filter { $0.isValid(at: end) }
            for other in others { _ = try Self.end(other, at: end, as: action, change, db) }
            return EndedKey(after, others: others.map(\.id))
        }
    }

    private static func end(
        _ before: KeyGrant,
        at end: Timestamp,
        as action: KeyEnd,
        _ change: Change,
        _ db: Database
    ) throws -> KeyGrant {
        var after = before
        switch action {
        case .revoke, .revokeAlone: after.revokedAt = before.revokedAt ?? end
        case .rotate: after.expiresAt = min(before.expiresAt ?? end, end)
        }
        guard after != before else { return before }
        try db.execute(
            sql: "UPDATE api_key SET revoked_at = ?, expires_at = ? WHERE id = ?",
            arguments: [after.revokedAt?.milliseconds, after.expiresAt?.milliseconds, before.id]
        )
        try audit(
            Audited(action.action, before.tenant, subject: before.id, before: before.json, after: after.json),
            change,
            db
        )
        return after
    }

    /// The keys that a key made or took over from, those that these made, and so on; also through keys that have ended.
    private static func heirs(of key: KeyGrant, in grants: [String: KeyGrant]) -> [KeyGrant] {
        let made = Dictionary(grouping: grants.values.filter { $0.createdBy != nil }, by: \.createdBy)
        var seen: Set<String> = [key.id]
        var open = [key]
        var heirs: [KeyGrant] = []
        while let next = open.popLast() {
            let near = (made[next.id] ?? []) + [next.replaces.flatMap { grants[$0] }].compactMap(\.self)
            for heir in near where seen.insert(heir.id).inserted {
                heirs.append(heir)
                open.append(heir)
            }
        }
        return heirs.sorted { $0.id < $1.id }
    }

    /// No change of anybody's rights, and so without an audit row.
    package func noteUse(ofKey id: String, at hour: Timestamp) async throws {
        try await pool.storing { db in
            try db.execute(
                sql: "UPDATE api_key SET last_used_at = ? WHERE id = ?",
                arguments: [hour.milliseconds, id]
            )
        }
    }

    private static func grant(_ row: Row) throws -> KeyGrant {
        func set(_ column: String) throws -> [String]? {
            try (row[column] as String?).map { (try content($0).elements ?? []).compactMap(\.text) }
        }
        let owners = try set("owners").map { Set($0.map { ExactText($0) }) }
        let prefixes = try set("path_prefixes")
        return KeyGrant(
            id: row["id"],
            secretHash: row["secret_hash"],
            tenant: (row["tenant"] as String?).flatMap { TenantID($0) },
            scopes: Set((try set("scopes") ?? []).compactMap(KeyGrant.Scope.init(rawValue:))),
            environments: try set("environments").map { Set($0.compactMap { EnvironmentID($0) }) },
            routes: owners == nil && prefixes == nil
                ? nil : KeyGrant.RouteLimit(owners: owners, pathPrefixes: prefixes),
            createdAt: Timestamp(milliseconds: row["created_at"]),
            expiresAt: (row["expires_at"] as Int64?).map(Timestamp.init(milliseconds:)),
            revokedAt: (row["revoked_at"] as Int64?).map(Timestamp.init(milliseconds:)),
            lastUsedAt: (row["last_used_at"] as Int64?).map(Timestamp.init(milliseconds:)),
            createdBy: row["created_by"],
            replaces: row["replaces"],
            name: row["name"]
        )
    }

    private static func list(_ texts: [String]?) -> String? {
        texts.map { JSONNode.array($0.map(JSONNode.string)).json() }
    }

    package func continuationKeys(random: Data, at now: Timestamp, age: Int64) async throws -> [Data] {
        try await pool.storing { db in
            let newest = try Int64.fetchOne(db, sql: "SELECT max(created_at) FROM continuation_key")
            if newest.map({ now.milliseconds - $0 > age }) ?? true {
                try db.execute(
                    sql: "INSERT INTO continuation_key (key, created_at) VALUES (?, ?)",
                    arguments: [random, now.milliseconds]
                )
                try db.execute(
                    sql: """
                        DELETE FROM continuation_key
                        WHERE id NOT IN (SELECT id FROM continuation_key ORDER BY id DESC LIMIT 2)
                        """
                )
            }
            return try Data.fetchAll(db, sql: "SELECT key FROM continuation_key ORDER BY id DESC")
        }
    }
}
