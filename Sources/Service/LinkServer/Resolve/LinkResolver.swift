import HTTPTransport
package import LinkCatalog
package import LinkEvents
package import LinkRouting
import Metrics
package import Networking

/// Resolves every link of the service against the live catalog, records it and builds the response. Both
/// `POST /resolve` and clicks use it.
package final class LinkResolver: Sendable {
    package let catalog: LiveCatalog
    package let recorder: EventRecorder
    package let sealer: ContinuationSealer
    package let installTokens: InstallTokenSealer
    package let eventIDs: EventIDGenerator
    package let addressKeys: AddressKeys
    /// Returns the country of an address, ISO 3166-1 alpha-2. Nil where no file of countries is configured.
    package let locate: (@Sendable (NetworkAddress) -> String?)?
    package let now: @Sendable () -> Timestamp
    /// Monotonic clock that measures the duration of requests.
    package let uptime: @Sendable () -> ContinuousClock.Instant
    /// The name of this server in events.
    package let node: String
    /// Whether responses wait for the log; if not, nothing is recorded.
    let isRecording: Bool
    package let tenants: TenantMetrics
    package let shortLinks: any ShortLinkStore
    /// Limits the unknown codes that an address tries.
    let admission: Admission
    /// Called with every resolved link before it is recorded. The stub server uses it to write its journal.
    let observe: (@Sendable (ObservedLink) -> Void)?

    /// Counts links that were answered although the log could not record them.
    private static let unrecorded = Dictionary(
        uniqueKeysWithValues: [RecordResult.Refusal.queueFull, .diskFull, .dayBytes, .stopping, .ioError].map {
            ($0, Counter(label: "fingerpost_answers_unrecorded_total", dimensions: [("reason", $0.rawValue)]))
        }
    )

    package init(
        catalog: LiveCatalog,
        recorder: EventRecorder,
        sealer: ContinuationSealer,
        installTokens: InstallTokenSealer,
        eventIDs: EventIDGenerator,
        addressKeys: AddressKeys,
        locate: (@Sendable (NetworkAddress) -> String?)?,
        now: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant,
        node: String,
        isRecording: Bool = true,
        tenants: TenantMetrics,
        shortLinks: any ShortLinkStore,
        admission: Admission,
        observe: (@Sendable (ObservedLink) -> Void)? = nil
    ) {
        self.catalog = catalog
        self.recorder = recorder
        self.sealer = sealer
        self.installTokens = installTokens
        self.eventIDs = eventIDs
        self.addressKeys = addressKeys
        self.locate = locate
        self.now = now
        self.uptime = uptime
        self.node = node
        self.isRecording = isRecording
        self.tenants = tenants
        self.shortLinks = shortLinks
        self.admission = admission
        self.observe = observe
        // Registers the counters at 0. A rate includes the first answer only if the counter existed before.
        _ = Self.unrecorded
    }

    /// One resolved link of a request.
    struct ResolvedLink: Sendable {
        var answer: CatalogResolution
        /// The link of the request. That of the answer is another one if it was followed.
        let link: LocatedLink
        var clientEventID: String?
        /// Nil for a link that its table answers.
        var followed: Followed?

        /// Whether ``LinkResolver/follow(_:in:_:)`` must look up a code.
        var needsLookup: Bool { answer.resolution.outcome == .undecided }
    }

    /// Returns the country of an address; nil if it is unknown. The address is not stored.
    package func country(of address: NetworkAddress?) -> String? {
        guard let locate, let address else { return nil }
        return locate(address)
    }

    /// What all links of a request have in common; a class, because a copy of its references costs more than most
    /// lookups.
    final class Request: Sendable {
        let message: PublicRequest
        /// Loaded once for each request, so that all its links use the same tables.
        let catalog: Catalog
        let context: LinkContext
        let environment: EnvironmentID
        let caller: Caller

        init(
            _ message: PublicRequest,
            from catalog: Catalog,
            in context: LinkContext,
            environment: EnvironmentID = .production,
            by caller: Caller
        ) {
            self.message = message
            self.catalog = catalog
            self.context = context
            self.environment = environment
            self.caller = caller
        }
    }

    /// Resolves a link, without recording it and without I/O. See ``ResolvedLink/needsLookup``.
    func resolve(
        _ link: LocatedLink,
        clientEventID: String? = nil,
        in context: LinkContext,
        of catalog: Catalog
    ) -> ResolvedLink {
        let answer = link.resolve(in: context, explanation: .omitted)
        let resolved = ResolvedLink(answer: answer, link: link, clientEventID: clientEventID)
        return resolved.needsLookup ? followContained(in: resolved, in: context, of: catalog) : resolved
    }

    /// The events of a request's links, one for each link.
    struct RecordedLinks: Sendable {
        let events: [Event]
        /// The tenants whose events exceed a limit; nil if nothing is recorded.
        let excluded: Set<TenantID>?

        /// Whether the event of a link is in the log.
        func holds(_ event: Event) -> Bool { excluded?.contains(event.content.fields.tenant) == false }
    }

    /// Creates an event for each link of a request and commits them together, with the time since the request's arrival.
    /// Then sends the response that `build` makes, or a problem if they could not be recorded.
    func record(
        _ links: [ResolvedLink],
        of request: Request,
        for responder: Responder,
        _ build: @escaping @Sendable (RecordedLinks) throws -> BufferedResponse
    ) {
        let scope = request.message.scope
        let latency = scope.arrival.map { (uptime() - $0).microseconds }
        let events = links.map { link in
            var fields = event(
                link.answer,
                followed: link.followed,
                linkLength: link.answer.link?.bytes.count ?? link.link.text.utf8.count,
                request.context,
                request.caller,
                clientEventID: link.clientEventID
            )
            observe?(
                ObservedLink(
                    url: link.link.text,
                    context: request.context,
                    environment: request.environment,
                    catalog: request.catalog,
                    followed: link.followed == nil ? nil : link.answer,
                    event: fields
                )
            )
            fields.latencyMicroseconds = latency
            return Event(consume fields)
        }
        if let first = events.first { scope.logFields.note(first.content.fields) }
        commit(events, of: links, without: [], by: KeyOwner(request.message.grant), for: responder, build)
    }

    /// Commits the events without those of the excluded tenants, and again without those of the tenants whose events
    /// exceed a limit.
    private func commit(
        _ events: [Event],
        of links: [ResolvedLink],
        without excluded: Set<TenantID>,
        by key: KeyOwner,
        for responder: Responder,
        _ build: @escaping @Sendable (RecordedLinks) throws -> BufferedResponse
    ) {
        let rest = excluded.isEmpty ? events : events.filter { !excluded.contains($0.content.fields.tenant) }
        guard isRecording, !rest.isEmpty else {
            return responder.send { try build(RecordedLinks(events: events, excluded: nil)) }
        }
        recorder.record(rest, by: key) { [self] result in
            switch result {
            case .stored:
                for event in rest { tenants.count(event.content.fields.outcome, of: event.content.fields.tenant) }
                return responder.send { try build(RecordedLinks(events: events, excluded: excluded)) }
            case .overLimit(let reason, let tenants):
                let refused = links.filter { tenants.contains($0.answer.tenant) }
                guard let problem = Self.problem(reason, refused) else {
                    return commit(events, of: links, without: excluded.union(tenants), by: key, for: responder, build)
                }
                responder.send { throw problem }
            case .refused(let reason):
                let refused = links.filter { !excluded.contains($0.answer.tenant) }
                if let problem = Self.problem(reason, refused) { return responder.send { throw problem } }
                responder.send { try build(RecordedLinks(events: events, excluded: nil)) }
            }
        }
    }

    /// Returns the response to a request whose links could not be recorded; nil if they are answered all the same,
    /// which is counted.
    private static func problem(_ refusal: RecordResult.Refusal, _ refused: [ResolvedLink]) -> Problem? {
        guard refusal != .unstorable else {
            return Problem(
                .notRecorded,
                "The log could not store this request, so it was neither recorded nor answered."
            )
        }
        guard refused.contains(where: { $0.answer.table?.settings.whenLogFails == .refuse }) else {
            unrecorded[refusal]?.increment(by: refused.count)
            return nil
        }
        return Problem(unrecorded: refusal, "The request could not be recorded, so it was not answered. Try again")
    }

    /// - Parameter recorded: The events of the request.
    func response(_ link: ResolvedLink, event: Event, in recorded: RecordedLinks) throws -> ResolveResponse {
        var response = ResolveResponse(link.answer)
        response.id = event.content.fields.id
        response.isRecorded = recorded.holds(event)
        response.gone = link.followed?.gone
        if link.answer.resolution.action == .signIn {
            let continuation = Continuation(
                tenant: link.answer.tenant,
                environment: link.answer.environment,
                app: link.answer.resolution.app,
                url: link.link.text,
                event: recorded.holds(event) ? event.content.fields.id.description : nil,
                expiresAt: Timestamp(milliseconds: now().milliseconds + Continuation.lifetime)
            )
            response.continuation = (try sealer.seal(continuation), continuation.expiresAt)
        }
        return response
    }

    /// Builds the event from what the tenant's settings permit to record.
    ///
    /// - Parameter redaction: Nil uses the redaction of the answer's table.
    func event(
        _ answer: CatalogResolution,
        followed: Followed? = nil,
        linkLength: Int,
        _ context: LinkContext,
        _ caller: Caller,
        clientEventID: String? = nil,
        redaction: Redaction? = nil
    ) -> Event.Fields {
        let resolution = answer.resolution
        let redaction = redaction ?? Redaction(answer.table)
        // Of a followed link that led nowhere, the clicked route tells what is sensitive.
        let captured = resolution.parameters + (followed?.clicked ?? [])
        let instant = now()
        var event = Event.Fields(
            id: eventIDs.next(at: instant),
            recordedAt: instant,
            tenant: answer.tenant,
            environment: answer.environment,
            outcome: resolution.outcome,
            linkLength: linkLength,
            source: caller.source,
            node: node,
            requestID: caller.requestID,
            method: caller.method
        )
        event.clientEventID = clientEventID.map { RecordedID($0) }
        event.occurredAt = caller.occurredAt
        event.parent = caller.parent
        event.purpose = caller.purpose
        event.kind = caller.kind
        event.app = resolution.app
        event.route = resolution.route
        event.revision = answer.table?.revision
        event.settingsRevision = answer.table?.settingsRevision
        event.action = resolution.action
        event.reason = resolution.rejection?.code.rawValue ?? followed?.gone?.code
        event.shortLink = followed?.shortLink
        event.experiment = resolution.variant?.experiment
        event.variant = resolution.variant.map { $0.isAssigned ? $0.variant : "unassigned" }
        event.scheme = answer.link?.scheme ?? resolution.rejection?.scheme
        event.host =
            answer.link.map { redaction.host(of: $0, parameters: captured) } ?? resolution.rejection?.host
        event.reading = resolution.reading.isEmpty ? nil : resolution.reading.names.joined(separator: ",")
        if let table = answer.table, let link = answer.link.map({ table.router.read($0).link }) {
            event.path = redaction.path(
                of: link,
                outcome: resolution.outcome,
                parameters: captured
            )
            event.query = redaction.query(
                of: followed?.page ?? link,
                plus: table.router.table.defaults.plusSign,
                parameters: captured,
                recording: followed?.campaign ?? []
            )
        }
        event.parameters = redaction.parameters(resolution.parameters)
        event.platform = context.platform
        event.device = context.device
        event.osVersion = context.osVersion?.description
        event.appVersion = context.appVersion?.description
        event.appBuild = context.appBuild
        event.traits = redaction.traits(context.traits)
        event.locale = context.locale.first?.description
        // For a link that belongs to no tenant, the country of the caller's address is not recorded.
        event.country = Redaction.country(context.country ?? (answer.table == nil ? nil : caller.country))
        event.referrerHost = caller.referrerHost
        event.address = caller.address.flatMap { redaction.address($0, key: addressKeys.key(for: instant.day)) }
        event.userAgent = caller.userAgent?.utf8Prefix(UserAgent.maximumBytes)
        event.botClass = caller.botClass?.rawValue
        // The sticky key of a click is made of the visitor's address, and is no install.
        event.install = caller.kind == .click ? nil : redaction.install(context.stickyKey)
        return event
    }
}

