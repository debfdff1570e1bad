package import LinkRouting

/// The permissions of a key, as text for people.
package struct KeyGrantText {
    package let lines: [String]

    /// - Parameter key: A key as the admin API describes it.
    package init(_ key: JSONNode) {
        func list(_ member: String) -> String? {
            key[member]?.elements.map { $0.compactMap(\.text).joined(separator: ", ") }
        }
        let limits = [
            list("owners").map { "of the owners \($0)" },
            list("pathPrefixes").map { "below \($0)" },
        ].compactMap(\.self)
        lines = [
            "key \(key["id"]?.text ?? "" ) (\(key["name"]?.text ?? "")), shown only once",
            "  tenant: \(key["tenant"]?.text ?? "all")",
            "  scopes: \(list("scopes") ?? "none")",
            "  environments: \(list("environments") ?? "all")",
            "  writes routes: \(limits.isEmpty ? "all" : limits.joined(separator: " and "))",
            "  expires: \(key["expiresAt"]?.text ?? "never")",
        ]
    }
}
