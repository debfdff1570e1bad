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
    /// The limits of the keys that created it, transitively, each once. A change must be within these as well: whatever
    /// a key may write or publish, its creators may.
    package var creatorLimits: [RouteLimit]
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
        case linksRead = "links:read"
        case linksWrite = "links:write"
        /// To create short links from apps. Everybody who has such an app can read its key.
        case linksCreate = "links:create"
        case keys
        /// Includes every other scope.
        case admin
    }

    package init(
        id: KeyID,
        secretHash: Data,
        tenant: TenantID?,
        scopes: Set<Scope>,
        environments: Set<EnvironmentID>? = nil,
        routes: RouteLimit? = nil,
        creatorLimits: [RouteLimit] = [],
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
        self.creatorLimits = creatorLimits
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

    /// All limits to routes that a change must be within; empty if the key may write every route.
    package var routeLimits: [RouteLimit] { (routes.map { [$0] } ?? []) + creatorLimits }

    /// Whether the key may change what the tenant's environments and owners share: settings, suites, the history.
    package var isForWholeTenants: Bool { environments == nil && routeLimits.isEmpty }

    package func mayChangeSettings(of tenant: TenantID) -> Bool { allows(.admin, for: tenant) && isForWholeTenants }

    /// Whether the key is neither revoked nor expired.
    package func isValid(at now: Timestamp) -> Bool {
        revokedAt == nil && (expiresAt.map { now < $0 } ?? true)
    }

    /// Whether `other` permits everything that this key permits.
    package func permitsNoMore(than other: KeyGrant) -> Bool {
        guard other.tenant == nil || tenant == other.tenant else { return false }
        if let outer = other.environments { guard environments?.isSubset(of: outer) ?? false else { return false } }
        guard other.scopes.contains(.admin) || scopes.isSubset(of: other.scopes) else { return false }
        if let end = other.expiresAt { guard let own = expiresAt, own <= end else { return false } }
        return other.routeLimits.allSatisfy { outer in routeLimits.contains { $0.permitsNoMore(than: outer) } }
    }

    /// Why a key cannot create another one.
    package enum DelegationRefusal: Error, Hashable, Sendable {
        case morePermissions
        /// With the limits of its creators, the key would have more than ``maximumCreatorLimits``, or than
        /// ``maximumLimitBytes``.
        case tooManyLimits
    }

    /// Maximum number of creators' limits. Every change is checked against each of them.
    package static let maximumCreatorLimits = 8
    /// Maximum size of the environments, owners and path prefixes, those of the creators included, as JSON.
    package static let maximumLimitBytes = 8 << 10

    /// Limits the grant of a new key by the limits of the key that creates it.
    ///
    /// The new key may be for fewer owners and for longer paths than its creator. A key for a longer path may take links
    /// from more routes, so the creator's limit stays in force beside it.
    package mutating func limit(by creator: KeyGrant) throws(DelegationRefusal) {
        if let outer = creator.routes {
            guard routes?.coversNoMore(than: outer) ?? false else { throw .morePermissions }
        }
        for limit in creator.routeLimits where limit != routes && !creatorLimits.contains(limit) {
            creatorLimits.append(limit)
        }
        guard permitsNoMore(than: creator) else { throw .morePermissions }
        let bytes = ["environments", "owners", "pathPrefixes", "creatorLimits"].compactMap {
            json[$0]?.json().utf8.count
        }
        guard creatorLimits.count <= Self.maximumCreatorLimits, bytes.reduce(0, +) <= Self.maximumLimitBytes else {
            throw .tooManyLimits
        }
    }
}

extension KeyGrant {
    /// The grant as JSON, without the secret's hash.
    package var json: JSONNode {
        let limit = routes?.json
        return .object([
            "id": .string(id.rawValue), "name": .string(name), "tenant": tenant.map { .string($0.rawValue) } ?? .null,
            "scopes": .array(scopes.map(\.rawValue).sorted().map(JSONNode.string)),
            "environments": environments.map { .array($0.map(\.rawValue).sorted().map(JSONNode.string)) },
            "owners": limit?["owners"], "pathPrefixes": limit?["pathPrefixes"],
            "creatorLimits": creatorLimits.isEmpty ? nil : .array(creatorLimits.map(\.json)),
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
