package import HTTPTransport
package import LinkCatalog
package import LinkRouting
import Synchronization

/// Authenticates requests by the API keys, which are held in memory by id until they are revoked or removed.
package final class APIKeyAuthenticator: Sendable {
    private let state: Mutex<State>
    private let noteUse: @Sendable (_ id: KeyID, _ hour: Timestamp) -> Void
    private let now: @Sendable () -> Timestamp
    private let everyone: KeyGrant?

    private struct State {
        var keys: [KeyID: HeldKey]
        /// Counts the changes of keys by this node.
        var change = 0
        /// The keys that this node has ended in the last hour: the change, and when it was.
        var ended: [KeyID: (change: Int, at: Timestamp)] = [:]
    }

    private struct HeldKey {
        var grant: KeyGrant
        /// The change with which this node has stored the key: nil while it is being stored, 0 if it was read.
        var storedWith: Int? = 0
        /// The hour of the last use.
        var usedAt: Timestamp?

        init(_ grant: KeyGrant) {
            self.grant = grant
            usedAt = grant.lastUsedAt
        }
    }

    /// - Parameters:
    ///   - everyone: The grant of every caller, where nobody needs a key.
    ///   - noteUse: Called when a key is used for the first time in an hour.
    package init(
        _ grants: [KeyGrant],
        everyone: KeyGrant? = nil,
        now: @escaping @Sendable () -> Timestamp,
        noteUse: @escaping @Sendable (_ id: KeyID, _ hour: Timestamp) -> Void = { _, _ in }
    ) {
        state = Mutex(State(keys: Dictionary(grants.map { ($0.id, HeldKey($0)) }) { $1 }))
        self.everyone = everyone
        self.now = now
        self.noteUse = noteUse
    }

    /// Adds a new key that is about to be stored. ``confirm(_:)`` or ``remove(_:)`` follows.
    package func add(_ grant: KeyGrant) {
        state.withLock { state in
            state.keys[grant.id] = HeldKey(grant)
            state.keys[grant.id]?.storedWith = nil
        }
    }

    /// Notes that a new key is stored.
    package func confirm(_ id: KeyID) {
        state.withLock { state in
            state.change += 1
            state.keys[id]?.storedWith = state.change
        }
    }

    /// Applies the ends of keys, in any order: a key that is revoked does not become valid again.
    package func end(_ ended: [KeyGrant]) {
        let now = now()
        state.withLock { state in
            state.change += 1
            state.ended = state.ended.filter { now.milliseconds - $0.value.at.milliseconds < 3_600_000 }
            for grant in ended {
                guard grant.revokedAt == nil, let known = state.keys[grant.id]?.grant else {
                    state.keys[grant.id] = nil
                    state.ended[grant.id] = (state.change, now)
                    continue
                }
                state.keys[grant.id]?.grant.expiresAt = [known.expiresAt, grant.expiresAt].compactMap(\.self).min()
            }
        }
    }

    /// The number of the last change of keys by this node.
    package var change: Int { state.withLock(\.change) }

    /// Replaces all keys by the stored ones, which other nodes may have changed, except where this node has changed a key
    /// since they were read.
    ///
    /// - Parameter change: ``change`` before they were read.
    package func replace(_ grants: [KeyGrant], readAfter change: Int) {
        state.withLock { state in
            let before = state.keys
            state.keys = before.filter { $0.value.storedWith.map { $0 > change } ?? true }
            for grant in grants where (state.ended[grant.id]?.change ?? 0) <= change {
                var held = HeldKey(grant)
                held.usedAt = before[grant.id]?.usedAt ?? held.usedAt
                state.keys[grant.id] = held
            }
        }
    }

    package func remove(_ ids: [KeyID]) { state.withLock { state in ids.forEach { state.keys[$0] = nil } } }

    /// The number of keys in memory.
    package var count: Int { state.withLock(\.keys.count) }

    /// Returns the grant of the bearer key in an `Authorization` field; nil without a key. Throws if the key is
    /// invalid.
    package func optionalGrant(_ authorization: String?) throws -> KeyGrant? {
        if let everyone { return everyone }
        guard let authorization else { return nil }
        guard let grant = validGrant(authorization) else {
            switch authorization.split(separator: " ", maxSplits: 1).map({ $0.lowercased() }) {
            case ["bearer"]: throw Problem.emptyKey
            case let parts where parts.first == "bearer": throw Problem.invalidKey
            default: throw Problem.keyWithoutScheme
            }
        }
        note(grant)
        return grant
    }

    /// Returns the grant of the bearer key in an `Authorization` field; nil without a key or for an invalid one. It
    /// does not count as a use.
    package func validGrant(_ authorization: String?) -> KeyGrant? {
        if let everyone { return everyone }
        guard let parts = authorization?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer", let key = APIKey(token: String(parts[1])),
            let grant = state.withLock({ $0.keys[key.id]?.grant }), key.matches(grant.secretHash),
            grant.isValid(at: now())
        else { return nil }
        return grant
    }

    /// Whether a key that was accepted before is still valid.
    package func stillHolds(_ grant: KeyGrant) -> Bool {
        let known = everyone ?? state.withLock { $0.keys[grant.id]?.grant }
        return known.map { $0.secretHash == grant.secretHash && $0.isValid(at: now()) } ?? false
    }

    private func note(_ grant: KeyGrant) {
        let hour = Timestamp(milliseconds: now().milliseconds / 3_600_000 * 3_600_000)
        let isNew = state.withLock { state in
            let used = state.keys[grant.id]?.usedAt
            state.keys[grant.id]?.usedAt = hour
            return used != hour
        }
        if isNew { noteUse(grant.id, hour) }
    }

    /// Returns the grant of the key in an `Authorization` field, which must have the scope for the tenant, or for the
    /// key's own tenants if `tenant` is nil.
    ///
    /// - Throws: A ``Problem`` if the key is missing, is invalid or lacks the scope.
    package func grant(_ authorization: String?, scope: KeyGrant.Scope, tenant: TenantID?) throws -> KeyGrant {
        guard let grant = try optionalGrant(authorization) else {
            throw Problem.missingKey
        }
        guard grant.allows(scope, for: tenant ?? grant.tenant) else {
            throw Problem(grant, lacking: scope, for: tenant)
        }
        return grant
    }
}

