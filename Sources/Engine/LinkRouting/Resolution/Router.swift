/// A compiled table of one tenant and environment: the routing engine of the server and the app.
///
/// Resolving is a pure function of link and context: no I/O, no clock, no randomness. See "Order" in docs/routing.md.
public struct Router: Sendable {
    public var identity: Identity { compiled.identity }
    /// The table. If its routes are decoded when they are needed, this decodes all of them.
    public var table: RouteTable {
        guard let source = compiled.source else { return compiled.table }
        return RouteTable(
            defaults: compiled.table.defaults,
            routes: index.order.indices.map { source.route(at: $0)[0] }
        )
    }
    var defaults: RouteTable.Defaults { compiled.table.defaults }
    public var environment: EnvironmentID { compiled.environment }
    var index: RouteIndex { compiled.index }
    /// The apps of the environment. App clips are never chosen by default.
    var apps: [RegisteredApp] { compiled.apps }
    /// The store page of each app.
    var storePages: [StorePage?] { compiled.storePages }
    /// Nil when the tenant has no scheme of its own, or when links may not lead there.
    var ownURI: AppURIBuilder? { compiled.ownURI }
    var knownHosts: HostPolicyCache { compiled.knownHosts }

    /// Behind one reference: copying the parts and retaining all that they refer to costs more than resolving a link.
    let compiled: Compiled

    final class Compiled: Sendable {
        let identity: Identity
        /// Without routes if there is a ``source``.
        let table: RouteTable
        let source: (any RouteSource)?
        let environment: EnvironmentID
        let index: RouteIndex
        let apps: [RegisteredApp]
        let storePages: [StorePage?]
        let ownURI: AppURIBuilder?
        let knownHosts: HostPolicyCache
        /// The previews of routes that have one. Apps show none, so their tables lack them.
        let previews: [RouteID: PreviewTemplates]

        init(
            _ identity: Identity,
            _ table: RouteTable,
            _ index: RouteIndex,
            _ source: (any RouteSource)?,
            _ environment: EnvironmentID,
            _ tenant: TenantID?
        ) {
            self.identity = identity
            self.table = table
            self.index = index
            self.source = source
            self.environment = environment
            apps = identity.apps.filter { $0.isPart(of: environment) }
            storePages = apps.map { StorePage($0, tenant: tenant) }
            ownURI = AppURIBuilder(identity)
            knownHosts = HostPolicyCache(identity, and: table.defaults.fallback?.web?.all.compactMap(\.host) ?? [])
            previews = table.routes.previews
        }
    }

    /// The maximum number of steps of a lookup: about 100 instructions each. A table that may need more is refused.
    public static let maximumSteps = 10_000

    /// Compiles a table. Create a router once, and resolve all links with it.
    ///
    /// A table with errors is compiled, too: ``RouteTable/check(for:now:within:)`` finds them. Resolve links of unknown
    /// origin only if ``worstCaseSteps`` is at most ``maximumSteps``.
    ///
    /// - Parameters:
    ///   - identity: The tenant's domains, schemes, apps and allowed destinations.
    ///   - table: The routes and defaults.
    ///   - environment: Selects the tenant's apps: those that are part of this environment.
    ///   - tenant: Stores get its name as the source of links that have no `utm_source`.
    public init(
        identity: Identity,
        table: RouteTable,
        environment: EnvironmentID = .production,
        tenant: TenantID? = nil
    ) {
        compiled = Compiled(identity, table, RouteIndex(table.routes), nil, environment, tenant)
    }

    /// - Parameter source: The routes of `table`.
    package init(
        identity: Identity,
        table: EncodedTable,
        routes source: any RouteSource,
        environment: EnvironmentID,
        tenant: TenantID? = nil
    ) {
        compiled = Compiled(identity, RouteTable(defaults: table.defaults), table.index, source, environment, tenant)
    }

    /// The routes in order of precedence.
    public var routesInOrder: [Route] { compiled.index.order.indices.map(route) }

    /// Returns the route of a rank, its position in the order of precedence.
    func route(at rank: Int) -> Route {
        let position = Int(compiled.index.order[rank])
        return compiled.source?.route(at: position)[0] ?? compiled.table.routes[position]
    }

    /// The maximum number of steps that any link can need; see ``maximumSteps``.
    public var worstCaseSteps: Int {
        let steps = worstCaseSteps(.ofEachRoute)
        return steps <= Self.maximumSteps ? steps : min(steps, worstCaseSteps(.together))
    }

    private func worstCaseSteps(_ lists: LinkWork.Lists) -> Int {
        var work = LinkWork(lists)
        let steps = index.worstCase { rank in
            guard !index.isDecidedByPath[rank] else { return 1 }
            let route = route(at: rank)
            work.add(route)
            return route.evaluationSteps(lists)
        }
        return steps.clampedSum(work.steps)
    }

    /// Whether a resolution includes the reasons why routes did not match.
    public enum Explanation: Sendable {
        case omitted
        case included
    }

