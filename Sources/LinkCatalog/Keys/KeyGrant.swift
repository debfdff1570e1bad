package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The permissions of a key: its scopes, its limits, and its validity.
package struct KeyGrant: Sendable, Hashable {
    package let id: KeyID
    package let secretHash: Data
    /// A display name.
    package var name: String
    /// Nil for a key of all tenants.
    package var tenant: TenantID?
    package var scopes: Set<Scope>
    /// Nil for all environments.
    package var environments: Set<EnvironmentID>?
    /// The routes that it may write; nil for all.
    package var routes: RouteLimit?
    package var createdAt: Timestamp
    package var expiresAt: Timestamp?
    package var revokedAt: Timestamp?
    /// The time of the last use, rounded to the hour.
    package var lastUsedAt: Timestamp?
    /// The id of the key that created it; nil for a key that was created locally on the machine. Revoking that key
    /// revokes this one as well.
    package var createdBy: KeyID?
    /// The id of the key whose rotation created it.
    package var replaces: KeyID?

    package enum Scope: String, Sendable, CaseIterable {
        case resolve, explain
        case tablesRead = "tables:read"
        case tablesWrite = "tables:write"
        case publish
        /// Recorded events, in exports and one by one.
        case exportsRead = "exports:read"
        /// Aggregated counts of events.
        case analyticsRead = "analytics:read"
        case keys
        /// Includes every other scope.
        case admin
    }

    /// Limits a key to the routes of some owners, or below some paths.
    package struct RouteLimit: Sendable, Hashable {
        /// Allowed values of a route's `owner`; nil for any.
        package var owners: Set<ExactText>?
        /// Allowed prefixes of a route's `path`, such as `/blog/`; nil for any.
        package var pathPrefixes: [String]?

        package init(owners: Set<ExactText>?, pathPrefixes: [String]?) {
            self.owners = owners
            self.pathPrefixes = pathPrefixes
        }
    }

    package init(
        id: KeyID,
        secretHash: Data,
        tenant: TenantID?,
        scopes: Set<Scope>,
        environments: Set<EnvironmentID>? = nil,
        routes: RouteLimit? = nil,
        createdAt: Timestamp,
        expiresAt: Timestamp?,
        revokedAt: Timestamp? = nil,
        lastUsedAt: Timestamp? = nil,
        createdBy: KeyID? = nil,
        replaces: KeyID? = nil,
        name: String
    ) {
        self.id = id
        self.secretHash = secretHash
        self.tenant = tenant
        self.scopes = scopes
        self.environments = environments
        self.routes = routes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.lastUsedAt = lastUsedAt
        self.createdBy = createdBy
        self.replaces = replaces
        self.name = name
    }

    /// Whether the key has the scope for the tenant; nil for data without a tenant.
    package func allows(_ scope: Scope, for tenant: TenantID?) -> Bool {
        (scopes.contains(scope) || scopes.contains(.admin)) && (self.tenant == nil || self.tenant == tenant)
    }

    package func allows(_ environment: EnvironmentID) -> Bool { environments?.contains(environment) ?? true }

    /// Whether the key may change what the tenant's environments and owners share: settings, suites, the history.
    package var isForWholeTenants: Bool { environments == nil && routes == nil }

    package func mayChangeSettings(of tenant: TenantID) -> Bool { allows(.admin, for: tenant) && isForWholeTenants }

    /// Whether the key is neither revoked nor expired.
    package func isValid(at now: Timestamp) -> Bool {
        revokedAt == nil && (expiresAt.map { now < $0 } ?? true)
    }

    /// Whether `other` permits everything that this key permits. A key cannot grant more than it has itself.
    package func isWithin(_ other: KeyGrant) -> Bool {
        func within<Element>(_ inner: Set<Element>?, _ outer: Set<Element>?) -> Bool {
            guard let outer else { return true }
            return inner?.isSubset(of: outer) ?? false
        }
        guard other.tenant == nil || tenant == other.tenant, within(environments, other.environments) else {
            return false
        }
        guard other.scopes.contains(.admin) || scopes.isSubset(of: other.scopes) else { return false }
        if let end = other.expiresAt { guard let own = expiresAt, own <= end else { return false } }
        guard let limit = other.routes else { return true }
        guard let own = routes, within(own.owners, limit.owners) else { return false }
        guard let outer = limit.pathPrefixes else { return true }
        return own.pathPrefixes?.allSatisfy { prefix in outer.contains { prefix.utf8.starts(with: $0.utf8) } } ?? false
    }

    /// Returns the changes that the key may not make, one sentence each; empty when all are within its limit.
    package func refusals(of diff: TableDiff) -> [String] {
        guard let routes else { return [] }
        let touched = diff.added + diff.removed + diff.changed.flatMap { [$0.before, $0.after] }
        var reported: Set<String> = []
        var refusals = touched.compactMap { route in
            routes.covers(route) || !reported.insert(route.id).inserted
                ? nil : "route '\(route.id)' is outside the key's owners and paths"
        }
        if !diff.others.isEmpty {
            refusals.append("changing the table's defaults or screens needs a key without owner and path limits")
        }
        // Which of two swapped routes has moved is ambiguous, and the order decides between equal patterns.
        if !diff.moved.isEmpty { refusals.append("reordering routes needs a key without owner and path limits") }
        return refusals
    }
}

extension KeyGrant.RouteLimit {
    fileprivate func covers(_ route: TableDiff.Route) -> Bool { covers(owner: route.owner, path: route.path) }

    func covers(owner: String?, path: String?) -> Bool {
        let isOwned = owners.map { owners in owner.map { owners.contains(ExactText($0)) } ?? false } ?? true
        // Compares bytes, as link matching does: `hasPrefix` would treat two encodings of an accent as equal.
        let isBelow =
            pathPrefixes.map { prefixes in prefixes.contains { path?.utf8.starts(with: $0.utf8) ?? false } } ?? true
        return isOwned && isBelow
    }
}

extension KeyGrant {
    /// The grant as JSON, without the secret's hash.
    package var json: JSONNode {
        .object([
            "id": .string(id.rawValue), "name": .string(name), "tenant": tenant.map { .string($0.rawValue) } ?? .null,
            "scopes": .array(scopes.map(\.rawValue).sorted().map(JSONNode.string)),
            "environments": environments.map { .array($0.map(\.rawValue).sorted().map(JSONNode.string)) },
            "owners": routes?.owners.map { .array($0.sorted().map { .string($0.description) }) },
            "pathPrefixes": routes?.pathPrefixes.map { .array($0.map(JSONNode.string)) },
            "createdBy": createdBy.map { .string($0.rawValue) } ?? .null,
            "createdAt": .string(createdAt.description), "expiresAt": expiresAt.map { .string($0.description) },
            "revokedAt": revokedAt.map { .string($0.description) },
            "lastUsedAt": lastUsedAt.map { .string($0.description) },
        ])
    }

    /// The grant as JSON with the secret key, for the response that shows it once.
    package func json(with key: APIKey) -> JSONNode {
        JSONNode(.object([JSONNode.Member("key", .string(key.token))] + (json.members ?? [])))
    }
}
