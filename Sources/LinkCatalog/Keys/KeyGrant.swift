package import LinkRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a key may do, where, and until when.
package struct KeyGrant: Sendable, Hashable {
    package let id: String
    package let secretHash: Data
    /// For people: whose key it is.
    package var name: String
    /// Nil for a key of every tenant.
    package var tenant: TenantID?
    package var scopes: Set<Scope>
    /// Nil for every environment.
    package var environments: Set<EnvironmentID>?
    /// Limits which routes it may write; nil for all of them.
    package var routes: RouteLimit?
    package var createdAt: Timestamp
    package var expiresAt: Timestamp?
    package var revokedAt: Timestamp?
    /// To the hour.
    package var lastUsedAt: Timestamp?
    /// The key that made it, which takes it along when it is ended; nil for one that was made at the machine itself.
    package var createdBy: String?
    /// The key whose rotation made it.
    package var replaces: String?

    package enum Scope: String, Sendable, CaseIterable {
        case resolve, explain
        case tablesRead = "tables:read"
        case tablesWrite = "tables:write"
        case publish
        /// Recorded events, in exports and by themselves.
        case exportsRead = "exports:read"
        /// Counts of events.
        case analyticsRead = "analytics:read"
        case keys
        /// Includes every other scope.
        case admin
    }

    /// The routes of some owners, or below some paths.
    package struct RouteLimit: Sendable, Hashable {
        /// Values of a route's `owner`; nil for any.
        package var owners: Set<ExactText>?
        /// What a route's `path` begins with, such as `/blog/`; nil for any.
        package var pathPrefixes: [String]?

        package init(owners: Set<ExactText>?, pathPrefixes: [String]?) {
            self.owners = owners
            self.pathPrefixes = pathPrefixes
        }
    }

    package init(
        id: String,
        secretHash: Data,
        tenant: TenantID?,
        scopes: Set<Scope>,
        environments: Set<EnvironmentID>? = nil,
        routes: RouteLimit? = nil,
        createdAt: Timestamp,
        expiresAt: Timestamp?,
        revokedAt: Timestamp? = nil,
        lastUsedAt: Timestamp? = nil,
        createdBy: String? = nil,
        replaces: String? = nil,
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

    package func allows(_ scope: Scope, for tenant: TenantID?) -> Bool {
        (scopes.contains(scope) || scopes.contains(.admin)) && (self.tenant == nil || self.tenant == tenant)
    }

    package func allows(_ environment: EnvironmentID) -> Bool { environments?.contains(environment) ?? true }

    /// Whether the key may touch what a tenant's environments and owners share: settings, suites, the history.
    package var isForWholeTenants: Bool { environments == nil && routes == nil }

    package func isValid(at now: Timestamp) -> Bool {
        revokedAt == nil && (expiresAt.map { now < $0 } ?? true)
    }

    /// Whether everything that this key may do, `other` may do as well: nobody hands out more than he has.
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

    /// What the key may not change, one sentence each; empty when all of it is within its limit.
    package func refusals(of diff: TableDiff) -> [String] {
        guard let routes else { return [] }
        let touched = diff.added + diff.removed + diff.changed.flatMap { [$0.before, $0.after] }
        var told: Set<String> = []
        var refusals = touched.compactMap { route in
            routes.covers(route) || !told.insert(route.id).inserted
                ? nil : "route '\(route.id)' is not within the key's owners and paths"
        }
        if !diff.others.isEmpty { refusals.append("the table's defaults belong to no owner") }
        // Which of two routes moved is a matter of view, and order decides between equal patterns.
        if !diff.moved.isEmpty { refusals.append("the order of routes belongs to no owner") }
        return refusals
    }
}

extension KeyGrant.RouteLimit {
    fileprivate func covers(_ route: TableDiff.Route) -> Bool { covers(owner: route.owner, path: route.path) }

    func covers(owner: String?, path: String?) -> Bool {
        let isOwned = owners.map { owners in owner.map { owners.contains(ExactText($0)) } ?? false } ?? true
        // By bytes, as links are matched: to `hasPrefix` two spellings of an accent are one.
        let isBelow =
            pathPrefixes.map { prefixes in prefixes.contains { path?.utf8.starts(with: $0.utf8) ?? false } } ?? true
        return isOwned && isBelow
    }
}

extension KeyGrant {
    /// Everything but the secret's hash.
    package var json: JSONNode {
        .object([
            "id": .string(id), "name": .string(name), "tenant": tenant.map { .string($0.rawValue) } ?? .null,
            "scopes": .array(scopes.map(\.rawValue).sorted().map(JSONNode.string)),
            "environments": environments.map { .array($0.map(\.rawValue).sorted().map(JSONNode.string)) },
            "owners": routes?.owners.map { .array($0.sorted().map { .string($0.description) }) },
            "pathPrefixes": routes?.pathPrefixes.map { .array($0.map(JSONNode.string)) },
            "createdBy": createdBy.map(JSONNode.string) ?? .null,
            "createdAt": .string(createdAt.description), "expiresAt": expiresAt.map { .string($0.description) },
            "revokedAt": revokedAt.map { .string($0.description) },
            "lastUsedAt": lastUsedAt.map { .string($0.description) },
        ])
    }
}
