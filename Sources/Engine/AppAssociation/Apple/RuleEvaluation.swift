/// Compares the rules of one file with one URL.
struct RuleEvaluation {
    private var texts: URLTexts
    private let variables: PatternVariables
    private var budget: StepBudget
    /// The notes on comparisons. ``RuleInspection`` has the notes on rules.
    private(set) var notes: [AppleDecision.Note] = []

    /// The maximum number of reported parts of one rule. The first part that fails is reported beyond the limit, so
    /// that a failed rule always has a reason.
    private static let maximumParts = 64

    init(_ url: DeviceURL, _ variables: PatternVariables, _ budget: StepBudget) {
        texts = URLTexts(url)
        self.variables = variables
        self.budget = budget
    }

    /// Whether a component had escapes that are not UTF-8 and so was compared as written.
    var hasUndecodable: Bool { texts.hasUndecodable }

    /// Compares all parts of a rule, even after one fails, so that every failure can be reported.
    /// - Throws: ``StepBudget/Exhausted`` if the budget does not suffice.
    mutating func run(
        _ rule: AppleAppSiteAssociation.Rule,
        _ merged: AppleAppSiteAssociation.MergedRule,
        entry: Int
    ) throws(StepBudget.Exhausted) -> AppleDecision.TriedRule {
        let reading = URLTexts.Reading(merged)
        var parts: [AppleDecision.Part] = []
        var matches = true
        try budget.spend(1 + merged.constraintCount)
        for constraint in merged.constraints {
            let part = try compare(constraint, reading)
            if !part.matches, reading.foldsCase, reading.isDecoded, !constraint.pattern.utf8.allSatisfy({ $0 < 0x80 }) {
                add(.nonASCIIFolding, rule)
            }
            if constraint.kind == .path {
                if part.matches, try needsAddedSlash(constraint, reading) { add(.slashAdded, rule) }
                let isOther = !["/", "*"].contains(constraint.pattern)
                if constraint.pattern.utf8.count == 1, isOther { add(.oneCharacter, rule) }
            }
            if constraint.name.map({
                $0.utf8.contains(UInt8(ascii: "%")) && Array($0.utf8).percentDecoded != Array($0.utf8)
            })
                == true
            {
                add(.encodedName, rule)
            }
            if !part.matches, try matchesInOtherCase(constraint, reading) {
                add(.localeCodeCase, rule)
            }
            if parts.count < Self.maximumParts || matches && !part.matches { parts.append(part) }
            matches = matches && part.matches
        }
        return AppleDecision.TriedRule(
            entry: entry,
            rule: rule.index,
            pointer: rule.pointer,
            matches: matches,
            parts: parts
        )
    }

    private mutating func add(_ code: AppleDecision.Note.Code, _ rule: AppleAppSiteAssociation.Rule) {
        let note = AppleDecision.Note(code, at: rule.pointer)
        guard notes.count < AppleDecision.maximumNotes, notes.last != note else { return }
        notes.append(note)
    }

    private mutating func compare(
        _ constraint: Constraint,
        _ reading: URLTexts.Reading
    ) throws(StepBudget.Exhausted) -> AppleDecision.Part {
        try budget.spend(constraint.pattern.utf8.count + (constraint.name?.utf8.count ?? 0))
        let found = texts[constraint.part, reading]
        let failed = try firstFailure(constraint, in: found, variables)
        let reported = found.isEmpty ? nil : found[failed ?? 0]
        return AppleDecision.Part(
            kind: constraint.kind,
            name: constraint.name,
            expected: constraint.pattern,
            found: reported?.found,
            matches: failed == nil,
            level: constraint.level
        )
    }

    /// Returns the index of the first text that the pattern does not match; nil if it matches all. An absent query item
    /// is compared as an empty text.
    private mutating func firstFailure(
        _ constraint: Constraint,
        in found: [URLTexts.Text],
        _ variables: PatternVariables
    ) throws(StepBudget.Exhausted) -> Int? {
        let pattern = constraint.kind == .path ? DevicePath.normalised(constraint.pattern) : constraint.pattern
        guard !found.isEmpty else {
            let empty = PatternText([], foldsCase: false)
            return try PatternMatcher.matches(pattern, empty, variables, &budget) ? nil : 0
        }
        for (index, text) in found.enumerated() {
            guard try PatternMatcher.matches(pattern, text.text, variables, &budget) else { return index }
        }
        return nil
    }

    /// Returns whether a path that matches would not match without the slash that devices are assumed to add at its end.
    /// That `/x/*` matches `/x`, and `/x/` too, is recorded.
    private mutating func needsAddedSlash(
        _ constraint: Constraint,
        _ reading: URLTexts.Reading
    ) throws(StepBudget.Exhausted) -> Bool {
        let pattern = DevicePath.normalised(constraint.pattern)
        guard pattern.hasSuffix("*"), !pattern.hasSuffix("/*"), let text = texts[.path, reading].first?.text,
            text.bytes.count > 1, text.bytes.last == UInt8(ascii: "/")
        else { return false }
        let shorter = PatternText(Array(text.bytes.dropLast()), foldsCase: text.foldsCase)
        return try !PatternMatcher.matches(pattern, shorter, variables, &budget)
    }

    /// Returns whether a pattern that failed would match if `$(lang)` and `$(region)` matched both cases.
    private mutating func matchesInOtherCase(
        _ constraint: Constraint,
        _ reading: URLTexts.Reading
    ) throws(StepBudget.Exhausted) -> Bool {
        guard !reading.foldsCase, PatternInspection(constraint.pattern, variables).namesLocaleCodes else {
            return false
        }
        var variables = variables
        variables.localeCodesInBothCases = true
        return try firstFailure(constraint, in: texts[constraint.part, reading], variables) == nil
    }
}
