import LinkRouting

/// How a route's `when` may come out for one app, whatever else the context says.
struct Outcomes: OptionSet {
    let rawValue: UInt8

    static let holds = Outcomes(rawValue: 1)
    static let fails = Outcomes(rawValue: 2)
    static let unknown = Outcomes(rawValue: 4)
    static let any: Outcomes = [.holds, .fails, .unknown]

    fileprivate var negated: Outcomes {
        var negated = intersection(.unknown)
        if contains(.holds) { negated.insert(.fails) }
        if contains(.fails) { negated.insert(.holds) }
        return negated
    }
}

extension Condition {
    /// What the condition can become with the app's platform and the app known and everything else open. It may name an
    /// outcome that no context has, because parts that depend on each other are judged apart; it never misses one.
    func outcomes(for app: App) -> Outcomes {
        switch self {
        case .platform(let platforms): platforms.contains(app.platform) ? .holds : .fails
        case .apps(let apps): apps.contains(app.id) ? .holds : .fails
        case .osVersion(let range), .appVersion(let range):
            isEmpty(range.from, range.until) ? [.fails, .unknown] : .any
        case .appBuild(let range): isEmpty(range.from, range.until) ? [.fails, .unknown] : .any
        case .time(let from, let until): isEmpty(from, until) ? [.fails, .unknown] : .any
        case .rollout(let rollout) where rollout.basisPoints <= 0: [.fails, .unknown]
        case .rollout, .device, .locale, .country, .authenticated, .trait, .inAppBrowser: .any
        case .all(let conditions): Self.all(conditions.map { $0.outcomes(for: app) })
        case .any(let conditions): Self.all(conditions.map { $0.outcomes(for: app).negated }).negated
        case .not(let condition): condition.outcomes(for: app).negated
        }
    }

    /// Of a conjunction: one that fails makes it fail, else one that is unknown makes it unknown.
    private static func all(_ parts: [Outcomes]) -> Outcomes {
        var outcomes: Outcomes = []
        if parts.allSatisfy({ $0.contains(.holds) }) { outcomes.insert(.holds) }
        if parts.contains(where: { $0.contains(.fails) }) { outcomes.insert(.fails) }
        if parts.contains(where: { $0.contains(.unknown) }), parts.allSatisfy({ $0 != .fails }) {
            outcomes.insert(.unknown)
        }
        return outcomes
    }

    /// Whether nothing is at least `from` and below `until`.
    private func isEmpty<Value: Comparable>(_ from: Value?, _ until: Value?) -> Bool {
        guard let from, let until else { return false }
        return from >= until
    }
}
