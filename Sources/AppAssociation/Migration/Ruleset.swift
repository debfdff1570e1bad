import LinkRouting

/// The rules of some apps, each as what it takes and as what it becomes.
struct Ruleset {
    /// Its place among the rulesets of the file.
    let number: Int
    /// Application identifiers, in the file's order.
    let apps: [String]
    let rules: [AppleAppSiteAssociation.Rule]
    let merged: [AppleAppSiteAssociation.MergedRule]
    let translations: [RuleTranslation]
    let conditions: [LinkConditions]
    let scope: PlainLink.Scope
    /// Whether there is more than is compared; then there are neither translations nor conditions.
    let isTooLarge: Bool
    /// What the rules open by themselves, before there are any routes.
    let opened: MigrationComparison.Result

    /// Files that devices read hold less.
    private static let maximumRules = 2_000
    /// Of all patterns, with the values of their variables in place.
    private static let maximumBytes = 262_144
    private static let maximumNameBytes = 200

    init(number: Int, _ group: MigratedApps.Group, _ variables: PatternVariables) {
        self.number = number
        apps = group.apps
        rules = group.rules
        merged = group.merged
        isTooLarge = Self.isTooLarge(merged, variables)
        let merged = isTooLarge ? [] : merged
        translations = merged.map { RuleTranslation($0, variables) }
        conditions = merged.map { LinkConditions($0, variables) }
        scope = merged.allSatisfy(\.takesAnyQueryAndFragment) ? .paths : .links
        opened = MigrationComparison(rules: Self.compared(merged, conditions), routes: []).run(scope)
    }

    var compared: [MigrationComparison.Rule] { Self.compared(merged, conditions) }

    private static func compared(
        _ merged: [AppleAppSiteAssociation.MergedRule],
        _ conditions: [LinkConditions]
    ) -> [MigrationComparison.Rule] {
        zip(merged, conditions).map { MigrationComparison.Rule(opens: !$0.exclude.value, conditions: $1) }
    }

    /// Whether some link, written as programs write them, is decided by the rule; true when that is not known.
    func decides(_ rule: Int) -> Bool { !opened.isComplete || opened.decidingRules.contains(rule) }

    private static func isTooLarge(
        _ rules: [AppleAppSiteAssociation.MergedRule],
        _ variables: PatternVariables
    ) -> Bool {
        guard rules.count <= maximumRules else { return true }
        var bytes = 0
        for rule in rules {
            var patterns = [rule.path.value, rule.fragment.value]
            switch rule.query.value {
            case .whole(let pattern): patterns.append(pattern)
            case .items(let items):
                guard items.allSatisfy({ $0.name.utf8.count <= maximumNameBytes }) else { return true }
                patterns += items.flatMap { [$0.name, $0.pattern] }
            }
            for pattern in patterns {
                bytes += expandedCount(of: pattern, variables, upTo: maximumBytes)
                guard bytes <= maximumBytes else { return true }
            }
        }
        return false
    }

    /// Bytes of a pattern whose variables are replaced by all of their values; no more than about `limit` is counted.
    private static func expandedCount(of pattern: String, _ variables: PatternVariables, upTo limit: Int) -> Int {
        var count = 0
        var rest = pattern.utf8[...]
        while let byte = rest.popFirst(), count <= limit {
            count += 1
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "("),
                let end = rest.firstIndex(of: UInt8(ascii: ")"))
            else { continue }
            let name = String(Substring(rest[rest.index(after: rest.startIndex)..<end]))
            if case .values(let values) = variables[name] { count += values.reduce(0) { $0 + $1.utf8.count + 1 } }
            rest = rest[rest.index(after: end)...]
        }
        return count
    }

    /// The rule as the file says it, not too long.
    func text(of rule: Int) -> String { String((rules[rule].node.text ?? rules[rule].node.json()).prefix(200)) }

    /// Where a route comes from, for people: the rule's place with its comment, or the rule itself.
    func note(of rule: Int) -> String {
        let comment = rules[rule].node["comment"]?.text.map { String($0.prefix(200)) }
        return "\(rules[rule].pointer): \(comment ?? text(of: rule))"
    }

    /// Whether some link that is written as programs write them fits the rule; true when that is undecided.
    func takesPlainLinks(_ rule: Int) -> Bool {
        let languages = conditions[rule].languages + PlainLink.languages(scope)
        return Language.shortestText(in: languages, budget: 2_000) != .none
    }
}
