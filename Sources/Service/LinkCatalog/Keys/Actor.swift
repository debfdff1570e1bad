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
}
