import LinkRouting

/// The kinds of YAML files that a user has, told apart by the keys at their root.
enum DocumentKind: CaseIterable {
    case tenant, suite, configuration

    /// Keys that no other kind has.
    private var keys: [String] {
        switch self {
        case .tenant: ["settings", "table", "routes"]
        case .suite: ["cases"]
        case .configuration: ["public", "admin", "ops", "limits", "rateLimits", "trustedProxies", "data", "recording"]
        }
    }

    private var advice: String {
        switch self {
        case .tenant: "this is a tenant file; 'fingerpost check', 'plan' and 'apply' read it"
        case .suite: "this is a suite; 'fingerpost test' reads it"
        case .configuration: "this is the configuration of the service; 'fingerpost serve --config' reads it"
        }
    }

    /// Throws if a document is of another kind than the expected one. Each kind would otherwise report unknown keys.
    func require(_ object: ObjectField) throws(DocumentError) {
        for other in Self.allCases where other != self {
            guard let member = object.all.first(where: { other.keys.contains($0.key) }),
                !object.all.contains(where: { keys.contains($0.key) })
            else { continue }
            throw object.error(at: member.key, "\(other.advice).")
        }
    }
}