    /// Parses and resolves a text. A link that the tenant does not own is unmatched.
    public func resolve(_ text: String, in context: LinkContext, explanation: Explanation = .omitted) -> Resolution {
        let link: DeepLink
        do {
            link = try DeepLink.parse(text)
        } catch {
            return .rejected(error)
        }
        guard identity.owns(link) else { return Resolution(outcome: .unmatched) }
        return resolve(link, in: context, explanation: explanation)
    }

    /// Resolves a link that the tenant owns.
    public func resolve(_ link: DeepLink, in context: LinkContext, explanation: Explanation = .omitted) -> Resolution {
        guard identity.links.isEmpty else {
            let (link, compared, reading) = read(link)
            var resolution = resolve(asRead: link, comparing: compared, context, explanation)
            resolution.reading = reading
            return resolution
        }
        let link = link.hasAuthoritySegment ? identity.withoutIgnoredHost(link) : link
        return resolve(asRead: link, comparing: link, context, explanation)
    }

    private func resolve(
        asRead link: DeepLink,
        comparing compared: DeepLink,
        _ context: LinkContext,
        _ explanation: Explanation
    ) -> Resolution {
        let app = appIndex(for: context)
        var matching = MatchState(compiled: compiled, app: app)
        var parts = LinkParts()
        let rank = rank(of: compared, context, &matching, &parts)
        let hasAnswer = rank != nil || compiled.table.defaults.$fallback.isPresent
        guard hasAnswer || explanation == .included else {
            let validFor = matching.isVolatile(rank) ? 0 : Resolution.defaultValidity
            return Resolution(outcome: .unmatched, app: app.map { compiled.apps[$0].id }, validFor: validFor)
        }
        guard explanation == .included || matching.isVolatile(rank) else {
            return answer(rank, link, compared, context, app, &parts)
        }
        var resolution = answer(rank, link, compared, context, app, &parts)
        if matching.isVolatile(rank) { resolution.validFor = 0 }
        guard explanation == .included else { return resolution }
        let input = input(asRead: compared, completed(context, app))
        resolution.trace = trace(input, winner: rank)
        return resolution
    }

    /// Returns the answer to a link of the tenant that no route decides: the table's fallback, or `unmatched`. For a route
    /// whose followed link does not exist.
    package func resolveWithoutRoute(_ link: DeepLink, in context: LinkContext) -> Resolution {
        let (link, compared, reading) = read(link)
        var parts = LinkParts()
        var resolution = answer(nil, link, compared, context, appIndex(for: context), &parts)
        resolution.reading = reading
        return resolution
    }

    /// Evaluates routes, and records which evaluated condition is volatile.
    private struct MatchState {
        let compiled: Compiled
        /// Index of the app that the answer is for.
        let app: Int?
        /// The smallest rank of an evaluated route with a volatile condition.
        private var firstVolatile = Int.max

        init(compiled: Compiled, app: Int?) {
            self.compiled = compiled
            self.app = app
        }

        /// Whether the answer may change with time or sign-in. A walk may also evaluate routes after the winner, which
        /// do not matter.
        func isVolatile(_ winner: Int?) -> Bool { firstVolatile < .max && firstVolatile <= winner ?? .max }

        mutating func holds(_ rank: Int, _ link: DeepLink, _ context: LinkContext, _ parts: inout LinkParts) -> Bool {
            compiled.index.isDecidedByPath[rank] || conditionsHold(rank, link, context, &parts)
        }

        /// Not inlined into the walk, because the path alone decides about most routes.
        @inline(never)
        private mutating func conditionsHold(
            _ rank: Int,
            _ link: DeepLink,
            _ context: LinkContext,
            _ parts: inout LinkParts
        ) -> Bool {
            let position = Int(compiled.index.order[rank])
            guard let source = compiled.source else {
                return conditionsHold(of: compiled.table.routes, at: position, rank, link, context, &parts)
            }
            return conditionsHold(of: source.route(at: position), at: 0, rank, link, context, &parts)
        }

        /// Reads the route's parts in place, like `answer`.
        private mutating func conditionsHold(
            of routes: [Route],
            at position: Int,
            _ rank: Int,
            _ link: DeepLink,
            _ context: LinkContext,
            _ parts: inout LinkParts
        ) -> Bool {
            let plusSign = compiled.table.defaults.plusSign
            guard let when = routes[position].when else {
                return routes.linkHolds(at: position, for: link, plusSign, &parts)
            }
            if when.isVolatile { firstVolatile = min(firstVolatile, rank) }
            guard routes.linkHolds(at: position, for: link, plusSign, &parts) else { return false }
            guard let app else { return when.evaluate(in: context, context.app, context.platform, &parts) == .holds }
            let platform = context.platform ?? compiled.apps[app].platform
            return when.evaluate(in: context, compiled.apps[app].id, platform, &parts) == .holds
        }
    }

    func input(asRead link: DeepLink, _ context: LinkContext) -> MatchInput {
        MatchInput(link: link, context: context, plusSign: compiled.table.defaults.plusSign)
    }

