import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

import struct Foundation.Data

/// Serves `POST /_fp/links`, with which apps make short links. Everybody can read the key of an app, so the limits are those
/// of strangers.
struct AppLinkController: Sendable {
    let linkResolver: LinkResolver
    let limits: LiveLimits
    let admission: Admission

    /// The most links that an install may make in ``period`` milliseconds.
    static let mostOfInstall = 20
    private static let period: Int64 = 86_400_000

    var endpoint: PublicEndpoint {
        PublicEndpoint(
            methods: [.post],
            path: "/_fp/links",
            bodyLimit: { [limits] in limits.bodyBytes },
            acceptsKey: true
        ) { request, body in
            .async { try await create(request, body) }
        }
    }

    private func create(_ request: PublicRequest, _ body: ByteBuffer) async throws -> BufferedResponse {
        let scope = request.scope
        let limits = JSONReader.Limits(maximumBytes: limits.bodyBytes, maximumDepth: limits.jsonDepth)
        let message = try body.withUnsafeReadableBytes { raw in
            try raw.withMemoryRebound(to: UInt8.self) { try AppLinkRequest($0, limits: limits) }
        }
        let catalog = linkResolver.catalog.current
        let table = try catalog.tenant(message.tenant, of: request)
        scope.logFields.note(table.tenant)
        let grant = try grant(of: request, for: table)
        try admission.enter(1, bytes: body.readableBytes, scope)
        try admission.check(.tenant(table.tenant))
        try admission.check(.newLink(scope.client))
        try check(message.content, of: table, in: catalog, grant)
        let now = linkResolver.now()
        let install = Redaction(table).install(message.install).map { Data($0.bytes) }
        var new = NewShortLink(
            code: nil,
            content: message.content,
            createdAt: now,
            createdBy: grant.actor,
            install: install,
            isFromApp: true,
            isReused: install != nil
        )
        new.content.expires = ShortLink.appExpiry(at: now)
        let links = linkResolver.shortLinks
        if let link = try await links.reusable(new, of: table.tenant) {
            return answer(try await links.prolong(link, of: table.tenant, at: now), of: table)
        }
        if let install { try await checkNumber(of: install, of: table.tenant, at: now) }
        switch try await links.create([new], of: table.tenant).first {
        // Reused: another request has just created it.
        case .created(let link), .reused(let link): return answer(link, of: table)
        case .full(let ofApps): throw ShortLinkService.Failure.tooManyLinks(ofApps: ofApps).problem
        case .taken, nil: throw ShortLinkService.Failure.tooManyLinks(ofApps: true).problem
        }
    }

    private func grant(of request: PublicRequest, for table: PublishedTable) throws -> KeyGrant {
        guard let grant = request.grant else {
            throw Problem(
                .missingKey,
                "Making links needs a key with the scope 'links:create'; send 'Authorization: Bearer fp_…'."
            )
        }
        guard grant.allows(.linksCreate, for: table.tenant), grant.allows(table.environment) else {
            throw Problem(.forbidden, "This key lacks the scope 'links:create' for the tenant.")
        }
        return grant
    }

    /// Throws unless the target matches a route that apps may link to, and the table has a place for codes.
    private func check(
        _ content: ShortLink.Content,
        of table: PublishedTable,
        in catalog: Catalog,
        _ grant: KeyGrant
    ) throws {
        do throws(ShortLinkTargets.Refusal) {
            let routes = table.settings.shortLinks.apps
            try ShortLinkTargets(table, in: catalog, within: grant.routeLimits, to: routes).require(content)
        } catch {
            switch error {
            case .invalid(let reason): throw Problem(.invalidShortLink, "target: \(reason)")
            case .outsideLimit(let reason): throw Problem(.forbidden, "This key may not make the link: \(reason).")
            }
        }
        guard let code = ShortCode("x"), !table.urls(of: code).isEmpty else {
            throw Problem(
                .invalidShortLink,
                "The live table has no route with 'follow: shortLinks' that everybody may follow; add one and publish it."
            )
        }
    }

    private func checkNumber(
        of install: ShortLink.InstallHash,
        of tenant: TenantID,
        at now: Timestamp
    ) async throws {
        let start = Timestamp(milliseconds: now.milliseconds - Self.period)
        let count = try await linkResolver.shortLinks.count(of: tenant, by: install, since: start)
        guard count < Self.mostOfInstall else {
            var problem = Problem(
                .rateLimited,
                "This install has made \(count) links in a day, which is the limit. Try again tomorrow."
            )
            problem.hints = [.retryAfter(seconds: 3_600)]
            throw problem
        }
    }

    /// Formatted as `{code, url, expires}`.
    private func answer(_ link: ShortLink, of table: PublishedTable) -> BufferedResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("code", link.code.rawValue)
        writer.member("url", table.urls(of: link.code).first)
        writer.member("expires", link.content.expires?.description)
        writer.endObject()
        return BufferedResponse(
            .created,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ByteBuffer(bytes: writer.finish() + [UInt8(ascii: "\n")])
        )
    }
}
