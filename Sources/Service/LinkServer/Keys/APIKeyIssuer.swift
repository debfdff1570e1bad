package import FoundationEssentials
import HTTPTransport
package import LinkCatalog
package import LinkRouting

/// Creates and ends keys; a running server applies a change at once.
package struct APIKeyIssuer: Sendable {
    private let store: any KeyStore
    private let authenticator: APIKeyAuthenticator
    private let random: @Sendable (Int) -> Data

    /// - Parameter random: Returns the given number of random bytes.
    package init(store: any KeyStore, authenticator: APIKeyAuthenticator, random: @escaping @Sendable (Int) -> Data) {
        self.store = store
        self.authenticator = authenticator
        self.random = random
    }

    /// The properties of a key that is to be created.
    package struct KeyRequest: Sendable {
        package var name: String
        /// Nil for all tenants.
        package var tenant: TenantID?
        package var scopes: Set<KeyGrant.Scope>
        /// Nil for all environments.
        package var environments: Set<EnvironmentID>?
        /// Nil for all routes.
        package var routes: KeyGrant.RouteLimit?
        /// Nil for a key that does not expire.
        package var expiresAt: Timestamp?
        /// The id of the key that is rotated, and the limits of that key's creators.
        private(set) var replaces: KeyID?
        private(set) var creatorLimits: [KeyGrant.RouteLimit] = []

        package init(name: String, tenant: TenantID?, scopes: Set<KeyGrant.Scope>) {
            self.name = name
            self.tenant = tenant
            self.scopes = scopes
        }

        /// Copies the properties of an older key, which the new one replaces.
        package init(_ grant: KeyGrant) {
            self.init(name: grant.name, tenant: grant.tenant, scopes: grant.scopes)
            environments = grant.environments
            routes = grant.routes
            expiresAt = grant.expiresAt
            replaces = grant.id
            creatorLimits = grant.creatorLimits
        }

        /// Reads `{name, tenant, scopes, environments, owners, pathPrefixes, expiresAt}`.
        package init(_ object: ObjectField, at now: Timestamp) throws {
            let name = try object.required("name")
            guard try (1...128).contains(name.text().utf8.count) else {
                throw name.error("a name must have 1 to 128 bytes.")
            }
            let scopes = try object.required("scopes")
            let granted = Set(try scopes.list().map { try $0.choice(KeyGrant.Scope.self) })
            guard !granted.isEmpty else { throw scopes.error("a key must have at least one scope; name one.") }
            self.init(
                name: try name.textWithoutNUL(),
                tenant: try object["tenant"].flatMap {
                    $0.node.value == .null ? nil : try $0.identifier(TenantID.self)
                },
                scopes: granted
            )
            environments = try object["environments"].map { field in
                Set(try field.list().map { try $0.identifier(EnvironmentID.self) })
            }
            let owners = try object["owners"].map { Set(try $0.list().map { ExactText(try $0.text()) }) }
            let prefixes = try object["pathPrefixes"]?.list().map { field in
                guard let prefix = PathPrefix(try field.text()) else {
                    throw field.error(
                        "a path prefix is a path of whole segments without { } ( ) and *; write '/blog/' for the routes "
                            + "below /blog, or '/blog' to include it."
                    )
                }
                return prefix
            }
            let lists = ["environments", "owners", "pathPrefixes"].compactMap { object[$0]?.node.json().utf8.count }
            guard lists.reduce(0, +) <= KeyGrant.maximumLimitBytes else {
                throw name.error(
                    "environments, owners and pathPrefixes can have at most \(KeyGrant.maximumLimitBytes) bytes of JSON."
                )
            }
            if owners != nil || prefixes != nil {
                routes = KeyGrant.RouteLimit(owners: owners, pathPrefixes: prefixes)
            }
            expiresAt = try object["expiresAt"].map { field in
                guard let end = Timestamp(try field.text()) else {
                    throw field.error("\(field.shown) is not a time; write one such as 2030-01-31T00:00:00Z.")
                }
                guard end > now else { throw field.error("\(field.shown) is in the past; write a later time.") }
                return end
            }
        }
    }

    /// Creates and stores a key.
    ///
    /// - Parameter within: The grant of the caller, which the new key must not exceed; nil for a caller with access to
    ///   the machine.
    /// - Throws: A ``Problem`` if the key would exceed `within`.
    package func create(
        _ request: KeyRequest,
        change: AuditContext,
        within: KeyGrant? = nil
    ) async throws -> (key: APIKey, grant: KeyGrant) {
        guard let key = APIKey(environment: request.environment, random: random(APIKey.randomBytes)) else {
            preconditionFailure("the number of random bytes is that of a key")
        }
        var grant = KeyGrant(
            id: key.id,
            secretHash: key.secretHash,
            tenant: request.tenant,
            scopes: request.scopes,
            environments: request.environments,
            routes: request.routes,
            creatorLimits: request.creatorLimits,
            createdAt: change.at,
            expiresAt: request.expiresAt,
            createdBy: change.actor.kind == .key ? KeyID(rawValue: change.actor.id) : nil,
            replaces: request.replaces,
            name: request.name
        )
        if let within {
            do { try grant.limit(by: within) } catch { throw Problem(error) }
        }
        // Added before it is stored: a revocation of its creator that follows the storing finds it here. Nobody knows the
        // key yet.
        authenticator.add(grant)
        do {
            let removed = try await store.saveKey(grant, change: change)
            authenticator.confirm(grant.id)
            authenticator.remove([removed].compactMap(\.self))
        } catch {
            authenticator.remove([grant.id])
            throw error
        }
        return (key, grant)
    }

    /// Removes the keys that ended 30 days ago.
    package func removeEndedKeys(at now: Timestamp) async throws {
        authenticator.remove(try await store.removeEndedKeys(at: now))
    }

    /// Ends a key; a running server applies it at once. Returns nil if there is no key of this id.
    package func end(_ id: KeyID, at end: Timestamp, as action: KeyEnd, change: AuditContext) async throws -> EndedKey?
    {
        let ended = try await store.endKey(id, at: end, as: action, change: change)
        if let ended { authenticator.end([ended.key] + ended.others) }
        return ended
    }
}

extension APIKeyIssuer.KeyRequest {
    /// The environment in the key's text, for people and scanners.
    fileprivate var environment: EnvironmentID {
        guard let environments, environments.count == 1, let only = environments.first else { return .production }
        return only
    }
}

extension Problem {
    fileprivate init(_ refusal: KeyGrant.DelegationRefusal) {
        switch refusal {
        case .morePermissions:
            self.init(
                .forbidden,
                "A key cannot create a key with more permissions than its own. Name fewer scopes, its own tenant, and an "
                    + "expiry that is not later."
            )
        case .tooManyLimits:
            self.init(
                .forbidden,
                "The limits of the keys that would have created this key, directly and indirectly, are more than "
                    + "\(KeyGrant.maximumCreatorLimits), or larger than \(KeyGrant.maximumLimitBytes) bytes. Create it "
                    + "with a key that has fewer."
            )
        }
    }
}
