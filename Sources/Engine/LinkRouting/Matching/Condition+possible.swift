/// The results that a condition may have when some facts are still open.
struct PossibleTruths: OptionSet {
    let rawValue: UInt8

    static let holds = PossibleTruths(rawValue: 1)
    static let fails = PossibleTruths(rawValue: 2)
    static let unknown = PossibleTruths(rawValue: 4)
    static let any: PossibleTruths = [.holds, .fails, .unknown]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ truth: Tristate) {
        self =
            switch truth {
            case .holds: .holds
            case .fails: .fails
            case .unknown: .unknown
            }
    }

    /// The results of the negation.
    var negated: PossibleTruths {
        var negated = intersection(.unknown)
        if contains(.holds) { negated.insert(.fails) }
        if contains(.fails) { negated.insert(.holds) }
        return negated
    }

    /// The results of a conjunction: it fails if one part fails, and is unknown if none fails and one is unknown.
    func and(_ other: PossibleTruths) -> PossibleTruths {
        var both = union(other).intersection(.fails)
        if contains(.holds), other.contains(.holds) { both.insert(.holds) }
        let none = isDisjoint(with: [.holds, .unknown]) || other.isDisjoint(with: [.holds, .unknown])
        if !none, contains(.unknown) || other.contains(.unknown) { both.insert(.unknown) }
        return both
    }

    /// The results of a disjunction, by De Morgan's law.
    func or(_ other: PossibleTruths) -> PossibleTruths { negated.and(other.negated).negated }
}

extension Condition {
    /// Returns the results that the condition may have once the open facts are known. A fact that occurs twice is
    /// treated as two facts, so that the set may be too large, but never too small.
    func possibleTruths(
        in context: LinkContext,
        _ app: AppID?,
        _ platform: Platform?,
        open: OpenFacts
    ) -> PossibleTruths {
        switch self {
        case .country where open.country && context.country == nil: return .any
        case .time where open.time && context.now == nil: return .any
        case .trait(let name, _) where context.trait(name) == nil && open.traits.contains(ExactText(name)): return .any
        case .all(let conditions):
            return conditions.reduce(.holds) {
                $0.and($1.possibleTruths(in: context, app, platform, open: open))
            }
        case .any(let conditions):
            return conditions.reduce(.fails) {
                $0.or($1.possibleTruths(in: context, app, platform, open: open))
            }
        case .not(let condition):
            return condition.possibleTruths(in: context, app, platform, open: open).negated
        default:
            var parts = LinkParts()
            return PossibleTruths(evaluate(in: context, app, platform, &parts))
        }
    }
}
