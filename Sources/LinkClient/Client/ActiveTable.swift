import LinkRouting
import LinkTable

/// The table in use. A class, so that a link takes one reference to it.
final class ActiveTable: Sendable {
    let claims: TableClaims
    let router: Router
    let origin: LinkClientState.Origin
    /// The entity tag of the signed table; nil for a table that was not signed.
    let entityTag: String?
    /// The facts that the server adds to a context.
    private let serverFacts: OpenFacts
    private let dependsOnServerFacts: Bool
    private let dependsOnTime: Bool
    /// The features that a route requires and this engine lacks.
    private let missingFeatures: [RouteID: [String]]

    init(_ table: AppTable, entityTag: String?, origin: LinkClientState.Origin, serverFacts: OpenFacts) {
        claims = table.claims
        router = table.router
        self.origin = origin
        self.entityTag = entityTag
        self.serverFacts = serverFacts.union(OpenFacts(table.claims.serverFacts))
        dependsOnServerFacts = router.depends(on: self.serverFacts)
        dependsOnTime = router.depends(on: OpenFacts(["time"]))
        var missing: [RouteID: [String]] = [:]
        for route in router.table.routes where !route.unsupported.isEmpty { missing[route.id] = route.unsupported }
        missingFeatures = missing
    }

    /// Whether a clock that shows this time is wrong: the table was issued later.
    func isClockWrong(at now: Timestamp) -> Bool {
        now.milliseconds + SignedTable.clockTolerance < claims.issuedAt.milliseconds
    }

    /// Whether this table is newer than another one that the app may use. A table of the same version is newer if it was
    /// signed later, for example with another key.
    func isNewer(than other: ActiveTable) -> Bool {
        guard claims.version == other.claims.version else { return !claims.version.isOlder(than: other.claims.version) }
        return claims.issuedAt > other.claims.issuedAt
    }

    /// Resolves a link without I/O.
    ///
    /// - Parameters:
    ///   - context: With the app, and with the time unless ``clock`` is wrong.
    ///   - clock: Whether the time of the context can be used.
    func resolve(_ url: String, in context: LinkContext, clock: Clock) -> LinkAnswer {
        let link: DeepLink
        do {
            link = try DeepLink.parse(url)
        } catch {
            return resolved(.rejected(error), url, context)
        }
        guard router.identity.owns(link) else { return resolved(Resolution(outcome: .unmatched), url, context) }
        if let route = openRoute(for: link, context, clock) { return .undecided(.serverFact(route.id)) }
        let resolution = router.resolve(link, in: context)
        guard resolution.outcome == .undecided else { return resolved(resolution, url, context) }
        let missing = resolution.route.flatMap { missingFeatures[$0] } ?? []
        return .undecided(missing == [TableContent.serverFeature] ? .serverRoute : .missingFeatures(missing))
    }

    enum Clock: Sendable { case right, wrong }

    private func openRoute(for link: DeepLink, _ context: LinkContext, _ clock: Clock) -> Route? {
        switch clock {
        case .right:
            return dependsOnServerFacts ? router.openRoute(for: link, in: context, open: serverFacts) : nil
        case .wrong:
            guard dependsOnServerFacts || dependsOnTime else { return nil }
            return router.openRoute(for: link, in: context, open: serverFacts.union(OpenFacts(["time"])))
        }
    }

    private func resolved(_ resolution: Resolution, _ url: String, _ context: LinkContext) -> LinkAnswer {
        .resolved(
            ResolvedLink(
                url: url,
                resolution: resolution,
                context: context,
                source: .table(revision: claims.revision, settingsRevision: claims.settingsRevision)
            )
        )
    }

    var state: LinkClientState.Table {
        LinkClientState.Table(
            revision: claims.revision,
            settingsRevision: claims.settingsRevision,
            issuedAt: claims.issuedAt,
            expiresAt: claims.expiresAt,
            origin: origin
        )
    }
}
