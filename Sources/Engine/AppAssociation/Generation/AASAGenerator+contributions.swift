import LinkRouting

extension AASAGenerator {
    /// The number of rules whose paths have the same first segment, and their size in bytes.
    struct Contribution {
        let beginning: String
        var rules = 0
        var bytes = 0
    }

    /// Returns the contributions to a file's size, the largest first.
    static func contributions(of entries: [Entry]) -> [Contribution] {
        let rules = entries.flatMap(\.rules)
        let variables = AppleVariables(of: rules)
        var parts: [String: Contribution] = [:]
        for rule in rules {
            let segments = variables.text(of: rule.path).split(separator: "/")
            let beginning = "/" + (segments.first ?? "")
            var writer = JSONWriter()
            AppleRules.write(rule, to: &writer, variables)
            parts[beginning, default: Contribution(beginning: beginning)].rules += 1
            parts[beginning, default: Contribution(beginning: beginning)].bytes += writer.byteCount + 1
        }
        return parts.values.sorted { ($1.bytes, $0.beginning) < ($0.bytes, $1.beginning) }
    }
}
