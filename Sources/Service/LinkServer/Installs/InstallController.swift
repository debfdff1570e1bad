import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// Serves `POST /_fp/installs`, with which an app asks for the link that led to its installation. Each install is counted
/// once, and answered as often as the app asks.
struct InstallController: Sendable {
    let linkResolver: LinkResolver
    let limits: LiveLimits
    let admission: Admission

    var endpoint: PublicEndpoint {
        PublicEndpoint(
            methods: [.post],
            path: "/_fp/installs",
            bodyLimit: { [limits] in limits.bodyBytes },
            acceptsKey: true
        ) { request, body in
            .async { try await answer(request, body) }
        }
    }

    /// The same for all wrong tokens, so that it tells nothing about them.
    private static let unknown = Problem(
        .unknownInstall,
        "The token is not one of this tenant, environment and app, or older than 30 days, or the link is not one of the "
            + "tenant's. Start the app without a link."
    )

    private func answer(_ request: PublicRequest, _ body: ByteBuffer) async throws -> BufferedResponse {
        let scope = request.scope
        let message = try read(body)
        let catalog = linkResolver.catalog.current
        let tenant = try catalog.tenant(message.tenant, in: message.environment, of: request)
        try admission.enter(1, bytes: body.readableBytes, scope)
        try admission.check(.tenant(tenant.tenant))
        let table = catalog.table(of: tenant.tenant, in: message.environment) ?? tenant
        let claim = try claim(of: message, table, in: catalog)
        let asked = LinkResolver.Request(
            request,
            from: catalog,
            in: context(of: message, table),
            environment: message.environment,
            by: caller(of: request, message, claim)
        )
        var link = claim.link.map { linkResolver.resolve($0, in: asked.context, of: catalog) }
        if let undecided = link, undecided.needsLookup { link = try await linkResolver.follow(undecided, in: asked) }
        let event = event(of: claim, message, link, asked, table)
        let isFirst = try await record(event, by: KeyOwner(request.grant))
        let recorded = LinkResolver.RecordedLinks(events: [event], excluded: isFirst ? [] : nil)
        return try response(to: claim, link, message.warnings) { link in
            try linkResolver.response(link, event: event, in: recorded)
        }
    }

    private func read(_ body: ByteBuffer) throws -> InstallRequest {
        let limits = JSONReader.Limits(maximumBytes: limits.bodyBytes, maximumDepth: limits.jsonDepth)
        return try body.withUnsafeReadableBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { try InstallRequest($0, limits: limits) }
        }
    }

    /// What a message says about the installation.
    private struct Claim {
        /// Nil for a token without a link.
        let link: LocatedLink?
        /// The event of the click; nil for a pasted link.
        let click: RecordedID?
        /// Under which the install is counted.
        let hash: Bytes16
    }

    /// Throws ``unknown`` for a token that is not valid here, and for a link of nobody or of another tenant.
    private func claim(of message: InstallRequest, _ table: PublishedTable, in catalog: Catalog) throws -> Claim {
        func located(_ text: String) throws -> LocatedLink {
            let link = catalog.locate(text, in: message.environment)
            guard link.tenant == table.tenant, case .success = link.parsed else { throw Self.unknown }
            return link
        }
        guard table.settings.identity.apps.contains(where: { $0.id == message.app }) else { throw Self.unknown }
        switch message.evidence {
        case .token(let text):
            let now = linkResolver.now()
            guard
                let token = linkResolver.installTokens.open(
                    text,
                    of: table.tenant,
                    in: message.environment,
                    for: message.app,
                    at: now
                )
            else { throw Self.unknown }
            let click = RecordedID(token.click)
            return Claim(
                link: try token.link.map(located),
                click: click,
                hash: Event.reportHash(tenant: table.tenant, click: click)
            )
        case .link(let text):
            let link = try located(text)
            return Claim(
                link: link,
                click: nil,
                hash: Event.reportHash(tenant: table.tenant, install: message.install, pasted: link.text)
            )
        }
    }

    /// The facts of the message, with those that follow from the app.
    private func context(of message: InstallRequest, _ table: PublishedTable) -> LinkContext {
        var context = message.context
        context.now = linkResolver.now()
        let app = table.settings.identity.apps.first { $0.id == message.app }
        context.platform = context.platform ?? app?.platform
        return context
    }

    private func caller(of request: PublicRequest, _ message: InstallRequest, _ claim: Claim) -> LinkResolver.Caller {
        let address = request.scope.client.address
        return LinkResolver.Caller(
            requestID: request.scope.requestID,
            address: address,
            country: message.context.country == nil ? linkResolver.country(of: address) : nil,
            userAgent: request.head.headerFields.value(of: .userAgent),
            method: "POST",
            source: "install",
            kind: .install,
            purpose: claim.click == nil ? .pasted : .install,
            parent: claim.click
        )
    }

    private func event(
        of claim: Claim,
        _ message: InstallRequest,
        _ link: LinkResolver.ResolvedLink?,
        _ asked: LinkResolver.Request,
        _ table: PublishedTable
    ) -> Event {
        let nothing = CatalogResolution(link: nil, table: table, resolution: Resolution(outcome: .unmatched))
        let answer = link?.answer ?? nothing
        var fields = linkResolver.event(
            answer,
            followed: link?.followed,
            linkLength: answer.link?.bytes.count ?? claim.link?.text.utf8.count ?? 0,
            asked.context,
            asked.caller
        )
        fields.app = table.router.app(for: asked.context)
        fields.install = Redaction(table).install(asked.context.stickyKey ?? message.install)
        let scope = asked.message.scope
        fields.latencyMicroseconds = scope.arrival.map { (linkResolver.uptime() - $0).microseconds }
        scope.logFields.note(fields)
        if let located = claim.link {
            linkResolver.observe?(
                ObservedLink(
                    url: located.text,
                    context: asked.context,
                    environment: asked.environment,
                    catalog: asked.catalog,
                    followed: link?.followed == nil ? nil : answer,
                    event: fields
                )
            )
        }
        return Event(fields, reportHash: claim.hash)
    }

    /// Returns whether the install was counted now, and not before.
    private func record(_ event: Event, by key: KeyOwner) async throws -> Bool {
        guard linkResolver.isRecording else { return false }
        switch await linkResolver.recorder.record([event], by: key) {
        case .stored(_, let duplicates):
            guard duplicates.isEmpty else { return false }
            linkResolver.tenants.count(event.content.fields.outcome, of: event.content.fields.tenant)
            return true
        case .refused(.unstorable):
            throw Problem(
                .notRecorded,
                "The log could not store this install, so it was neither recorded nor answered."
            )
        case .refused(let refusal), .overLimit(let refusal, _):
            throw Problem(unrecorded: refusal, "The install could not be recorded. Send the same message again")
        }
    }

    /// Formatted as `{link, answer, method, warnings}`. The answer has the fields of `POST /resolve`.
    private func response(
        to claim: Claim,
        _ link: LinkResolver.ResolvedLink?,
        _ warnings: [String],
        _ answer: (LinkResolver.ResolvedLink) throws -> ResolveResponse
    ) throws -> BufferedResponse {
        var writer = JSONWriter(reservingCapacity: 1_024)
        writer.beginObject()
        writer.key("link")
        if let text = claim.link?.text { writer.string(text) } else { writer.null() }
        writer.key("answer")
        if let link { try answer(link).write(to: &writer) } else { writer.null() }
        writer.member("method", claim.click == nil ? "pasted" : "referrer")
        if !warnings.isEmpty {
            writer.beginArray(key: "warnings")
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
        return BufferedResponse(json: writer.finish())
    }
}
