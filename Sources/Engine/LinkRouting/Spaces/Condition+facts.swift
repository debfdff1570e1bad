extension Condition {
    /// Maximum number of alternatives of a condition. Conditions with more are not analysed.
    private static let mostAlternatives = 64

    /// The condition in disjunctive normal form: the alternatives that satisfy it, including contradictory ones; nil
    /// when there are too many.
    ///
    /// The form is exact: the condition holds for a caller if and only if one of the alternatives does. Negations are
    /// pushed down to single facts. A negation holds where the negated condition fails, so a negated fact is known and
    /// lies outside of the set.
    var alternatives: [Facts]? { alternatives(isNegated: false) }

    private func alternatives(isNegated: Bool) -> [Facts]? {
        func choices(_ fact: Facts.Fact, _ values: [String], of all: [String]?) -> [Facts] {
            let chosen = isNegated ? Choices.allBut(Set(values)) : .only(Set(values))
            return [Facts(fact, .choices(all.map(chosen.within) ?? chosen))]
        }
        func span<Value>(_ fact: Facts.Fact, _ span: OpenInterval<Value>, _ set: (OpenInterval<Value>) -> Facts.FactSet)
            -> [Facts]
        {
            (isNegated ? span.complement : [span]).map { Facts(fact, set($0)) }
        }
        let booleans = ["true", "false"]
        switch self {
        case .platform(let platforms):
            return choices(.platform, platforms.map(\.rawValue), of: Platform.allCases.map(\.rawValue))
        case .device(let devices):
            return choices(.device, devices.map(\.rawValue), of: Device.allCases.map(\.rawValue))
        case .apps(let apps): return choices(.apps, apps.map(\.rawValue), of: nil)
        case .country(let countries):
            return choices(.country, countries.map(asciiUppercased), of: nil)
        case .authenticated(let expected): return choices(.authenticated, ["\(expected)"], of: booleans)
        case .inAppBrowser(let expected): return choices(.inAppBrowser, ["\(expected)"], of: booleans)
        case .osVersion(let range):
            return span(.osVersion, OpenInterval(from: range.from, until: range.until)) { .versions($0) }
        case .appVersion(let range):
            return span(.appVersion, OpenInterval(from: range.from, until: range.until)) { .versions($0) }
        case .appBuild(let range):
            return span(.appBuild, OpenInterval(from: range.from, until: range.until)) { .builds($0) }
        case .time(let from, let until): return span(.time, OpenInterval(from: from, until: until)) { .times($0) }
        case .rollout(let rollout):
            return span(.rollout(ExactText(rollout.salt)), OpenInterval(from: 0, until: rollout.basisPoints)) {
                .buckets($0)
            }
        case .trait(let name, let values):
            let values = values.map { ExactText($0) }
            let constraint = isNegated ? SetConstraint(none: values) : SetConstraint(oneOfEach: [values])
            return [Facts(.trait(ExactText(name)), .trait(constraint))]
        case .locale(let tags):
            return [Facts(.locale, .locale(isNegated ? SetConstraint(none: tags) : SetConstraint(oneOfEach: [tags])))]
        case .not(let condition): return condition.alternatives(isNegated: !isNegated)
        case .all(let conditions): return isNegated ? Self.any(conditions, true) : Self.all(conditions, false)
        case .any(let conditions): return isNegated ? Self.all(conditions, true) : Self.any(conditions, false)
        }
    }

    private static func any(_ conditions: [Condition], _ isNegated: Bool) -> [Facts]? {
        var all: [Facts] = []
        for condition in conditions {
            guard let alternatives = condition.alternatives(isNegated: isNegated) else { return nil }
            all += alternatives
        }
        return all.count <= mostAlternatives ? all : nil
    }

    private static func all(_ conditions: [Condition], _ isNegated: Bool) -> [Facts]? {
        var combined = [Facts()]
        for condition in conditions {
            guard let alternatives = condition.alternatives(isNegated: isNegated),
                combined.count * alternatives.count <= mostAlternatives
            else { return nil }
            combined = combined.flatMap { left in alternatives.map(left.intersection) }
        }
        return combined
    }
}

/// Countries are compared case-insensitively (ASCII).
func asciiUppercased(_ text: String) -> String {
    String(decoding: text.utf8.map { isLetter($0) ? $0 & ~0x20 : $0 }, as: UTF8.self)
}
