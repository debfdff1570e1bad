import LinkRouting

/// The rules of some apps, with the links that they match and their translations.
struct Ruleset {
    /// The index among the rulesets of the file.
    let number: Int
    /// Application identifiers, in the file's order.
    let apps: [String]
    let rules: [AppleAppSiteAssociation.Rule]
    let merged: [AppleAppSiteAssociation.MergedRule]
    let translations: [RuleTranslation]
    let conditions: [LinkConditions]
    let scope: PlainLink.Scope
    /// Whether the rules exceed the limits for a comparison. If so, there are no translations and no conditions.
    let isTooLarge: Bool
    /// The result of the rules alone, without routes.
    let opened: MigrationComparison.Result

    /// The maximum number of rules. Files that devices read have fewer.
    private static let maximumRules = 2_000
    /// The maximum size of all patterns in bytes, with the values of their variables substituted.
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

    /// Returns whether the rule decides at least one plain link; true if that is not known.
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

    /// Returns the size in bytes of a pattern whose variables are replaced by all of their values. Counting stops at
    /// about `limit`.
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

    /// Returns the rule as the file writes it, cut to 200 characters.
    func text(of rule: Int) -> String { String((rules[rule].node.text ?? rules[rule].node.json()).prefix(200)) }

    /// Returns the origin of a route, for people: the rule's pointer, with the rule's comment or the rule itself.
    func note(of rule: Int) -> String {
        let comment = rules[rule].node["comment"]?.text.map { String($0.prefix(200)) }
        return "\(rules[rule].pointer): \(comment ?? text(of: rule))"
    }

    /// Returns whether at least one plain link matches the rule; true if that is undecided.
    func takesPlainLinks(_ rule: Int) -> Bool {
        let languages = conditions[rule].languages + PlainLink.languages(scope)
        return Language.shortestText(in: languages, budget: 2_000) != .none
    }
}
