import LinkRouting

extension AppleValidation {
    /// The maximum number of earlier rules in one union.
    private static let widestUnion = 16
    /// The maximum number of compared pairs of rules of one entry.
    private static let mostComparisons = 2_000

    /// Reports rules that can never decide, because earlier rules together match every URL that they match.
    mutating func checkReach(
        _ rules: [AppleAppSiteAssociation.Rule],
        _ merged: [AppleAppSiteAssociation.MergedRule],
        isLegacy: Bool
    ) {
        let candidates = merged.map { Candidate($0, variables) }
        let index = PrefixIndex(candidates.map(\.head))
        var comparisons = 0
        for (number, candidate) in candidates.enumerated() {
            guard !candidate.isDead else { continue }
            let earlier = index.meeting(candidate.head).filter {
                $0 < number && !candidates[$0].isDead && candidates[$0].takesQueryAndFragment(of: candidate)
            }
            comparisons += earlier.count
            guard comparisons <= Self.mostComparisons, budget.spend(1 + earlier.count) else { return }
            let covering = coverage(of: candidate, by: earlier.sorted(), candidates)
            guard let last = covering.last else { continue }
            let differs = covering.contains { merged[$0].exclude.value != merged[number].exclude.value }
            let names = covering.map { "rule \($0) ('\(merged[$0].path.value.excerpt)')" }.joined(separator: ", ")
            add(
                .unreachableRule,
                differs ? .error : .warning,
                Location(rules[number].node, rules[number].pointer),
                "Rule \(number) can never be reached: \(names) \(covering.count == 1 ? "matches" : "together match") first"
                    + (differs ? "." : ", with the same result."),
                fix: differs
                    ? "Move it before rule \(min(last, covering[0]))."
                    : "Remove it\(isLegacy ? ", unless you support iOS 12, which may compare slashes differently" : "")."
            )
        }
    }

    /// Returns the earlier rules that match all URLs of a rule: one, or several together; empty if there are none or if
    /// it is undecided.
    private func coverage(of rule: Candidate, by earlier: [Int], _ candidates: [Candidate]) -> [Int] {
        if let one = earlier.first(where: { rule.isCovered(by: [candidates[$0]], budget) }) { return [one] }
        guard (2...Self.widestUnion).contains(earlier.count), rule.isCovered(by: earlier.map { candidates[$0] }, budget)
        else {
            return []
        }
        // Keep only the rules that are needed to cover the rule.
        var needed = earlier
        for number in earlier {
            let rest = needed.filter { $0 != number }
            if rule.isCovered(by: rest.map { candidates[$0] }, budget) { needed = rest }
        }
        return needed
    }

    /// A rule as a set of URLs.
    private struct Candidate {
        let merged: AppleAppSiteAssociation.MergedRule
        let glob: Glob
        let reading: Glob.Reading

        init(_ merged: AppleAppSiteAssociation.MergedRule, _ variables: PatternVariables) {
            self.merged = merged
            glob = Glob(merged.path.value) { name in
                if case .values(let values) = variables[name] { values } else { nil }
            }
            reading = Glob.Reading(
                foldsCase: !merged.caseSensitive.value,
                comparesEncoded: merged.percentEncoded.value
            )
        }

        /// Whether the rule matches nothing for a reason that has a finding of its own.
        var isDead: Bool {
            glob.pieces.contains(.never)
                || reading.comparesEncoded && merged.path.value.utf8.contains { $0 >= 0x80 || $0 <= 0x20 }
        }

        /// The literal prefix of the normalised path, with ASCII letters in lower case; empty if the path begins with a
        /// star.
        var head: [UInt8] {
            var head = glob.literalPrefix.prefix { $0 != UInt8(ascii: "%") && $0 < 0x80 }
                .map { ByteSet.upper.contains($0) ? $0 | 0x20 : $0 }
            // iOS reads a run of slashes as one slash, and adds a leading slash if there is none.
            if glob.pieces.first != .many, head.first != UInt8(ascii: "/") { head.insert(UInt8(ascii: "/"), at: 0) }
            head = head.enumerated().filter { $0 == 0 || $1 != UInt8(ascii: "/") || head[$0 - 1] != $1 }.map(\.element)
            return glob.pieces.first == .many ? [] : head
        }

        func takesQueryAndFragment(of other: Candidate) -> Bool {
            let isReadAlike = reading == other.reading
            let query = !merged.constrainsQuery || isReadAlike && merged.query.value == other.merged.query.value
            let fragment =
                !merged.constrainsFragment || isReadAlike && merged.fragment.value == other.merged.fragment.value
            return query && fragment
        }

        func isCovered(by others: [Candidate], _ budget: WorkBudget) -> Bool {
            let languages = others.map { $0.glob.pathLanguage($0.reading) }
            return glob.pathLanguage(reading).isCovered(by: languages, within: Glob.allPaths, budget) ?? false
        }
    }
}
