import LinkRouting

/// The conditions of one rule, as far as several checks of its entry need them.
struct RuleConditions {
    let takesEveryPath: Bool
    /// Whether there is a query that does not match.
    let constrainsQuery: Bool
    let constrainsFragment: Bool
    /// Equal conditions of the rules of an entry have equal numbers.
    let query: Int
    let fragment: Int

    var takesEverything: Bool { takesEveryPath && !constrainsQuery && !constrainsFragment }

    /// Returns the conditions of the rules of one entry. A value of the defaults is examined once: it can be long, and
    /// many rules can take it.
    static func all(of rules: [AppleAppSiteAssociation.MergedRule]) -> [RuleConditions] {
        var paths: [AppleAppSiteAssociation.MergedRule.Level: Bool] = [:]
        var queries = Values<AppleAppSiteAssociation.RuleKeys.Query> { query in
            switch query {
            case .whole(let pattern): !pattern.isOnlyStars
            case .items(let items): items.contains { !$0.pattern.isOnlyStars }
            }
        }
        var fragments = Values<String> { !$0.isOnlyStars }
        return rules.map { rule in
            let path = rule.path
            let takesEveryPath =
                (path.level == .rule ? nil : paths[path.level])
                ?? (["*", "/*"].contains(path.value) || path.value.isOnlyStars)
            paths[path.level] = takesEveryPath
            let query = queries.number(of: rule.query)
            let fragment = fragments.number(of: rule.fragment)
            return RuleConditions(
                takesEveryPath: takesEveryPath,
                constrainsQuery: queries.constrain[query],
                constrainsFragment: fragments.constrain[fragment],
                query: query,
                fragment: fragment
            )
        }
    }

    /// The distinct values of a key.
    private struct Values<Value: Hashable & Sendable> {
        let constrains: (Value) -> Bool
        /// By number: whether the value constrains the URL.
        private(set) var constrain: [Bool] = []
        private var numbers: [Value: Int] = [:]
        private var numbersOfLevels: [AppleAppSiteAssociation.MergedRule.Level: Int] = [:]

        init(constrains: @escaping (Value) -> Bool) { self.constrains = constrains }

        mutating func number(of setting: AppleAppSiteAssociation.MergedRule.Setting<Value>) -> Int {
            if setting.level != .rule, let number = numbersOfLevels[setting.level] { return number }
            let number = numbers[setting.value, default: constrain.count]
            if number == constrain.count {
                numbers[setting.value] = number
                constrain.append(constrains(setting.value))
            }
            numbersOfLevels[setting.level] = number
            return number
        }
    }
}

extension String {
    fileprivate var isOnlyStars: Bool { !isEmpty && utf8.allSatisfy { $0 == UInt8(ascii: "*") } }
}
