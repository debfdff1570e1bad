import LinkRouting

/// The possible results of a route's `when` for one app, over all contexts.
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
    /// Returns the possible results of the condition if only the app and its platform are known. The set may contain an
    /// outcome that no context has, because dependent parts are evaluated independently. It never lacks a possible
    /// outcome.
    func outcomes(for app: RegisteredApp) -> Outcomes {
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

    /// Returns the outcomes of a conjunction. It fails if a part fails; otherwise it is unknown if a part is unknown.
    private static func all(_ parts: [Outcomes]) -> Outcomes {
        var outcomes: Outcomes = []
        if parts.allSatisfy({ $0.contains(.holds) }) { outcomes.insert(.holds) }
        if parts.contains(where: { $0.contains(.fails) }) { outcomes.insert(.fails) }
        if parts.contains(where: { $0.contains(.unknown) }), parts.allSatisfy({ $0 != .fails }) {
            outcomes.insert(.unknown)
        }
        return outcomes
    }

    /// Returns whether no value is at least `from` and below `until`.
    private func isEmpty<Value: Comparable>(_ from: Value?, _ until: Value?) -> Bool {
        guard let from, let until else { return false }
        return from >= until
    }
}
