import LinkRouting

extension AppleValidation {
    /// The maximum number of earlier rules in one union.
    private static let widestUnion = 16
    /// The maximum number of compared pairs of rules of one entry.
    private static let mostComparisons = 2_000
    /// The number of rules with a similar path that cost one step. Comparing their other conditions is cheap.
    private static let rulesPerStep = 8

    /// Reports rules that can never decide, because earlier rules together match every URL that they match.
    mutating func checkReach(
        _ rules: [AppleAppSiteAssociation.Rule],
        _ merged: [AppleAppSiteAssociation.MergedRule],
        _ conditions: [RuleConditions],
        isLegacy: Bool
    ) {
        guard !budget.isUsedUp else { return }
        let candidates = candidates(merged, conditions)
        let index = PrefixIndex(candidates.map(\.path.head))
        var comparisons = 0
        for (number, candidate) in candidates.enumerated() where !candidate.isDead {
            let similar = index.meeting(candidate.path.head)
            guard budget.spend(similar.count / Self.rulesPerStep) else { return }
            let earlier = similar.filter {
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

    // MARK: Candidates

    /// Returns the rules as sets of URLs. A path of the defaults is parsed once: it can be long, and many rules can take
    /// it.
    private mutating func candidates(
        _ merged: [AppleAppSiteAssociation.MergedRule],
        _ conditions: [RuleConditions]
    ) -> [Candidate] {
        var paths: [PathOfLevel: Path] = [:]
        var candidates: [Candidate] = []
        for (rule, conditions) in zip(merged, conditions) {
            guard continues() else { break }
            let reading = Glob.Reading(
                foldsCase: !rule.caseSensitive.value,
                comparesEncoded: rule.percentEncoded.value
            )
            let key = PathOfLevel(level: rule.path.level, reading: reading)
            let known = rule.path.level == .rule ? nil : paths[key]
            let path = known ?? path(rule.path.value, reading)
            paths[key] = path
            candidates.append(Candidate(path: path, conditions: conditions))
        }
        return candidates
    }

    private mutating func path(_ text: String, _ reading: Glob.Reading) -> Path {
        let glob = Glob(pattern: text) { piece(ofVariable: $0) }
        let isDead =
            glob.pieces.contains(.never)
            || reading.comparesEncoded && text.utf8.contains { $0 >= 0x80 || $0 <= 0x20 }
        let normalised = glob.normalisedPath
        return Path(
            normalised: normalised,
            reading: reading,
            head: Path.head(of: glob),
            size: pathSizes.size(of: normalised, reading),
            isDead: isDead
        )
    }

    /// Returns the piece of a variable, which all patterns share: it can have many values.
    private mutating func piece(ofVariable name: String) -> Glob.Piece {
        if let known = pieces[name] { return known }
        let piece = Glob.variable(name) { name in
            if case .values(let values) = variables[name] { values } else { nil }
        }
        pieces[name] = piece
        return piece
    }

    private struct PathOfLevel: Hashable {
        let level: AppleAppSiteAssociation.MergedRule.Level
        let reading: Glob.Reading
    }

    /// The path of a rule.
    private struct Path {
        let normalised: Glob
        let reading: Glob.Reading
        let head: [UInt8]
        /// A lower bound of the language's size.
        let size: Int
        /// Whether it matches nothing for a reason that has a finding of its own.
        let isDead: Bool

        /// The maximum length of a head. Longer heads select hardly fewer rules.
        private static let longestHead = 256

        /// Returns the beginning of the literal prefix of the normalised path, with ASCII letters in lower case; empty if
        /// the path begins with a star.
        static func head(of glob: Glob) -> [UInt8] {
            guard glob.pieces.first != .many else { return [] }
            let slash = UInt8(ascii: "/")
            // iOS reads a run of slashes as one slash, and adds a leading slash if there is none.
            var head = [slash]
            for piece in glob.pieces {
                guard case .byte(let byte) = piece, byte != UInt8(ascii: "%"), byte < 0x80, head.count < longestHead
                else {
                    break
                }
                guard byte != slash || head.last != slash else { continue }
                head.append(ByteSet.upper.contains(byte) ? byte | 0x20 : byte)
            }
            return head
        }
    }

    /// A rule as a set of URLs.
    private struct Candidate {
        let path: Path
        let conditions: RuleConditions

        var isDead: Bool { path.isDead }

        func takesQueryAndFragment(of other: Candidate) -> Bool {
            let isReadAlike = path.reading == other.path.reading
            let query = !conditions.constrainsQuery || isReadAlike && conditions.query == other.conditions.query
            let fragment =
                !conditions.constrainsFragment || isReadAlike && conditions.fragment == other.conditions.fragment
            return query && fragment
        }

        func isCovered(by others: [Candidate], _ budget: WorkBudget) -> Bool {
            // The search would spend as much for languages of this size. Building them costs too much already.
            let size = others.reduce(path.size) { $0 + $1.path.size }
            guard budget.canSpend(Language.stepsPerNode * size) else { return false }
            let languages = others.map(\.language)
            return language.isCovered(by: languages, within: Glob.allPaths, budget) ?? false
        }

        private var language: Language { path.normalised.language(path.reading) }
    }
}

extension WorkBudget {
    /// Whether the steps suffice for spending `count`. If not, they are used up, as by ``spend(_:)``.
    fileprivate func canSpend(_ count: Int) -> Bool { count < steps || spend(count) }
}
