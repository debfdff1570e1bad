extension Condition {
    /// Evaluates the condition against the known facts.
    func evaluate(in context: LinkContext, _ parts: inout LinkParts) -> Tristate {
        evaluate(in: context, context.app, context.platform, &parts)
    }

    /// Evaluates the condition with another app and platform than the caller's. Copying the context would cost more
    /// than evaluating most conditions.
    func evaluate(
        in context: LinkContext,
        _ app: AppID?,
        _ platform: Platform?,
        _ parts: inout LinkParts
    ) -> Tristate {
        switch self {
        case .platform(let platforms): truth(platform) { platforms.contains($0) }
        case .device(let devices): truth(context.device) { devices.contains($0) }
        case .osVersion(let range): truth(context.osVersion) { range.contains($0) }
        case .appVersion(let range): truth(context.appVersion) { range.contains($0) }
        case .appBuild(let range): truth(context.appBuild) { range.contains($0) }
        case .locale(let tags):
            context.locale.isEmpty ? .unknown : parts.place(of: tags, in: context) == nil ? .fails : .holds
        case .country(let countries):
            truth(context.country) { country in
                country.withBytes { countries.contains($0, .ignored) }
            }
        case .authenticated(let expected): truth(context.authenticated) { $0 == expected }
        case .trait(let name, let values):
            truth(parts.isListed(name, of: context, in: values)) { $0 }
        case .inAppBrowser(let expected): truth(context.inAppBrowser) { $0 == expected }
        case .time(let from, let until):
            truth(context.now) { now in (from.map { $0 <= now } ?? true) && (until.map { now < $0 } ?? true) }
        case .rollout(let rollout):
            // Without a sticky key, a rollout is unknown, like any condition on a missing fact.
            truth(context.stickyKey) { Bucket.of($0, salt: rollout.salt) < rollout.basisPoints }
        case .apps(let apps): truth(app) { apps.contains($0) }
        case .all(let conditions): Self.all(conditions, in: context, app, platform, &parts)
        case .any(let conditions): Self.any(conditions, in: context, app, platform, &parts)
        case .not(let condition): !condition.evaluate(in: context, app, platform, &parts)
        }
    }

    /// Whether the result may change with the clock or with signing in, so that the resolution must not be cached.
    var isVolatile: Bool {
        switch self {
        case .time, .authenticated: true
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.isVolatile)
        case .not(let condition): condition.isVolatile
        default: false
        }
    }

    /// Whether the result may depend on the sticky key.
    var hasRollout: Bool {
        switch self {
        case .rollout: true
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.hasRollout)
        case .not(let condition): condition.hasRollout
        default: false
        }
    }

    private static func any(
        _ conditions: [Condition],
        in context: LinkContext,
        _ app: AppID?,
        _ platform: Platform?,
        _ parts: inout LinkParts
    ) -> Tristate {
        var result = Tristate.fails
        for condition in conditions {
            switch condition.evaluate(in: context, app, platform, &parts) {
            case .holds: return .holds
            case .fails: continue
            case .unknown: result = .unknown
            }
        }
        return result
    }

    private static func all(
        _ conditions: [Condition],
        in context: LinkContext,
        _ app: AppID?,
        _ platform: Platform?,
        _ parts: inout LinkParts
    ) -> Tristate {
        var result = Tristate.holds
        for condition in conditions {
            switch condition.evaluate(in: context, app, platform, &parts) {
            case .holds: continue
            case .fails: return .fails
            case .unknown: result = .unknown
            }
        }
        return result
    }

    private func truth<Fact>(_ fact: Fact?, _ holds: (Fact) -> Bool) -> Tristate {
        guard let fact else { return .unknown }
        return holds(fact) ? .holds : .fails
    }
}

extension Condition.VersionRange {
    func contains(_ version: Version) -> Bool {
        (from.map { $0 <= version } ?? true) && (until.map { version < $0 } ?? true)
    }
}

extension Condition.BuildRange {
    func contains(_ build: Int64) -> Bool {
        (from.map { $0 <= build } ?? true) && (until.map { build < $0 } ?? true)
    }
}
