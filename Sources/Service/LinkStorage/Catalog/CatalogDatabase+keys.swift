package import Foundation
package import LinkCatalog
package import LinkRouting

extension CatalogDatabase {
    package func saveKey(_ grant: KeyGrant, change: AuditContext) async throws -> KeyID? {
        try await pool.storing { db in
            if let tenant = grant.tenant { try Self.requireActive(tenant, db) }
            try Self.requireCreator(of: grant, change, db)
            let removed = try Self.makeRoom(for: grant, db)
            try db.execute(
                sql: """
                    INSERT INTO api_key (id, secret_hash, tenant, scopes, name, created_at, expires_at, environments, owners,
                        path_prefixes, creator_limits, created_by, replaces)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    grant.id, grant.secretHash, grant.tenant?.rawValue,
                    Self.list(grant.scopes.map(\.rawValue).sorted()),
                    grant.name, grant.createdAt.milliseconds, grant.expiresAt?.milliseconds,
                    Self.list(grant.environments?.map(\.rawValue).sorted()),
                    grant.routes?.json["owners"]?.json(), grant.routes?.json["pathPrefixes"]?.json(),
                    JSONNode.array(grant.creatorLimits.map(\.json)).json(), grant.createdBy, grant.replaces,
                ]
            )
            try Self.audit(
                Audited("key.create", grant.tenant, subject: grant.id.rawValue, after: grant.json),
                change,
                db
            )
            return removed
        }
    }

    /// Throws if the creating key has ended since the request arrived, or if keys have created too many today.
    private static func requireCreator(of grant: KeyGrant, _ change: AuditContext, _ db: any SQLDatabase) throws {
        guard let creator = grant.createdBy else { return }
        let known = try grants([creator], db).first
        guard known?.isValid(at: grant.createdAt) ?? false else { throw MakerHasEnded() }
        // A key for all tenants may replace the keys of a tenant that has used up its quota.
        guard change.share != .unlimited || grant.tenant == nil else { return }
        let today = try Int.fetchOne(
            db,
            sql: "SELECT count(*) FROM api_key WHERE \(ofTenant(grant.tenant)) AND created_at >= :today",
            arguments: ["tenant": grant.tenant?.rawValue, "today": grant.createdAt.day.start.milliseconds]
        )
        guard today ?? 0 < DailyQuota.keys.maximum(for: change.share) else {
            throw DailyQuotaReached(.keys, for: change.share, at: grant.createdAt)
        }
    }

    /// The condition of a tenant's keys; for nil, of those for all tenants.
    private static func ofTenant(_ tenant: TenantID?) -> String {
        tenant == nil ? "tenant IS NULL" : "tenant = :tenant"
    }

    /// Throws if the tenant has too many valid keys. Removes the key that expired first, if there are as many expired ones
    /// in addition, and returns its id. So many keep their places because they may be valid again when a wrong clock is
    /// corrected; the keys of today, because they are counted.
    private static func makeRoom(for grant: KeyGrant, _ db: any SQLDatabase) throws -> KeyID? {
        let ofTenant = "FROM api_key WHERE \(ofTenant(grant.tenant)) AND revoked_at IS NULL"
        let arguments: SQLArguments = [
            "tenant": grant.tenant?.rawValue, "now": grant.createdAt.milliseconds,
            "today": grant.createdAt.day.start.milliseconds,
        ]
        func count(_ condition: String) throws -> Int {
            try Int.fetchOne(db, sql: "SELECT count(*) \(ofTenant) AND \(condition)", arguments: arguments) ?? 0
        }
        guard try count("(expires_at IS NULL OR expires_at > :now)") < TooManyKeys.maximum else {
            throw TooManyKeys(tenant: grant.tenant)
        }
        guard try count("expires_at <= :now") >= TooManyKeys.maximum else { return nil }
        let first = try KeyID.fetchOne(
            db,
            sql: "SELECT id \(ofTenant) AND expires_at <= :now AND created_at < :today ORDER BY expires_at LIMIT 1",
            arguments: arguments
        )
        return try first.map { try remove("id = ?", [$0], db) }?.first
    }

    package func keyGrants() async throws -> [KeyGrant] {
        try await pool.read { try SQLRow.fetchAll($0, sql: "SELECT * FROM api_key ORDER BY id").map(Self.grant) }
    }

    package func keyGrantsNotRevoked() async throws -> [KeyGrant] {
        try await pool.read {
            try SQLRow.fetchAll($0, sql: "SELECT * FROM api_key WHERE revoked_at IS NULL").map(Self.grant)
        }
    }

    package func keyGrants(_ ids: [KeyID]) async throws -> [KeyGrant] {
        try await pool.read { try Self.grants(ids, $0) }
    }

    package func keyIDs(of tenant: TenantID?) async throws -> [KeyID] {
        try await pool.read { db in
            try KeyID.fetchAll(
                db,
                sql: "SELECT id FROM api_key WHERE tenant = :tenant OR :tenant IS NULL ORDER BY id",
                arguments: ["tenant": tenant?.rawValue]
            )
        }
    }

    private static func grants(_ ids: [KeyID], _ db: any SQLDatabase) throws -> [KeyGrant] {
        try ids.compactMap { id in
            try SQLRow.fetchOne(db, sql: "SELECT * FROM api_key WHERE id = ?", arguments: [id]).map(grant)
        }
    }

    package func endKey(_ id: KeyID, at end: Timestamp, as action: KeyEnd, change: AuditContext) async throws
        -> EndedKey?
    {
        try await pool.storing { db in
            guard let key = try Self.grants([id], db).first else { return nil }
            let after = try Self.end(key, at: end, as: action, change, db)
            guard action == .revoke else { return EndedKey(after, others: []) }
            let others = try Self.validDescendants(of: id, at: end, db)
            return EndedKey(after, others: try others.map { try Self.end($0, at: end, as: action, change, db) })
        }
    }

    private static func end(
        _ before: KeyGrant,
        at end: Timestamp,
        as action: KeyEnd,
        _ change: AuditContext,
        _ db: any SQLDatabase
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
            Audited(
                action.action,
                before.tenant,
                subject: before.id.rawValue,
                before: before.end,
                after: after.end,
                // Every key can be ended, however many changes were made.
                room: .always
            ),
            change,
            db
        )
        return after
    }

    /// Returns the valid keys that a key created or replaced, transitively, also through keys that have ended.
    private static func validDescendants(of id: KeyID, at now: Timestamp, _ db: any SQLDatabase) throws -> [KeyGrant] {
        var (found, waiting): (Set<KeyID>, Set<KeyID>) = ([id], [id])
        while let first = waiting.first {
            // One statement for many, since a store may be on another machine.
            let some = waiting.prefix(Self.keysAtOnce)
            waiting.subtract(some)
            let padded = Array(some) + Array(repeating: first, count: Self.keysAtOnce - some.count)
            let related = try KeyID.fetchAll(
                db,
                sql: Self.related,
                arguments: .list(Array(repeatElement(padded.map(\.sqlValue), count: 4).joined()))
            )
            waiting.formUnion(related.filter { found.insert($0).inserted })
        }
        return try grants(found.subtracting([id]).sorted(), db).filter { $0.isValid(at: now) }
    }

    private static let keysAtOnce = 100

    /// The keys that some keys created and replaced; the ids are listed four times.
    private static let related: String = {
        let ids = "(\(Array(repeating: "?", count: keysAtOnce).joined(separator: ", ")))"
        return """
            SELECT id FROM api_key WHERE created_by IN \(ids) UNION SELECT id FROM ended_key WHERE created_by IN \(ids)
            UNION SELECT replaces FROM api_key WHERE id IN \(ids) UNION SELECT replaces FROM ended_key WHERE id IN \(ids)
            """
    }()

    /// Milliseconds for which an ended key stays, for those who look up what it was.
    private static let endedKeyAge: Int64 = 30 * 86_400_000

    /// When a key ended, or NULL; `api_key_by_end` is its index.
    private static let end =
        "coalesce(CASE WHEN revoked_at < expires_at THEN revoked_at ELSE expires_at END, revoked_at)"

    package func removeEndedKeys(at now: Timestamp) async throws -> [KeyID] {
        try await pool.storing {
            try Self.remove(
                "\(Self.end) < ?",
                [now.milliseconds - Self.endedKeyAge],
                $0
            )
        }
    }

    /// Removes keys, but for their ids and the keys that they created and replaced, which a revocation still finds.
    private static func remove(_ condition: String, _ arguments: SQLArguments, _ db: any SQLDatabase) throws -> [KeyID]
    {
        try db.execute(
            sql: "INSERT INTO ended_key SELECT id, created_by, replaces FROM api_key WHERE \(condition)",
            arguments: arguments
        )
        return try KeyID.fetchAll(db, sql: "DELETE FROM api_key WHERE \(condition) RETURNING id", arguments: arguments)
    }

    /// Writes no audit row, because no access rights change.
    package func noteUse(ofKey id: KeyID, at hour: Timestamp) async throws {
        try await pool.storing { db in
            try db.execute(
                sql: "UPDATE api_key SET last_used_at = ? WHERE id = ?",
                arguments: [hour.milliseconds, id]
            )
        }
    }

    private static func grant(_ row: SQLRow) throws -> KeyGrant {
        func texts(_ list: JSONNode?) -> [String]? { list?.elements?.compactMap(\.text) }
        func set(_ column: String) throws -> [String]? {
            try (row[column] as String?).flatMap { texts(try content($0)) }
        }
        let limits = try content(row["creator_limits"]).elements ?? []
        return try KeyGrant(
            id: row["id"],
            secretHash: row["secret_hash"],
            tenant: (row["tenant"] as String?).flatMap { TenantID($0) },
            scopes: Set((set("scopes") ?? []).compactMap(KeyGrant.Scope.init(rawValue:))),
            environments: set("environments").map { Set($0.compactMap { EnvironmentID($0) }) },
            routes: KeyGrant.RouteLimit(owners: set("owners"), pathPrefixes: set("path_prefixes")),
            creatorLimits: limits.compactMap {
                KeyGrant.RouteLimit(owners: texts($0["owners"]), pathPrefixes: texts($0["pathPrefixes"]))
            },
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

    package func sealingKeys(of ring: SealingKeyRing, random: Data, at now: Timestamp) async throws -> [Data] {
        try await pool.storing { [hasCopy = replica != nil] db in
            let newest = try Int64.fetchOne(
                db,
                sql: "SELECT max(created_at) FROM sealing_key WHERE ring = ?",
                arguments: [ring.rawValue]
            )
            if newest.map({ now.milliseconds - $0 > ring.period }) ?? true {
                try db.execute(
                    sql: """
                        INSERT INTO sealing_key (id, ring, key, created_at)
                        SELECT coalesce(max(id), 0) + 1, CAST(? AS TEXT), ?, ? FROM sealing_key
                        """,
                    arguments: [ring.rawValue, random, now.milliseconds]
                )
            }
            // A key seals until the next one is created, which may be long after its own creation.
            try db.execute(
                sql: """
                    DELETE FROM sealing_key WHERE ring = :ring AND id < (
                        SELECT max(id) FROM sealing_key WHERE ring = :ring AND created_at < :end
                    )
                    """,
                arguments: ["ring": ring.rawValue, "end": now.milliseconds - ring.overlap]
            )
            return try Self.sealingKeys(of: ring, announcedBefore: hasCopy ? now : nil, db)
        }
    }

    /// Returns the keys that this node knows, the one that seals first.
    package func sealingKeys(of ring: SealingKeyRing, at now: Timestamp) async throws -> [Data] {
        try await local.read { try Self.sealingKeys(of: ring, announcedBefore: now, $0) }
    }

    /// Milliseconds in which other nodes learn a new key, before it seals.
    private static let announcement: Int64 = 60_000

    /// - Parameter now: Nil if no other node must learn a key before it seals.
    private static func sealingKeys(
        of ring: SealingKeyRing,
        announcedBefore now: Timestamp?,
        _ db: any SQLDatabase
    ) throws -> [Data] {
        let rows = try SQLRow.fetchAll(
            db,
            sql: "SELECT key, created_at FROM sealing_key WHERE ring = ? ORDER BY id DESC",
            arguments: [ring.rawValue]
        )
        var keys = try rows.map { try $0["key"] as Data }
        if let now, keys.count > 1, try rows[0]["created_at"] > now.milliseconds - announcement { keys.swapAt(0, 1) }
        return keys
    }
}

extension KeyGrant.RouteLimit {
    /// Nil for a limit of nothing.
    fileprivate init?(owners: [String]?, pathPrefixes: [String]?) {
        guard owners != nil || pathPrefixes != nil else { return nil }
        self.init(
            owners: owners.map { Set($0.map { ExactText($0) }) },
            pathPrefixes: pathPrefixes?.compactMap { PathPrefix($0) }
        )
    }
}

extension KeyGrant {
    /// What ending a key changes. Its permissions are in the row of its creation.
    fileprivate var end: JSONNode {
        .object([
            "name": .string(name), "expiresAt": expiresAt.map { .string($0.description) },
            "revokedAt": revokedAt.map { .string($0.description) },
        ])
    }
}

extension KeyID: SQLConvertible {
    package var sqlValue: SQLValue { .text(rawValue) }

    package init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}
