package import LinkRouting

/// Decides where the short links of a tenant may lead: to a link that one of the tenant's routes answers, or to a page on a
/// host that the settings allow. It compares texts only, without I/O.
package struct ShortLinkTargets: Sendable {
    private let table: PublishedTable
    private let catalog: Catalog
    /// The limits of the key that writes the link. Its targets must be links of routes that it may write.
    private let limits: [KeyGrant.RouteLimit]
    /// The only routes that the links may lead to; nil for all routes and pages.
    private let routes: Set<RouteID>?

    /// - Parameters:
    ///   - table: The tenant's table of production, which may be unpublished.
    ///   - catalog: The live tables, which decide who owns a host.
    ///   - routes: The only routes that the links may lead to; nil for all routes and pages.
    package init(
        _ table: PublishedTable,
        in catalog: Catalog,
        within limits: [KeyGrant.RouteLimit] = [],
        to routes: Set<RouteID>? = nil
    ) {
        self.table = table
        self.catalog = catalog
        self.limits = limits
        self.routes = routes
    }

    /// Whether both are of the same live tables; for one tenant and key.
    func areThose(_ other: Self) -> Bool { catalog === other.catalog }

    package enum Refusal: Error, Hashable, Sendable {
        /// No link may lead there.
        case invalid(String)
        /// The key may not write the target's route.
        case outsideLimit(String)
    }

    /// Throws if no link may have the target, or the key may not make one that has it.
    package func require(_ content: ShortLink.Content) throws(Refusal) {
        try require(content.target)
        // A route may have a condition on an item of the campaign.
        let landing = content.landing
        if !landing.added.isEmpty { try require(landing.text) }
    }

    /// Throws if the key may not change a link that has the target. A key without limits may change every link, also one
    /// whose target no route answers any more.
    package func requireLimit(_ content: ShortLink.Content) throws(Refusal) {
        guard !limits.isEmpty else { return }
        do throws(Refusal) {
            try require(content)
        } catch {
            guard case .invalid = error else { throw error }
            throw .outsideLimit("the target of the link matches no route that the key may write")
        }
    }

    private func require(_ target: String) throws(Refusal) {
        let link: DeepLink
        do throws(DeepLink.Rejection) { link = try DeepLink.parse(target) } catch { throw .invalid(error.message) }
        guard let host = link.host else {
            throw .invalid(
                "The target has the scheme '\(link.scheme)'; write an https link that one of the tenant's routes answers. It "
                    + "opens the app as well."
            )
        }
        guard !link.bytes[..<link.rawPath.lowerBound].contains(UInt8(ascii: "%")) else {
            throw .invalid("The host of the target is percent-encoded; write it as it is.")
        }
        let identity = table.settings.identity
        // Domains of tenants may overlap, and the catalog knows whose table answers.
        let isForeign = catalog.table(for: link).map { $0.tenant != table.tenant } ?? false
        if !isForeign, identity.owns(link) {
            if try matches(link) { return }
            guard identity.domain(for: host, port: link.port)?.serves == .association else {
                throw .invalid(
                    "No route answers the target. Add a route for it and publish the table, or correct the target."
                )
            }
        }
        guard !isForeign else {
            throw .invalid(
                "The host '\(host)' belongs to another tenant. Write a link of this tenant, or a page on another host."
            )
        }
        guard identity.destinations.allows(link) else {
            guard !identity.destinations.allows(host: host) else {
                throw .invalid(
                    "The target has the scheme '\(link.scheme)', and pages need https. Write 'https://\(host)…'."
                )
            }
            throw .invalid(
                "The target is neither a link of this tenant nor an https page on a host that its settings allow. Correct it, "
                    + "or add the host '\(host)' to 'destinations.hosts' in the settings."
            )
        }
        // A redirect needs the ASCII form of the host.
        guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .invalid("The host '\(host)' of the page is not ASCII; write its form that begins with 'xn--'.")
        }
        guard routes == nil else { throw .invalid("Apps may not link to pages. Write a link of a route.") }
        guard limits.isEmpty else {
            throw .outsideLimit("a page on the host '\(host)' needs a key without owner and path limits")
        }
    }

    /// Whether a route answers the link, for some caller. Throws if a route that may match it for some caller follows
    /// another link, or is outside the limits.
    private func matches(_ link: DeepLink) throws(Refusal) -> Bool {
        let router = table.router
        let compared = router.read(link).compared
        let refused = router.firstRoute(for: compared) { $0.when == nil || $0.follows || !isWithinLimits($0) }
        if let refused, refused.follows {
            throw .invalid(
                "The target matches the route '\(refused.id)', which itself leads to another link. Write the link that it "
                    + "leads to."
            )
        }
        if let refused, let routes, !routes.contains(refused.id) {
            throw .invalid(
                "Apps may not link to the route '\(refused.id)', which may match the target. List it below 'shortLinks.apps' in "
                    + "the settings, or write another target."
            )
        }
        if let refused, !isWithinLimits(refused) {
            throw .outsideLimit("the target matches the route '\(refused.id)', which is outside the key's limits")
        }
        guard let first = router.firstRoute(for: compared, where: { $0.when == nil || $0.answers }) else {
            return false
        }
        guard first.answers else {
            throw .invalid("The route '\(first.id)' blocks the target. Write another target, or change the route.")
        }
        return true
    }

    private func isWithinLimits(_ route: Route) -> Bool {
        routes?.contains(route.id) != false
            && limits.allSatisfy { $0.covers(owner: route.owner, path: route.path.description) }
    }
}

extension Route {
    fileprivate var follows: Bool { if case .follow = behaviour { true } else { false } }
    fileprivate var answers: Bool { if case .answer = behaviour { unsupported.isEmpty } else { false } }
}
