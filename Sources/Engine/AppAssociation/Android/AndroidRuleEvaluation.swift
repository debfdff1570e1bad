import LinkRouting

/// Compares dynamic rules with one URL, as Android's `UriRelativeFilterGroup` does.
struct AndroidRuleEvaluation {
    private let url: AndroidURL
    private var budget: StepBudget
    /// The budget for comparisons that only affect notes. When it is used up, such notes are left out.
    private var noteBudget = StepBudget(steps: 1 << 20)
    private(set) var notes: [AndroidDecision.Note] = []

    /// The maximum number of reported parts of one rule. The first part that fails is reported beyond the limit, so
    /// that a failed rule always has a reason.
    private static let maximumParts = 64
    private static let keys: Set<String> = ["/", "?", "#", "exclude", "comments"]

    init(_ url: AndroidURL, _ budget: StepBudget) {
        self.url = url
        self.budget = budget
    }

    /// Compares all parts of a rule, even after one fails, so that every failure can be reported.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    mutating func run(_ rule: AssetLinks.Rule, entry: Int) throws(StepBudget.Exhausted) -> AndroidDecision.TriedRule {
        try budget.spend(1)
        note(rule)
        var parts: [AndroidDecision.Part] = []
        var matches = !rule.isEmpty
        func add(_ part: AndroidDecision.Part) {
            if parts.count < Self.maximumParts || matches && !part.matches { parts.append(part) }
            matches = matches && part.matches
        }
        if let path = rule.path { add(try compare(.path, path, url.path, rule)) }
        for item in rule.query { add(try compare(item, rule)) }
        if let fragment = rule.fragment { add(try compare(.fragment, fragment, url.fragment, rule)) }
        return AndroidDecision.TriedRule(
            entry: entry,
            rule: rule.index,
            pointer: rule.pointer,
            matches: matches,
            parts: parts
        )
    }

    /// Compares a pattern with a component. A component that the URL does not have matches no pattern, not even `*`.
    private mutating func compare(
        _ kind: AndroidDecision.Part.Kind,
        _ text: String,
        _ found: [UInt16]?,
        _ rule: AssetLinks.Rule
    ) throws(StepBudget.Exhausted) -> AndroidDecision.Part {
        var matches = false
        if let found { matches = try takes(AndroidPattern(text), text, found, rule) }
        return AndroidDecision.Part(
            kind: kind,
            name: nil,
            expected: text,
            found: found.map { String(decoding: $0, as: UTF16.self) },
            matches: matches
        )
    }

    /// Compares a pattern with a query item. One matching occurrence of the item suffices.
    private mutating func compare(
        _ item: AssetLinks.Rule.Item,
        _ rule: AssetLinks.Rule
    ) throws(StepBudget.Exhausted) -> AndroidDecision.Part {
        let name = Array(item.name.utf16)
        let start = Array((item.name + "=").utf16)
        let pattern = AndroidPattern(item.pattern, item: item.name)
        var found: [UInt16]?
        var matches = false
        for pair in url.pairs ?? [] {
            try budget.spend(1 + start.count)
            if pair == name { add(.bareItem, rule) }
            guard pair.starts(with: start) else { continue }
            matches = try takes(pattern, item.pattern, pair, rule)
            if found == nil || matches { found = Array(pair.dropFirst(start.count)) }
            if matches { break }
        }
        return AndroidDecision.Part(
            kind: .item,
            name: item.name,
            expected: item.pattern,
            found: found.map { String(decoding: $0, as: UTF16.self) },
            matches: matches
        )
    }

    private mutating func takes(
        _ pattern: AndroidPattern,
        _ text: String,
        _ found: [UInt16],
        _ rule: AssetLinks.Rule
    ) throws(StepBudget.Exhausted) -> Bool {
        if text.utf8.contains(UInt8(ascii: "\\")) { add(.backslash, rule) }
        if AndroidPatternAdvice.hasWildcardAfterStar(text) {
            add(.starBeforeOne, rule)
        }
        let matches = try pattern.matches(found, &budget)
        if let matchesInAndroid15 = try? pattern.matchesInAndroid15(found, &noteBudget), matchesInAndroid15 != matches {
            add(.greedyWildcards, rule)
        }
        guard !matches else { return true }
        if !AndroidPatternAdvice.hasWildcardAfterStar(text),
            (try? pattern.matchesBacktracking(found, &noteBudget)) == true
        {
            add(.noBacktracking, rule)
        }
        return false
    }

    private mutating func note(_ rule: AssetLinks.Rule) {
        if rule.isEmpty { add(.emptyRule, rule) }
        if rule.node.members?.contains(where: { !Self.keys.contains($0.key) }) == true { add(.unknownKey, rule) }
    }

    private mutating func add(_ code: AndroidDecision.Note.Code, _ rule: AssetLinks.Rule) {
        let note = AndroidDecision.Note(code, at: rule.pointer)
        guard notes.count < AndroidDecision.maximumNotes, !notes.suffix(4).contains(note) else { return }
        notes.append(note)
    }
}
