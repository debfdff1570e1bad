extension Facts {
    /// Returns a caller with these facts; nil when none is found. Facts that are not named stay unknown.
    ///
    /// - Parameter budget: Spends the steps of the search.
    func caller(_ apps: [RegisteredApp], _ budget: WorkBudget) -> LinkContext? {
        var context = LinkContext()
        for (fact, set) in inOrder {
            switch (fact, set) {
            case (.platform, _), (.apps, _): continue
            case (.device, .choices(let choices)):
                context.device = Device.allCases.first { choices.contains($0.rawValue) }
            case (.authenticated, .choices(let choices)): context.authenticated = choices.contains("true")
            case (.inAppBrowser, .choices(let choices)): context.inAppBrowser = choices.contains("true")
            case (.country, .choices(let choices)): context.country = country(choices)
            case (.osVersion, .versions(let span)): context.osVersion = version(span)
            case (.appVersion, .versions(let span)): context.appVersion = version(span)
            case (.appBuild, .builds(let span)):
                context.appBuild = span.from ?? span.until.map { max($0, .min + 1) - 1 }
            case (.time, .times(let span)):
                context.now = span.from ?? span.until.map { Timestamp(milliseconds: $0.milliseconds - 1) }
            case (.trait(let name), .trait(let constraint)):
                let none = Set(constraint.none)
                let picks = constraint.picks { value, _ in !none.contains(value) } ?? []
                context.traits[name.description] = picks.isEmpty ? ["~"] : picks.map(\.description)
            case (.locale, .locale(let constraint)): context.locale = locale(constraint)
            default: continue
            }
        }
        choosePlatform(&context, apps)
        guard chooseStickyKey(&context, budget) else { return nil }
        return context
    }

    /// Chooses the app before the platform, because the app determines its platform.
    private func choosePlatform(_ context: inout LinkContext, _ apps: [RegisteredApp]) {
        var platforms = Platform.allCases
        if case .choices(let choices)? = sets[.platform] {
            platforms = platforms.filter { choices.contains($0.rawValue) }
        }
        if case .choices(let choices)? = sets[.apps] {
            let allowed = apps.filter { choices.contains($0.id.rawValue) }
            let app = allowed.first { platforms.contains($0.platform) } ?? allowed.first
            context.app = app?.id
            if let app, platforms.contains(app.platform) { platforms = [app.platform] }
        }
        if sets[.platform] != nil { context.platform = platforms.first }
    }

    private func country(_ choices: Choices) -> String? {
        switch choices {
        case .only(let countries): countries.min()
        case .allBut: ["GB", "FR", "US", "ZZ", "QM"].first(where: choices.contains)
        }
    }

    private func version(_ span: OpenInterval<Version>) -> Version? {
        span.from ?? ["1.0", "0.1", "0", "0-0"].lazy.compactMap { Version($0) }.first(where: span.contains)
    }

    private func locale(_ constraint: SetConstraint<LanguageTag>) -> [LanguageTag] {
        let picks = constraint.picks { LanguageTag.lookup([$0], in: $1) == nil } ?? []
        guard picks.isEmpty else { return picks }
        return ["zxx", "en", "fr", "mis"].compactMap { LanguageTag($0) }
            .filter { LanguageTag.lookup([$0], in: constraint.none) == nil }.prefix(1).map(\.self)
    }

    /// Maximum number of sticky keys to try.
    private static let mostKeys = 20_000

    /// Chooses a sticky key that all rollouts include. Returns false when none is found.
    private func chooseStickyKey(_ context: inout LinkContext, _ budget: WorkBudget) -> Bool {
        let rollouts = inOrder.compactMap { fact, set -> (salt: String, span: OpenInterval<Int>)? in
            guard case .rollout(let salt) = fact, case .buckets(let span) = set else { return nil }
            return (salt.description, span)
        }
        guard !rollouts.isEmpty else { return true }
        for number in 0..<Self.mostKeys {
            let key = "install-\(number)"
            let first = rollouts.firstIndex { !$0.span.contains(Bucket.of(key, salt: $0.salt)) }
            let hashed = rollouts[...(first ?? rollouts.count - 1)]
            guard budget.spend(hashed.reduce(2) { $0 + 1 + $1.salt.utf8.count / 16 }) else { return false }
            guard first != nil else {
                context.stickyKey = key
                return true
            }
        }
        return false
    }

    /// Describes the facts, for example `platform ios and country GB`. For rollouts, it shows the caller's sticky key.
    /// The text is empty without facts.
    func words(for caller: LinkContext) -> String {
        let words = sets.compactMap { fact, set -> String? in
            if case .rollout = fact { return nil }
            return "\(fact.name) \(set.words)"
        }
        return (words.sorted() + (caller.stickyKey.map { ["stickyKey \($0)"] } ?? [])).joined(separator: " and ")
    }
}

extension Facts.FactSet {
    fileprivate var words: String {
        func words<Value>(_ span: OpenInterval<Value>) -> String {
            [span.from.map { "from \($0)" }, span.until.map { "until \($0)" }].compactMap(\.self)
                .joined(separator: " ")
        }
        func words<Value>(_ constraint: SetConstraint<Value>) -> String {
            let wants = constraint.oneOfEach.map { $0.map { "\($0)" }.joined(separator: " or ") }
            return (wants + constraint.none.map { "not \($0)" }).joined(separator: " and ")
        }
        switch self {
        case .choices(.only(let values)): return values.sorted().joined(separator: " or ")
        case .choices(.allBut(let values)): return "not \(values.sorted().joined(separator: " nor "))"
        case .versions(let span): return words(span)
        case .builds(let span): return words(span)
        case .times(let span): return words(span)
        case .buckets(let span): return words(span)
        case .trait(let constraint): return words(constraint)
        case .locale(let constraint): return words(constraint)
        }
    }
}
