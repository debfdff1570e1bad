extension Router {
    /// The work of comparing the link with the routes of a trace, in steps like ``maximumSteps``.
    private static let traceSteps = 250_000

    /// Returns why each other route did not match: those with the longest matching path prefix first, then in order of
    /// precedence. Routes that exceed the work of a trace are left out.
    func trace(_ input: MatchInput, winner: Int?) -> ResolutionTrace {
        let budget = WorkBudget(steps: Self.traceSteps)
        var parts = LinkParts()
        var failedCount = 0
        // The ranks of failed routes by agreement. No trace lists more of one agreement than its limit.
        var failed: [Int: [Int]] = [:]
        for rank in compiled.index.order.indices where rank != winner {
            let route = route(at: rank)
            let agreement =
                route.agreement(with: input, &parts, budget)
                // It matches as well, but the caller prefers another language.
                ?? (rank < winner ?? 0 ? route.path.segments.count + 3 : nil)
            guard let agreement else { continue }
            failedCount += 1
            guard !budget.isUsedUp else { break }
            guard failed[agreement, default: []].count < ResolutionTrace.limit else { continue }
            failed[agreement, default: []].append(rank)
        }
        let listed = failed.sorted { $0.key > $1.key }.flatMap(\.value).prefix(ResolutionTrace.limit)
        return ResolutionTrace(
            entries: listed.compactMap { rank in
                let route = route(at: rank)
                return (route.failure(for: input, &parts) ?? route.otherLanguage(in: input.context))?.shortened
            },
            isTruncated: failedCount > listed.count
        )
    }
}

extension ResolutionTrace.Entry {
    /// The entry with texts of a limited length. A link and a list of values may have many thousand bytes.
    fileprivate var shortened: Self {
        var entry = self
        entry.expected = entry.expected.shortened(toBytes: ResolutionTrace.maximumTextBytes)
        entry.found = entry.found?.shortened(toBytes: ResolutionTrace.maximumTextBytes)
        return entry
    }
}

extension Route {
    /// Returns how much of the route the link matches: the number of segments before the first that fails, or more if the
    /// path matches; -1 if the host fails; nil if the route matches.
    fileprivate func agreement(
        with input: MatchInput,
        _ parts: inout LinkParts,
        _ budget: WorkBudget
    ) -> Int? {
        let link = input.link
        guard budget.spend(4 + path.description.utf8.count / 4 + evaluationSteps()), hostHolds(for: link) else {
            return -1
        }
        if let segment = path.firstMismatch(in: link, letterCase, &parts, within: budget) { return segment }
        let agreement = path.segments.count + 1
        guard trailingSlashHolds(for: link) else { return agreement }
        for condition in query where !condition.holds(for: link, input.plusSign, &parts) { return agreement + 1 }
        guard fragmentHolds(for: link, &parts) else { return agreement + 1 }
        if let when, when.evaluate(in: input.context, &parts) != .holds { return agreement + 2 }
        return unsupported.isEmpty ? nil : agreement + 3
    }

    /// Returns the first mismatch; nil when the route matches.
    func failure(for input: MatchInput, _ parts: inout LinkParts) -> ResolutionTrace.Entry? {
        let link = input.link
        func entry(
            _ failed: ResolutionTrace.Failure,
            at: ResolutionTrace.Location? = nil,
            parameter: String? = nil,
            _ expected: String,
            _ found: String?
        ) -> ResolutionTrace.Entry {
            ResolutionTrace.Entry(
                route: id,
                failed: failed,
                at: at,
                parameter: parameter,
                expected: expected,
                found: found
            )
        }
        guard hostHolds(for: link) else { return entry(.host, host?.description ?? "", link.host) }
        if let index = path.firstMismatch(in: link, letterCase, &parts) { return segmentEntry(index, in: link) }
        guard trailingSlashHolds(for: link) else {
            return entry(
                .trailingSlash,
                path.hasTrailingSlash ? "a trailing slash" : "no trailing slash",
                link.hasTrailingSlash ? "a trailing slash" : "no trailing slash"
            )
        }
        for condition in query {
            guard let failure = condition.failure(in: input, &parts) else { continue }
            var parameter: String?
            if case .capture(let captured, _) = condition.test { parameter = captured.name }
            return entry(.query, at: .name(condition.name), parameter: parameter, failure.expected, failure.found)
        }
        if let failure = fragmentFailure(in: link, &parts) {
            return entry(.fragment, failure.expected, failure.found)
        }
        if let failure = when?.failure(in: input.context, &parts) {
            return entry(
                failure.found == nil ? .unknown : .when,
                at: .name(failure.name),
                failure.expected,
                failure.found
            )
        }
        guard unsupported.isEmpty else { return entry(.unsupported, unsupported.joined(separator: ", "), nil) }
        return nil
    }

    /// Returns the entry of a route that matches, but has a language that the caller wants less than the winner's.
    fileprivate func otherLanguage(in context: LinkContext) -> ResolutionTrace.Entry? {
        guard let languages = LanguageVariant(self)?.tags else { return nil }
        let condition = Condition.locale(languages)
        return ResolutionTrace.Entry(
            route: id,
            failed: .when,
            at: .name(condition.name),
            parameter: nil,
            expected: "\(condition.expectation) first",
            found: condition.found(in: context)
        )
    }

