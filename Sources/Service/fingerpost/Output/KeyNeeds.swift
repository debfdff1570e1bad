package import LinkCatalog

/// What a command needs of its key, for the advice about a key that lacks some of it.
package struct KeyNeeds: Sendable {
    /// The scopes that all requests of the command need together; empty for a command that needs one.
    let scopes: [KeyGrant.Scope]
    /// The owner whose routes alone the command changes; nil for a command that may change others.
    let owner: String?
    let tenant: Tenant

    /// Whether the server has the tenant. A key for one tenant cannot be created before.
    package enum Tenant: Sendable {
        case exists
        /// The command creates the tenant if there is none.
        case mayBeNew
        case isNew
    }

    package init(_ scopes: [KeyGrant.Scope] = [], owner: String? = nil, tenant: Tenant = .exists) {
        self.scopes = scopes
        self.owner = owner
        self.tenant = tenant
    }

    /// The command that creates such a key.
    func creation(for tenant: String?) -> String {
        var words = ["fingerpost keys create --data DIR"]
        if let tenant, self.tenant != .isNew { words.append(OptionText("tenant", tenant).text) }
        words += scopes.map { "--scope \($0.rawValue)" }
        if let owner { words.append(OptionText("owner", owner).text) }
        return words.joined(separator: " ")
    }
}