extension KeyOwner {
    /// - Parameter grant: Nil for a request without a key.
    package init(_ grant: KeyGrant?) {
        self =
            switch grant {
            case nil: .nobody
            case let grant?: grant.tenant.map(Self.tenant) ?? .everyTenant
            }
    }
}

extension Problem {
    /// The response to a request that was not recorded. The time after which to try again follows the advice.
    init(unrecorded refusal: RecordResult.Refusal, _ advice: String) {
        // A day's bytes may last until midnight. A limit that is raised takes effect at once.
        let seconds: UInt64 = refusal == .dayBytes ? 60 : 1
        self.init(.logUnavailable, "\(advice) in \(seconds == 1 ? "a second" : "a minute").")
        hints = [.retryAfter(seconds: seconds)]
    }
}

extension Duration {
    /// The duration in whole microseconds.
    package var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

extension Redaction {
    /// The redaction of a table's tenant. Without a table, it removes query and path, and truncates the address.
    init(_ table: PublishedTable?) {
        guard let table else {
            self.init(recordQuery: [], unmatchedPath: .none, address: .truncated)
            return
        }
        let privacy = table.settings.privacy
        self.init(
            recordQuery: privacy.recordQuery,
            recordTraits: privacy.recordTraits,
            installKey: table.installKey,
            unmatchedPath: UnmatchedPath(privacy.unmatchedPath, of: table),
            address: AddressPolicy(privacy.address)
        )
    }
}

extension Redaction.UnmatchedPath {
    fileprivate init(_ setting: Settings.Privacy.UnmatchedPath, of table: PublishedTable) {
        switch setting {
        case .full: self = .full
        case .shape: self = .shape(literals: table.literalSegments)
        case .firstSegment: self = .firstSegment
        case .none: self = .none
        }
    }
}

extension Redaction.AddressPolicy {
    fileprivate init(_ setting: Settings.Privacy.Address) {
        switch setting {
        case .truncated: self = .truncated
        case .keyed: self = .keyed
        case .none: self = .none
        }
    }
}
