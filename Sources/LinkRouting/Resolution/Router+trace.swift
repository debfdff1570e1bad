extension Router {
    /// Returns why each other route did not match: those with the longest matching path prefix first, then in order of
    /// precedence.
    func trace(_ input: MatchInput, winner: Int?) -> ResolutionTrace {
        var failures: [(agreement: Int, rank: Int, entry: ResolutionTrace.Entry)] = []
        var parts = LinkParts()
        for (rank, route) in routesInOrder.enumerated() where rank != winner {
            guard let (entry, agreement) = route.failure(for: input, &parts) else { continue }
            failures.append((agreement, rank, entry))
        }
        failures.sort { ($1.agreement, $0.rank) < ($0.agreement, $1.rank) }
        return ResolutionTrace(
            entries: failures.prefix(ResolutionTrace.limit).map(\.entry),
            isTruncated: failures.count > ResolutionTrace.limit
        )
    }
}

extension Route {
    /// Returns the first mismatch, and the number of segments that matched before it; nil when the route matches.
    func failure(for input: MatchInput, _ parts: inout LinkParts) -> (entry: ResolutionTrace.Entry, agreement: Int)? {
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
        guard hostHolds(for: link) else {
            return (entry(.host, host?.description ?? "", link.host), -1)
        }
        if let mismatch = pathMismatch(in: link) {
            return (
                entry(
                    mismatch.isType ? .type : .path,
                    at: .segment(mismatch.segment),
                    parameter: mismatch.parameter,
                    mismatch.expected,
                    mismatch.found
                ), mismatch.segment
            )
        }
        let agreement = path.segments.count + 1
        guard trailingSlashHolds(for: link) else {
            return (
                entry(
                    .trailingSlash,
                    path.hasTrailingSlash ? "a trailing slash" : "no trailing slash",
                    link.hasTrailingSlash ? "a trailing slash" : "no trailing slash"
                ), agreement
            )
        }
        for condition in query {
            guard let failure = condition.failure(in: input, &parts) else { continue }
            var parameter: String?
            if case .capture(let captured, _) = condition.test { parameter = captured.name }
            return (
                entry(.query, at: .name(condition.name), parameter: parameter, failure.expected, failure.found),
                agreement + 1
            )
        }
        if let failure = fragmentFailure(in: link, &parts) {
            return (entry(.fragment, failure.expected, failure.found), agreement + 1)
        }
        if let failure = when?.failure(in: input.context) {
            return (
                entry(
                    failure.found == nil ? .unknown : .when,
                    at: .name(failure.name),
                    failure.expected,
                    failure.found
                ),
                agreement + 2
            )
        }
        guard unsupported.isEmpty else {
            return (entry(.unsupported, unsupported.joined(separator: ", "), nil), agreement + 3)
        }
        return nil
    }

    private struct Mismatch {
        var segment: Int
        var isType = false
        var parameter: String?
        var expected: String
        var found: String?
    }

    /// Returns the first segment that does not match; nil when the path matches.
    private func pathMismatch(in link: DeepLink) -> Mismatch? {
        for (index, segment) in path.segments.enumerated() {
            if case .rest = segment { return nil }
            guard index < link.segments.count else {
                return Mismatch(segment: index, expected: segment.description, found: nil)
            }
            let text = link.pathBytes[link.segments[index].range]
            let found = String(decoding: text, as: UTF8.self)
            switch segment {
            case .literal(let literal):
                guard areEqual(text, literal, letterCase) else {
                    return Mismatch(segment: index, expected: segment.description, found: found)
                }
            case .parameter(let parameter):
                guard !text.isEmpty, parameter.type.accepts(text, letterCase) else {
                    return Mismatch(
                        segment: index,
                        isType: true,
                        parameter: parameter.name,
                        expected: parameter.type.description,
                        found: found
                    )
                }
            case .mixed(let mixed):
                guard mixed.accepts(text, letterCase) else {
                    return Mismatch(segment: index, expected: segment.description, found: found)
                }
            case .any:
                guard !text.isEmpty else { return Mismatch(segment: index, expected: "*", found: found) }
            case .rest:
                return nil
            }
        }
        guard link.segments.count > path.segments.count else { return nil }
        return Mismatch(
            segment: path.segments.count,
            expected: "the end of the path",
            found: link.segmentText(path.segments.count)
        )
    }
}

extension Condition {
    /// Returns the first condition that does not hold, with its name in a table; `found` is nil when the fact is
    /// unknown.
    func failure(in context: LinkContext) -> (name: String, expected: String, found: String?)? {
        let truth = evaluate(in: context)
        guard truth != .holds else { return nil }
        if case .all(let conditions) = self { return conditions.lazy.compactMap { $0.failure(in: context) }.first }
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

    private var expectation: String {
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

    private func found(in context: LinkContext) -> String {
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
