import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The author of a change.
package struct Actor: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case key, person, system
    }

    package let kind: Kind
    package let id: String
    package let name: String

    package init(kind: Kind, id: String, name: String) {
        self.kind = kind
        self.id = id
        self.name = name
    }

    /// The actor of changes that are made on the machine of the service itself.
    package static let system = Actor(kind: .system, id: "fingerpost", name: "fingerpost")
}

extension KeyGrant {
    /// The grant of the machine's operator, who needs no key: every scope on all tenants. No key has its id.
    package static let ofOperator = KeyGrant(
        id: KeyID(rawValue: "operator"),
        secretHash: Data(),
        tenant: nil,
        scopes: [.admin],
        createdAt: Timestamp(milliseconds: 0),
        expiresAt: nil,
        name: "operator"
    )

    package var isOfOperator: Bool { id == Self.ofOperator.id }

    /// The author of the changes that are made with this grant.
    package var actor: Actor { isOfOperator ? .system : Actor(kind: .key, id: id.rawValue, name: name) }
}
