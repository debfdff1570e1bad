/// Finds rules that no URL can reach because one earlier rule matches all of their URLs. It has no false positives. A
/// rule that only several earlier rules cover together is not found.
struct AndroidRuleCover {
    /// The remaining comparisons for a whole file. The limit bounds the time for a file with many thousand rules.
    private var comparisons = 1 << 20

    typealias Rule = AssetLinks.Rule

    mutating func unreachable(_ rules: [Rule]) -> [(rule: Rule, covering: Rule)] {
        let effective = rules.filter { $0.flaw == nil && !$0.isEmpty }
        var found: [(rule: Rule, covering: Rule)] = []
        var earlier: [Rule] = []
        for rule in effective {
            guard comparisons > earlier.count else { return found }
            comparisons -= earlier.count
            if let covering = earlier.first(where: { covers($0, rule) }) {
                found.append((rule, covering))
            } else {
                earlier.append(rule)
            }
        }
        return found
    }

    private func covers(_ earlier: Rule, _ later: Rule) -> Bool {
        if let path = earlier.path {
            guard let laterPath = later.path.map({ covers(path, $0) }) ?? .some(isAny(path)), laterPath else {
                return false
            }
        }
        if let fragment = earlier.fragment {
            guard let laterFragment = later.fragment, covers(fragment, laterFragment) else { return false }
        }
        return earlier.query.allSatisfy { item in
            later.query.contains { $0.name == item.name && covers(item.pattern, $0.pattern) }
        }
    }

    /// Returns whether `pattern` matches every text that `other` matches: the patterns are equal, or `pattern` is a
    /// literal prefix of `other` followed by stars only.
    private func covers(_ pattern: String, _ other: String) -> Bool {
        if pattern == other { return true }
        let literal = pattern.utf8.prefix { !"*?".utf8.contains($0) }
        let rest = pattern.utf8.dropFirst(literal.count)
        guard !rest.isEmpty, rest.allSatisfy({ $0 == UInt8(ascii: "*") }) else { return false }
        return other.utf8.prefix { !"*?".utf8.contains($0) }.starts(with: literal)
    }

    private func isAny(_ pattern: String) -> Bool {
        !pattern.isEmpty && pattern.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
