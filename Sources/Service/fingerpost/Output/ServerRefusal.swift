import LinkCatalog
package import LinkRouting

/// A server's error response in words of the command line, where a key is an option and not a header field.
package struct ServerRefusal {
    private let status: Int
    private let body: JSONNode
    private let tenant: String?
    private let needs: KeyNeeds
    private let words: CommandWords
    /// Whether the command wrote the body of the request, so that a place in it means nothing to a person.
    package var isComposed = false

    /// - Parameters:
    ///   - body: The problem of the response; null if it has none.
    ///   - tenant: The tenant of the request; nil for a request that belongs to none.
    package init(status: Int, body: JSONNode, tenant: String? = nil, needs: KeyNeeds = KeyNeeds()) {
        self.status = status
        self.body = body
        self.tenant = tenant
        self.needs = needs
        words = CommandWords(tenant: tenant)
    }

    package var text: String {
        if let lackOfScopes { return lackOfScopes }
        let detail =
            body["detail"]?.text.map(withoutPlace).map(words.replacing) ?? "the server responded with \(status)"
        switch body["code"]?.text {
        case "missing_key":
            return "The server answers this only with a key that has the scope 'resolve'. Use --key or FINGERPOST_KEY."
        case "explain_forbidden":
            return "\(detail) Use --key or FINGERPOST_KEY with a key that has the scope 'explain'."
        default:
            return advice.map { "\(detail) \($0)" } ?? detail
        }
    }

    private func withoutPlace(_ detail: String) -> String {
        guard isComposed, let place = detail.prefixMatch(of: #/line 1, column [0-9]+: /#) else { return detail }
        return String(detail[place.range.upperBound...])
    }

    /// Which of the scopes that the command needs are missing; nil if the response concerns something else. The server
    /// names only the one that this request needs.
    private var lackOfScopes: String? {
        let granted = Set((body["keyScopes"]?.elements ?? []).compactMap(\.text))
        guard body["keyScopes"] != nil, !granted.contains(KeyGrant.Scope.admin.rawValue) else { return nil }
        let needed = needs.scopes.map(\.rawValue)
        let missing = needed.filter { !granted.contains($0) }
        guard !missing.isEmpty else { return nil }
        let subject = needs.tenant == .isNew ? "A new tenant needs a key for all tenants" : "This command needs a key"
        return "\(subject) with \(Self.scopes(needed)), and this key lacks \(Self.scopes(missing)). "
            + "'\(needs.creation(for: tenant))' creates one that has all of them; use it with --key or FINGERPOST_KEY."
            + newTenantAdvice
    }

    /// What to do if the server does not have the tenant yet; empty if the command does not create it.
    private var newTenantAdvice: String {
        guard needs.tenant == .mayBeNew, let tenant else { return "" }
        let creation = KeyNeeds([.admin], tenant: .isNew).creation(for: nil)
        return " If the server has no tenant '\(tenant)' yet, use a key for all tenants, which can create it: "
            + "'\(creation)'."
    }

    /// Returns `the scope 'a'`, or `the scopes 'a', 'b' and 'c'`.
    private static func scopes(_ names: [String]) -> String {
        let quoted = names.map { "'\($0)'" }
        guard let last = quoted.last, quoted.count > 1 else { return "the scope \(quoted.joined())" }
        return "the scopes \(quoted.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// Advice to pass another key; nil unless the response concerns the key.
    private var advice: String? {
        switch status {
        case 401: "Use --key or FINGERPOST_KEY with another key."
        case 403:
            "Use --key or FINGERPOST_KEY with a key that may do this; 'fingerpost keys list' shows what each may do."
        default: nil
        }
    }
}
