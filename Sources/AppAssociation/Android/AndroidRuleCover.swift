/// Finds rules that an earlier rule leaves no URL. Never claims it falsely; a rule that only several earlier ones cover
/// together is not found.
struct AndroidRuleCover {
    /// Over a whole file, so that one of many thousand rules is judged soon.
    private var comparisons = 1 << 20

    typealias Rule = AssetLinks.Rule

    mutating func unreachable(_ rules: [Rule]) -> [(rule: Rule, covering: Rule)] {
        let judged = rules.filter { $0.flaw == nil && !$0.isEmpty }
        var found: [(rule: Rule, covering: Rule)] = []
        var earlier: [Rule] = []
        for rule in judged {
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

    /// Whether `pattern` takes every text that `other` takes: the same pattern, or a literal text and stars that the other
    /// begins with.
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
