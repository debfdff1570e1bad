package import LinkRouting

/// The way a key ends.
package enum KeyEnd: Sendable {
    /// Ends the key together with the keys that it created, recursively, and with the keys that it replaced.
    case revoke
    /// Ends the key alone. The keys that it created stay valid.
    case revokeAlone
    /// The key is replaced by another and stays valid for a grace period.
    case rotate

    /// The action's name in the audit log.
    package var action: String { self == .rotate ? "key.rotate" : "key.revoke" }
}

/// A key that has ended.
package struct EndedKey: Sendable, Hashable {
    package let key: KeyGrant
    /// The keys that ended together with it.
    package let others: [KeyGrant]

    package init(_ key: KeyGrant, others: [KeyGrant]) {
        self.key = key
        self.others = others
    }

    /// The JSON of the key, and `endedKeys`: the ids of the keys that ended together with it.
    package var json: JSONNode {
        let ended = JSONNode.Member("endedKeys", .array(others.map { .string($0.id.rawValue) }))
        return JSONNode(.object((key.json.members ?? []) + [ended]))
    }
}

/// The number of keys that have not ended has reached its maximum, for a tenant or for the keys without a tenant.
package struct TooManyKeys: Error, Hashable, Sendable, CustomStringConvertible {
    package let tenant: TenantID?

    package static let maximum = 1_000

    package init(tenant: TenantID?) { self.tenant = tenant }

    package var description: String {
        let found = tenant.map { "The tenant '\($0)' has" } ?? "There are"
        return "\(found) \(Self.maximum) active keys, which is the maximum. Revoke some first."
    }
}

/// The key that creates another key has ended.
package struct MakerHasEnded: Error, Hashable, Sendable {
    package init() {}
}