    /// Returns the entry of a segment that the link's path does not match.
    private func segmentEntry(_ index: Int, in link: DeepLink) -> ResolutionTrace.Entry {
        let found = index < link.segments.count ? link.segmentText(index) : nil
        var entry = ResolutionTrace.Entry(route: id, failed: .path, at: .segment(index), expected: "", found: found)
        guard index < path.segments.count else {
            entry.expected = "the end of the path"
            return entry
        }
        let segment = path.segments[index]
        entry.expected = segment.description
        switch segment {
        case .parameter(let parameter) where found != nil:
            (entry.failed, entry.parameter, entry.expected) = (.type, parameter.name, parameter.type.description)
        case .any: entry.found = nil
        case .literal, .parameter, .mixed, .rest: break
        }
        return entry
    }
}

extension Condition {
    /// Returns the first condition that does not hold, with its name in a table; `found` is nil when the fact is
    /// unknown.
    func failure(
        in context: LinkContext,
        _ parts: inout LinkParts
    ) -> (name: String, expected: String, found: String?)? {
        let truth = evaluate(in: context, &parts)
        guard truth != .holds else { return nil }
        if case .all(let conditions) = self {
            for condition in conditions {
                if let failure = condition.failure(in: context, &parts) { return failure }
            }
            return nil
        }
        return (name, expectation, truth == .unknown ? nil : found(in: context))
    }

    /// The key of the condition in a table.
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
        case .trait(let name, _): "traits.\(name)"
        case .inAppBrowser: "inAppBrowser"
        case .time: "time"
        case .rollout: "rollout"
        case .apps: "apps"
        case .all: "all"
        case .any: "any"
        case .not: "not"
        }
    }

    fileprivate var expectation: String {
        func range<Bound>(_ from: Bound?, _ until: Bound?) -> String {
            [from.map { ">= \($0)" }, until.map { "< \($0)" }].compactMap(\.self).joined(separator: " and ")
        }
        return switch self {
        case .platform(let platforms): platforms.map(\.rawValue).joined(separator: " | ")
        case .device(let devices): devices.map(\.rawValue).joined(separator: " | ")
        case .osVersion(let versions), .appVersion(let versions): range(versions.from, versions.until)
        case .appBuild(let builds): range(builds.from, builds.until)
        case .locale(let tags): tags.map(\.description).joined(separator: " | ")
        case .country(let countries): countries.joined(separator: " | ")
        case .authenticated(let expected), .inAppBrowser(let expected): "\(expected)"
        case .trait(_, let values): values.joined(separator: " | ")
        case .time(let from, let until): range(from, until)
        case .rollout(let rollout): "bucket < \(rollout.basisPoints)"
        case .apps(let apps): apps.map(\.rawValue).joined(separator: " | ")
        case .all(let conditions): conditions.map { "\($0.name): \($0.expectation)" }.joined(separator: ", ")
        case .any(let conditions): conditions.map { "\($0.name): \($0.expectation)" }.joined(separator: " or ")
        case .not(let condition): "not \(condition.name): \(condition.expectation)"
        }
    }

    fileprivate func found(in context: LinkContext) -> String {
        switch self {
        case .platform: context.platform?.rawValue ?? ""
        case .device: context.device?.rawValue ?? ""
        case .osVersion: context.osVersion?.description ?? ""
        case .appVersion: context.appVersion?.description ?? ""
        case .appBuild: context.appBuild.map { "\($0)" } ?? ""
        case .locale: context.locale.map(\.description).joined(separator: ", ")
        case .country: context.country ?? ""
        case .authenticated: context.authenticated.map { "\($0)" } ?? ""
        case .trait(let name, _): (context.trait(name) ?? []).joined(separator: ", ")
        case .inAppBrowser: context.inAppBrowser.map { "\($0)" } ?? ""
        case .time: context.now?.description ?? ""
        case .rollout(let rollout): context.stickyKey.map { "bucket \(Bucket.of($0, salt: rollout.salt))" } ?? ""
        case .apps: context.app?.rawValue ?? ""
        case .all, .any: "none of them"
        case .not(let condition): condition.found(in: context)
        }
    }
}

extension RoutePattern.Segment: CustomStringConvertible {
    /// The segment as written in a pattern.
    public var description: String {
        func literal(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        func written(_ parameter: RoutePattern.Parameter) -> String {
            switch parameter.type {
            case .string(nil): "{\(parameter.name)}"
            case .oneOf: "{\(parameter.name)\(parameter.type)}"
            default: "{\(parameter.name):\(parameter.type)}"
            }
        }
        return switch self {
        case .literal(let bytes): literal(bytes)
        case .parameter(let parameter): written(parameter)
        case .mixed(let mixed):
            literal(mixed.prefix) + mixed.pieces.map { written($0.parameter) + literal($0.literal) }.joined()
        case .any: "*"
        case .rest(let name): "{\(name)...}"
        }
    }
}
