public import LinkRouting

extension RouteTable {
    /// Errors for association files that no device would read: iOS stops at ``AppleAppSiteAssociation/maximumBytes``.
    ///
    /// One for each host whose file is too large, with what takes most of it. Paths are relative to the table.
    public func checkFileSizes(for identity: Identity) -> [Finding] {
        let router = Router(identity: identity, table: self)
        var hosts: [String] = []
        for domain in identity.domains where domain.port == nil && !hosts.contains(domain.host) {
            hosts.append(domain.host)
        }
        return hosts.compactMap { host in
            let generator = AppleFileGenerator(host: host, router: router)
            let size = generator.file().count
            guard size > AppleAppSiteAssociation.maximumBytes else { return nil }
            let largest = generator.contributions().prefix(3).map {
                "'\($0.beginning)' \($0.bytes) in \($0.rules) rules"
            }
            return Finding(
                .associationTooLarge,
                .error,
                path: "routes",
                message: "The apple-app-site-association file of '\(host)' would have \(size) bytes; iOS reads at most "
                    + "\(AppleAppSiteAssociation.maximumBytes). Most of them are of \(largest.joined(separator: ", ")).",
                fix: "Merge routes that open the app into patterns such as /product/{id}, or set "
                    + "'settings.association.detail' to 'coarse', which publishes one rule for all paths."
            )
        }
    }
}

extension AppleFileGenerator {
    /// The rules whose paths have the same first segment.
    struct Contribution {
        let beginning: String
        var rules = 0
        var bytes = 0
    }

    /// What the file is made of, the largest part first.
    func contributions() -> [Contribution] {
        let rules = entries().flatMap(\.rules)
        let variables = AppleVariables(of: rules)
        var parts: [String: Contribution] = [:]
        for rule in rules {
            let segments = variables.text(of: rule.path).split(separator: "/")
            let beginning = "/" + (segments.first ?? "")
            var writer = JSONWriter()
            AppleRules.write(rule, to: &writer, variables)
            parts[beginning, default: Contribution(beginning: beginning)].rules += 1
            parts[beginning, default: Contribution(beginning: beginning)].bytes += writer.bytes.count + 1
        }
        return parts.values.sorted { ($1.bytes, $0.beginning) < ($0.bytes, $1.beginning) }
    }
}