extension Problem {
    /// The response to the scheme without a key.
    fileprivate static var emptyKey: Problem {
        Problem(.invalidKey, "The key after 'Bearer' is missing. Check the variable that holds it.")
    }

    /// The response to a key without the scheme, or to another scheme.
    fileprivate static var keyWithoutScheme: Problem {
        Problem(.invalidKey, "Write 'Bearer' and a space before the key: 'Authorization: Bearer fp_…'.")
    }

    /// The response to a key that lacks the scope, or that belongs to another tenant.
    package init(_ grant: KeyGrant, lacking scope: KeyGrant.Scope, for tenant: TenantID?) {
        if let own = grant.tenant, let tenant, own != tenant {
            self.init(.forbidden, "This key is for the tenant '\(own)', not for '\(tenant)'.")
        } else {
            self.init(
                .forbidden,
                "This key lacks the scope '\(scope.rawValue)'. 'fingerpost keys create --scope \(scope.rawValue)' "
                    + "creates one that has it."
            )
            // A command that needs several scopes names all that are missing.
            extensions = [
                JSONNode.Member("keyScopes", .array(grant.scopes.map(\.rawValue).sorted().map(JSONNode.string)))
            ]
        }
    }

    /// The response to a request without a key.
    package static var missingKey: Problem {
        var problem = Problem(
            .missingKey,
            "Send 'Authorization: Bearer fp_…'; create a key with 'fingerpost keys create'."
        )
        problem.hints = [.needsKey]
        return problem
    }

    /// The response to a key that is unknown, expired or revoked.
    package static var invalidKey: Problem {
        Problem(
            .invalidKey,
            "The key is unknown to this server, expired or revoked. Create one with 'fingerpost keys create'."
        )
    }
}