    /// Returns the index in ``routesInOrder`` of the route that matches a link of the tenant. This is the lookup of
    /// `resolve` without building the answer. Nil when no route matches.
    package func rank(of link: DeepLink, in context: LinkContext) -> Int? {
        var matching = MatchState(compiled: compiled, app: appIndex(for: context))
        var parts = LinkParts()
        return rank(of: link, context, &matching, &parts)
    }

    @inline(__always)
    private func rank(
        of link: DeepLink,
        _ context: LinkContext,
        _ matching: inout MatchState,
        _ parts: inout LinkParts
    ) -> Int? {
        let first = compiled.index.smallestRank(for: link, context, visiting: .undecided, &parts) {
            matching.holds($0, $1, $2, &$3)
        }
        guard let first, !compiled.index.languageGroups.isEmpty,
            let group = compiled.index.languageGroups[Int32(first)]
        else { return first }
        return group.preferred(by: context, &parts) ?? first
    }

    private func answer(
        _ rank: Int?,
        _ link: DeepLink,
        _ compared: DeepLink,
        _ context: LinkContext,
        _ app: Int?,
        _ parts: inout LinkParts
    ) -> Resolution {
        let id = app.map { compiled.apps[$0].id }
        guard let rank else {
            guard let fallback = compiled.table.defaults.fallback else {
                return Resolution(outcome: .unmatched, app: id)
            }
            let filling = DestinationBuilder(router: self, link: link, app: app, parameters: [], isFallback: true)
            let (action, destination) = filling.answer(fallback, for: context)
            let validFor = action == .signIn ? 0 : Resolution.defaultValidity
            return Resolution(
                outcome: .fallback,
                action: action,
                route: nil,
                pattern: nil,
                parameters: [],
                filled: destination,
                app: id,
                variant: nil,
                validFor: validFor
            )
        }
        let position = Int(compiled.index.order[rank])
        let (routes, index) = compiled.source.map { ($0.route(at: position), 0) } ?? (compiled.table.routes, position)
        return answer(of: routes, at: index, rank, link, compared, context, app, id, &parts)
    }

    /// Reads the route's parts in place: copying a route costs as much as a lookup.
    @inline(__always)
    private func answer(
        of routes: [Route],
        at position: Int,
        _ rank: Int,
        _ link: DeepLink,
        _ compared: DeepLink,
        _ context: LinkContext,
        _ app: Int?,
        _ appID: AppID?,
        _ parts: inout LinkParts
    ) -> Resolution {
        let id = routes[position].id
        let pattern = routes[position].path.description
        guard routes[position].unsupported.isEmpty else {
            let validFor = routes[position].asksForSignIn ? 0 : Resolution.defaultValidity
            return Resolution(outcome: .undecided, route: id, pattern: pattern, app: appID, validFor: validFor)
        }
        let parameters = parameters(of: routes, at: position, rank, compared, &parts)
        switch routes[position].behaviour {
        case .block(let reason):
            return Resolution(
                outcome: .matched,
                action: .block,
                route: id,
                pattern: pattern,
                parameters: parameters,
                app: appID,
                blockReason: reason
            )
        case .follow(let follow):
            let text = parameters.first { $0.name == follow.parameter }?.text ?? ""
            let ignoresCase = routes[position].letterCase == .ignored
            return Resolution(
                following: follow == .shortLinks ? .code(text, ignoringCase: ignoresCase) : .link(text),
                route: id,
                pattern: pattern,
                parameters: parameters,
                app: appID
            )
        case .answer(var target):
            var variant: VariantAssignment?
            var asksForSignIn = target.signIn == .required
            if routes[position].$experiment.isPresent {
                asksForSignIn = routes[position].asksForSignIn
                (target, variant) = routes[position].assigned(target, to: context.stickyKey)
            }
            let filling = DestinationBuilder(
                router: self,
                link: link,
                app: app,
                parameters: parameters,
                isFallback: false
            )
            let (action, destination) = filling.answer(target, for: context)
            return Resolution(
                outcome: .matched,
                action: action,
                route: id,
                pattern: pattern,
                parameters: parameters,
                filled: destination,
                app: appID,
                variant: variant,
                validFor: asksForSignIn || action == .signIn ? 0 : Resolution.defaultValidity
            )
        }
    }

    private func parameters(
        of routes: [Route],
        at position: Int,
        _ rank: Int,
        _ link: DeepLink,
        _ parts: inout LinkParts
    ) -> [CapturedParameter] {
        let captures = compiled.index.captures(of: rank)
        if compiled.index.isDecidedByPath[rank], routes[position].sensitive.isEmpty {
            guard !captures.isEmpty else { return [] }
            var parameters: [CapturedParameter] = []
            parameters.reserveCapacity(captures.count)
            for capture in captures {
                capture.append(to: &parameters, from: link, routes[position].letterCase)
            }
            return parameters
        }
        return routes[position].parameters(in: link, compiled.table.defaults.plusSign, captures, &parts)
    }
}
