import LinkRouting

/// Finds rules that no URL can reach because one earlier rule matches all of their URLs. It has no false positives. A
/// rule that only several earlier rules cover together is not found.
struct AndroidRuleCover {
    /// The remaining comparisons of two patterns for a whole file. 64 bytes of a pattern count as one. The limit bounds
    /// the time for a file with many thousand rules or query items, or with long patterns.
    private let comparisons: WorkBudget

    private static let mostComparisons = 1 << 20

    /// - Parameter budget: Its cancellation ends the comparisons. Its steps are not spent.
    init(within budget: WorkBudget) { comparisons = budget.other(steps: Self.mostComparisons) }

    typealias Rule = AssetLinks.Rule

    func unreachable(_ rules: [Rule]) -> [(rule: Rule, covering: Rule)] {
        var found: [(rule: Rule, covering: Rule)] = []
        var earlier: [Shape] = []
        for rule in rules where rule.flaw == nil && !rule.isEmpty {
            let shape = Shape(rule)
            var covering: Rule?
            for other in earlier {
                guard comparisons.spend(other.cost) else { return found }
                guard other.covers(shape) else { continue }
                covering = other.rule
                break
            }
            if let covering { found.append((rule, covering)) } else { earlier.append(shape) }
        }
        return found
    }

    /// A rule whose patterns are split once, for all comparisons.
    private struct Shape {
        let rule: Rule
        let path: Pattern?
        let query: [String: Pattern]
        let fragment: Pattern?
        /// The maximum work of comparing another rule with this one, in comparisons.
        let cost: Int

        init(_ rule: Rule) {
            self.rule = rule
            path = rule.path.map(Pattern.init)
            query = Dictionary(rule.query.map { ($0.name, Pattern($0.pattern)) }) { $1 }
            fragment = rule.fragment.map(Pattern.init)
            let patterns = [path, fragment].compactMap(\.self) + query.values
            cost = 1 + query.count + patterns.reduce(0) { $0 + $1.text.count } / 64
        }

        func covers(_ later: Shape) -> Bool {
            if let path, !(later.path.map(path.covers) ?? path.isAny) { return false }
            if let fragment, !(later.fragment.map(fragment.covers) ?? false) { return false }
            return query.allSatisfy { name, pattern in later.query[name].map(pattern.covers) ?? false }
        }
    }

    private struct Pattern {
        let text: [UInt8]
        /// The text before the first wildcard.
        let literal: ArraySlice<UInt8>
        /// Whether stars follow the literal, and nothing else.
        let endsWithStars: Bool

        init(_ pattern: String) {
            text = Array(pattern.utf8)
            literal = text.prefix { $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "?") }
            let rest = text[literal.endIndex...]
            endsWithStars = !rest.isEmpty && rest.allSatisfy { $0 == UInt8(ascii: "*") }
        }

        var isAny: Bool { literal.isEmpty && endsWithStars }

        /// Returns whether the pattern matches every text that `other` matches: the patterns are equal, or this one is a
        /// literal prefix of the other, followed by stars only.
        func covers(_ other: Pattern) -> Bool {
            text == other.text || endsWithStars && other.literal.starts(with: literal)
        }
    }
}
