/// The facts about the caller that one alternative of a `when` requires: each named fact is known and lies in its set.
struct Facts: Hashable {
    private(set) var sets: [Fact: FactSet] = [:]

    /// The facts in an order that is the same in each process: near the end of a budget, another order might decide about a
    /// finding.
    var inOrder: [(fact: Fact, set: FactSet)] {
        sets.map { (fact: $0.key, set: $0.value) }.sorted { $0.fact < $1.fact }
    }

    enum Fact: Hashable, Comparable {
        case platform, device, osVersion, appVersion, appBuild, locale, country, authenticated, inAppBrowser, time, apps
        case trait(ExactText)
        /// The bucket of all rollouts with this salt.
        case rollout(ExactText)

        static func < (left: Self, right: Self) -> Bool { left.order < right.order }

        private var order: (ExactText, ExactText) {
            guard case .rollout(let salt) = self else { return (ExactText(name), "") }
            return (ExactText(name), salt)
        }

        /// The key of the fact in a table.
        var name: String {
            switch self {
            case .platform: "platform"
            case .device: "device"
            case .osVersion: "osVersion"
            case .appVersion: "appVersion"
            case .appBuild: "appBuild"
            case .locale: "locale"
            case .country: "country"
            case .authenticated: "authenticated"
            case .inAppBrowser: "inAppBrowser"
            case .time: "time"
            case .apps: "apps"
            case .trait(let name): "traits.\(name)"
            case .rollout: "rollout"
            }
        }
    }

    enum FactSet: Hashable {
        case choices(Choices)
        case versions(OpenInterval<Version>)
        case builds(OpenInterval<Int64>)
        case times(OpenInterval<Timestamp>)
        /// Buckets, in basis points (hundredths of a percent).
        case buckets(OpenInterval<Int>)
        case trait(SetConstraint<ExactText>)
        case locale(SetConstraint<LanguageTag>)
    }

    init() {}

    init(_ fact: Fact, _ set: FactSet) { sets = [fact: set] }

    func intersection(_ other: Facts) -> Facts {
        var both = self
        both.sets.merge(other.sets) { $0.intersection($1) }
        return both
    }

    /// Returns the facts that no caller can have together; empty when some caller satisfies all facts.
    func contradictions(_ apps: [RegisteredApp]) -> [Fact] {
        let alone = inOrder.filter(\.set.isEmpty).map(\.fact)
        guard alone.isEmpty, case .choices(let platforms)? = sets[.platform],
            case .choices(.only(let ids))? = sets[.apps], !ids.isEmpty
        else { return alone }
        let apps = Dictionary(apps.map { ($0.id.rawValue, $0) }) { first, _ in first }
        let canRun = ids.contains { id in
            guard let app = apps[id] else { return true }
            return Platform.allCases.contains { platforms.contains($0.rawValue) && app.mayRun(on: $0) }
        }
        return canRun ? [] : [.platform, .apps]
    }

    /// Returns the callers that `other` leaves over, in parts, and the callers in both. Nil when `other` takes none of
    /// them, or when it cannot be decided.
    func subtracting(_ other: Facts) -> (rests: [Facts], common: Facts)? {
        // Callers with an unknown fact of `other` remain.
        guard other.sets.keys.allSatisfy({ sets[$0] != nil }) else { return nil }
        var common = self
        var rests: [Facts] = []
        for (fact, taken) in other.inOrder {
            guard let own = sets[fact], let parts = own.subtracting(taken) else { return nil }
            for part in parts where !part.isEmpty {
                var rest = common
                rest.sets[fact] = part
                rests.append(rest)
            }
            let both = own.intersection(taken)
            guard !both.isEmpty else { return nil }
            common.sets[fact] = both
        }
        return (rests, common)
    }

    /// The time from which no caller satisfies the facts; nil without an end.
    var end: Timestamp? {
        guard case .times(let span)? = sets[.time] else { return nil }
        return span.until
    }
}

extension RegisteredApp {
    /// Whether the app may report this platform. An iOS app also runs on a Mac, and both kinds can run on further
    /// platforms, but neither runs on the other's.
    fileprivate func mayRun(on platform: Platform) -> Bool {
        switch product {
        case .ios: platform != .android
        case .android: platform != .ios && platform != .macos
        }
    }
}

extension Facts.FactSet {
    var isEmpty: Bool {
        switch self {
        case .choices(let choices): choices.isEmpty
        case .versions(let span): span.isEmpty
        case .builds(let span): span.isEmpty
        case .times(let span): span.isEmpty
        case .buckets(let span): span.intersection(OpenInterval(from: 0, until: Bucket.count)).isEmpty
        case .trait(let constraint): Self.isEmpty(constraint)
        case .locale(let constraint): constraint.picks { LanguageTag.lookup([$0], in: $1) == nil } == nil
        }
    }

    private static func isEmpty(_ constraint: SetConstraint<ExactText>) -> Bool {
        guard !constraint.none.isEmpty else { return constraint.oneOfEach.contains(where: \.isEmpty) }
        let none = Set(constraint.none)
        return constraint.picks { value, _ in !none.contains(value) } == nil
    }

    func intersection(_ other: Self) -> Self {
        switch (self, other) {
        case (.choices(let left), .choices(let right)): .choices(left.intersection(right))
        case (.versions(let left), .versions(let right)): .versions(left.intersection(right))
        case (.builds(let left), .builds(let right)): .builds(left.intersection(right))
        case (.times(let left), .times(let right)): .times(left.intersection(right))
        case (.buckets(let left), .buckets(let right)): .buckets(left.intersection(right))
        case (.trait(let left), .trait(let right)): .trait(left.intersection(right))
        case (.locale(let left), .locale(let right)): .locale(left.intersection(right))
        default: preconditionFailure("a fact has sets of one kind")
        }
    }

    /// Returns the values that `other` leaves over, in parts; nil when it cannot be decided.
    fileprivate func subtracting(_ other: Self) -> [Self]? {
        switch (self, other) {
        case (.choices(let left), .choices(let right)): [.choices(left.intersection(right.complement))]
        case (.versions(let left), .versions(let right)):
            right.complement.map { .versions(left.intersection($0)) }
        case (.builds(let left), .builds(let right)): right.complement.map { .builds(left.intersection($0)) }
        case (.times(let left), .times(let right)): right.complement.map { .times(left.intersection($0)) }
        case (.buckets(let left), .buckets(let right)): right.complement.map { .buckets(left.intersection($0)) }
        case (.trait(let left), .trait(let right)): left.implies(right) ? [] : nil
        case (.locale(let left), .locale(let right)): left.implies(right) ? [] : nil
        default: preconditionFailure("a fact has sets of one kind")
        }
    }
}
