import LinkRouting

/// The meaning of a table for the links of one app on the hosts of one file.
///
/// The table opens a link in the app if, for some context with the app's platform, its outcome is `matched` and its
/// action is `open_app`, `sign_in` or `update_app` for that app. The parts of a context are treated as independent. A
/// link may therefore count as opened although no real caller could open it, but never the other way round.
struct AppRoutes {
    let app: RegisteredApp
    let hosts: FileHosts
    let router: Router
    /// The routes that can match for the app on some of the hosts, in the order in which they are tried.
    let entries: [Entry]
    /// Whether the table's fallback counts: it opens the app and has `association: open`.
    let fallbackOpens: Bool

    struct Entry {
        let route: Route
        let opens: Bool
        /// Whether the route matches every link that fits its path, query and fragment, on all of the hosts.
        let isCertain: Bool

        /// Whether the route matches every link that fits its path.
        var takesItsPath: Bool {
            isCertain && route.query.isEmpty && route.fragment == nil && route.trailingSlash == .ignored
        }
    }

    init(app: RegisteredApp, hosts: FileHosts, router: Router) {
        self.app = app
        self.hosts = hosts
        self.router = router
        entries = router.routesInOrder.compactMap { Self.entry($0, app, hosts) }
        let fallback = router.table.defaults.fallback
        fallbackOpens = fallback?.open != nil && fallback?.association == .open
    }

    /// Returns whether the table has the same meaning for another app of the same router on the same hosts; false if the
    /// budget does not suffice to compare them. A table may have hundreds of apps.
    func means(_ other: AppRoutes, within budget: WorkBudget) -> Bool {
        guard entries.count == other.entries.count, fallbackOpens == other.fallbackOpens else { return false }
        return budget.spend(1 + 2 * entries.count)
            && entries.elementsEqual(other.entries) {
                $0.route.id == $1.route.id && $0.opens == $1.opens && $0.isCertain == $1.isCertain
            }
    }

    var opensAnything: Bool { fallbackOpens || entries.contains(where: \.opens) }

    /// Returns whether the table opens a link in the app. The link is on one of the hosts.
    func opens(_ link: DeepLink) -> Bool { firstRoute(for: link).map { $0.opensApps } ?? fallbackOpens }

    /// Returns the route that decides whether the table opens a link in the app; nil if none matches.
    func firstRoute(for link: DeepLink) -> Route? {
        router.firstRoute(for: link) { route in
            let outcomes = route.when?.outcomes(for: app) ?? .holds
            return outcomes == .holds || route.opensApps && outcomes.contains(.holds)
        }
    }

    private static func entry(_ route: Route, _ app: RegisteredApp, _ hosts: FileHosts) -> Entry? {
        let outcomes = route.when?.outcomes(for: app) ?? .holds
        let share = hosts.share(of: route)
        guard outcomes.contains(.holds), share != .none else { return nil }
        return Entry(
            route: route,
            opens: route.opensApps,
            isCertain: outcomes == .holds && share == .all && route.unsupported.isEmpty
        )
    }
}

extension Route {
    /// Whether any of the route's targets opens an app. The targets of a route that follows are not in the table, and any of
    /// them may.
    var opensApps: Bool {
        guard unsupported.isEmpty else { return false }
        if case .follow = behaviour { return true }
        guard case .answer(let target) = behaviour else { return false }
        return experiment.map { $0.variants.contains { $0.target.open != nil } } ?? (target.open != nil)
    }
}
