package import LinkRouting

/// The permissions of a key, as text for people.
package struct KeyGrantText {
    private let key: JSONNode

    /// - Parameter key: A key as the admin API describes it.
    package init(_ key: JSONNode) { self.key = key }

    /// A new key, with one permission a line.
    package var lines: [String] {
        let replaced = key["replaces"]
        let old = replaced?["id"]?.text.map { id in
            "  replaces: \(id), which is valid until \(replaced?["expiresAt"]?.text ?? "it is revoked")"
        }
        return [
            "key \(key["id"]?.text ?? "" ) (\(key["name"]?.text ?? "")), shown only once",
            "  tenant: \(key["tenant"]?.text ?? "all")",
            "  scopes: \(list("scopes") ?? "none")",
            "  environments: \(list("environments") ?? "all")",
            "  writes routes: \(routes ?? "all")",
            "  expires: \(key["expiresAt"]?.text ?? "never")",
        ] + [old].compactMap(\.self)
    }

    /// The cells of a key in a list.
    package var cells: [String] {
        let end = key["revokedAt"]?.text.map { "revoked \($0)" } ?? key["expiresAt"]?.text.map { "until \($0)" }
        // Uses are recorded to the hour.
        let use = key["lastUsedAt"]?.text.map { "used in the hour from \($0.prefix(16))Z" } ?? "never used"
        return [
            key["id"]?.text ?? "", key["name"]?.text ?? "", key["tenant"]?.text ?? "all tenants",
            (key["scopes"]?.elements ?? []).compactMap(\.text).joined(separator: " "),
            list("environments").map { "only \($0)" } ?? "all environments",
            routes.map { "routes \($0)" } ?? "all routes",
            end ?? "no end", use, key["createdBy"]?.text ?? "",
        ]
    }

    /// The routes that the key may write; nil for all.
    private var routes: String? {
        let own = limit(key)
        let creators = (key["creatorLimits"]?.elements ?? []).compactMap(limit).filter { $0 != own }
        let limits = (own.map { [$0] } ?? []) + creators
        return limits.isEmpty ? nil : limits.joined(separator: ", and only those ")
    }

    private func limit(_ node: JSONNode) -> String? {
        let parts = [
            list("owners", of: node).map { "of the owners \($0)" },
            list("pathPrefixes", of: node).map { "below \($0)" },
        ]
        let limits = parts.compactMap(\.self)
        return limits.isEmpty ? nil : limits.joined(separator: " and ")
    }

    private func list(_ member: String, of node: JSONNode? = nil) -> String? {
        (node ?? key)[member]?.elements.map { $0.compactMap(\.text).joined(separator: ", ") }
    }
}
