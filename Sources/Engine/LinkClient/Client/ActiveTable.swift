import LinkRouting
import LinkTable

/// The table in use. A class, so that a link takes one reference to it.
final class ActiveTable: Sendable {
    private let table: AppTable
    let origin: LinkClientState.Origin
    /// The bytes of the signed table; nil for a table that was not signed. The table shares their payload.
    private let signed: [UInt8]?
    /// The facts that the server adds to a context.
    private let serverFacts: OpenFacts

    var claims: TableClaims { table.claims }
    private var router: Router { table.router }
    /// The entity tag of the signed table. Only a download needs it, and computing it takes milliseconds.
    var entityTag: String? { signed.map(SignedTable.entityTag) }

    init(_ table: AppTable, signed: [UInt8]?, origin: LinkClientState.Origin, serverFacts: OpenFacts) {
        self.table = table
        self.origin = origin
        self.signed = signed
        self.serverFacts = serverFacts.union(OpenFacts(table.claims.serverFacts))
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
        return .undecided(reason(link, context))
    }

    /// The reason why the route that decides about the link makes it undecided.
    private func reason(_ link: DeepLink, _ context: LinkContext) -> LinkAnswer.Undecided {
        guard let route = router.winner(for: link, in: context) else { return .missingFeatures([]) }
        switch route.unsupported {
        case [TableContent.serverFeature]: return .serverRoute
        case [Route.unreadable]: return .unreadableRoute(route.id, table.problem(of: route.id) ?? "")
        default: return .missingFeatures(route.unsupported)
        }
    }

    enum Clock: Sendable { case right, wrong }

    private func openRoute(for link: DeepLink, _ context: LinkContext, _ clock: Clock) -> Route? {
        let open = clock == .right ? serverFacts : serverFacts.union(OpenFacts(["time"]))
        return open.isEmpty ? nil : router.openRoute(for: link, in: context, open: open)
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
