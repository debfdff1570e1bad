import LinkCatalog
import LinkEvents
import LinkRouting

/// One decision of an app, decided again by the server.
struct AppEventReport {
    let hash: Bytes16
    private let decision: AppDecision
    private let request: AppEventsRequest
    /// The live table of the tenant in the environment, whose privacy settings apply.
    private let live: PublishedTable
    /// The table that the app had; nil if it is not available.
    private let reported: PublishedTable?
    /// The link, resolved with the live tables, and followed.
    private let liveLink: LinkResolver.ResolvedLink
    /// The link, resolved with the table that the app had, and followed; nil if it is not available.
    private let link: LinkResolver.ResolvedLink?

    private var liveAnswer: CatalogResolution { liveLink.answer }
    private var answer: CatalogResolution? { link?.answer }
    /// The answer of the live tables to the link that was followed; nil for another link.
    var followedAnswer: CatalogResolution? { liveLink.followed == nil ? nil : liveAnswer }

    struct Refusal: Error {
        let reason: AppEventResult.Refusal
        let detail: String
    }

    /// - Parameters:
    ///   - tenant: The production table of the tenant.
    ///   - old: Catalogs of revisions that are not live.
    ///   - codes: The short links that were looked up for the message.
    /// - Throws: ``Refusal`` for a link that belongs to another tenant. Its table is not asked.
    init(
        _ decision: AppDecision,
        _ request: AppEventsRequest,
        tenant: PublishedTable,
        catalog: Catalog,
        old: [TableVersion: Catalog],
        linkResolver: LinkResolver,
        codes: inout LinkResolver.KnownCodes
    ) async throws {
        self.decision = decision
        self.request = request
        live = catalog.table(of: tenant.tenant, in: request.environment) ?? tenant
        hash = Event.reportHash(
            tenant: tenant.tenant,
            install: request.install,
            clientEventID: decision.clientEventID
        )
        let located = catalog.locate(decision.url, in: request.environment)
        guard located.tenant == tenant.tenant || located.tenant == .none else { throw Self.otherTenant }
        liveLink = try await linkResolver.followed(located, in: decision.context, of: catalog, &codes)
        let version = decision.version(tenant.tenant, request.environment)
        if version == TableVersion(live) {
            reported = live
            link = liveLink
        } else if let catalog = version.flatMap({ old[$0] }) {
            reported = catalog.tables.first
            let located = catalog.locate(decision.url, in: request.environment)
            link = try await linkResolver.followed(located, in: decision.context, of: catalog, &codes)
        } else {
            reported = nil
            link = nil
        }
    }

    /// Builds the event with what the app decided, and with what the tenant's live privacy settings permit to record.
    ///
    /// - Parameter keys: The routes and revisions of the message.
    /// - Throws: ``Refusal`` for a link that does not belong to the tenant.
    func event(
        _ linkResolver: LinkResolver,
        _ caller: LinkResolver.Caller,
        _ keys: inout ReportedKeys
    ) throws(Refusal) -> Event.Fields {
        try checkOwner()
        var caller = caller
        caller.occurredAt = decision.occurredAt
        caller.purpose = request.purpose
        caller.country = decision.context.country == nil ? caller.country : nil
        let agreement = agreement
        var event =
            if agreement == .same {
                linkResolver.event(
                    answer ?? liveAnswer,
                    followed: (link ?? liveLink).followed,
                    linkLength: (answer ?? liveAnswer).link?.bytes.count ?? decision.url.utf8.count,
                    decision.context,
                    caller,
                    redaction: Redaction(live)
                )
            } else {
                cautiousEvent(linkResolver, caller, &keys)
            }
        event.clientEventID = RecordedID(decision.clientEventID)
        event.tenant = live.tenant
        event.environment = request.environment
        event.revision = keys.recordable(decision.revision)
        event.settingsRevision = decision.settingsRevision
        event.install = Redaction(live).install(decision.context.stickyKey ?? request.install)
        event.result = decision.result
        event.engineVersion = request.engineVersion.description
        event.agreement = agreement
        // Reasons of rejected links are counted, so such a link gets the server's reason only.
        event.reason = event.reason ?? (event.outcome == .rejected ? nil : decision.reason)
        return event
    }

    private func checkOwner() throws(Refusal) {
        guard liveAnswer.tenant != live.tenant else { return }
        // The domain or scheme may have belonged to the tenant when the app's table was published.
        if liveAnswer.tenant == .none, answer?.tenant == live.tenant || liveAnswer.link == nil { return }
        throw Self.otherTenant
    }

    private static let otherTenant = Refusal(
        reason: .otherTenant,
        detail: "The link does not belong to a domain or scheme of this tenant."
    )

    private var agreement: Event.Agreement {
        // A link that cannot be read is rejected by every table.
        if liveAnswer.link == nil { return decision.outcome == .rejected ? .same : .different }
        guard let answer else { return .unchecked }
        let resolution = answer.resolution
        let isSame =
            resolution.outcome == decision.outcome && resolution.action == decision.action
            && resolution.route == decision.route
        return isSame ? .same : .different
    }

    /// Builds an event when it is unknown which parts of the link are sensitive. The event contains at most the types
    /// of the path's segments, and no query items. It contains the host only if no parameter can be captured from it.
    private func cautiousEvent(
        _ linkResolver: LinkResolver,
        _ caller: LinkResolver.Caller,
        _ keys: inout ReportedKeys
    ) -> Event.Fields {
        var redaction = Redaction(live)
        if case .full = redaction.unmatchedPath { redaction.unmatchedPath = .shape(literals: live.literalSegments) }
        redaction.recordQuery = []
        var event = linkResolver.event(
            CatalogResolution(link: liveAnswer.link, table: live, resolution: Resolution(outcome: .unmatched)),
            linkLength: liveAnswer.link?.bytes.count ?? decision.url.utf8.count,
            decision.context,
            caller,
            redaction: redaction
        )
        event.shortLink = liveLink.followed?.shortLink
        if let host = event.host {
            let domain = live.router.identity.domain(for: host, port: liveAnswer.link?.port)
            if domain.map(\.coversSubdomains) ?? true { event.host = nil }
        }
        event.outcome = decision.outcome
        event.action = decision.action
        event.route = keys.recordable(decision.route, in: [reported, live].compactMap(\.self))
        // A name that the settings do not have is not recorded, because events are counted by app.
        event.app = (answer?.table ?? live).router.app(for: decision.context)
        return event
    }
}
