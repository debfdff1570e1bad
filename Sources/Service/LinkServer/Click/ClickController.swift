import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// `GET` on a host that serves links: somebody tapped a link in a browser.
struct ClickController: Sendable {
    let linkResolver: LinkResolver
    let admission: Admission

    var endpoints: [PublicEndpoint] {
        ["/", PublicEndpoint.anyPath].map { path in
            PublicEndpoint(methods: [.get, .head], path: path) { request, _ in
                try click(request)
            }
        }
    }

    private func click(_ message: PublicRequest) throws -> HandlerResult {
        let (request, scope) = (message.head, message.scope)
        let catalog = linkResolver.catalog.current
        guard let authority = request.authority, let host = request.host(in: catalog),
            let (table, serves) = catalog.table(forHost: host.name, port: host.port)
        else { throw Problem.unknownHost(of: request, in: catalog) }
        guard serves == .links else {
            throw Problem(
                .unknownHost,
                "A tenant has this host for association files only (serves: association), so clicks on it are not "
                    + "answered here. A website must answer them."
            )
        }
        let path = request.path ?? "/"
        // Without the slash, the path would extend the host's name in the URL below.
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw Problem(.invalidRequest, "The path of a click must begin with '/'.")
        }
        guard !path.isReservedPath else { throw Problem(.notFound, "This path is reserved.") }
        scope.logFields.note(table.tenant)
        try admission.enter(1, bytes: path.utf8.count, scope)
        try admission.check(.tenant(table.tenant))

        let visitor = ClickContext(request.method, request.headerFields)
        var facts = visitor.context
        let now = linkResolver.now()
        facts.now = now
        if table.hasSplits, let address = scope.client.address {
            let agent = request.headerFields.value(of: .userAgent)
            facts.stickyKey = linkResolver.addressKeys.stickyKey(of: address, agent, on: now.day)
        }
        facts.country = linkResolver.country(of: scope.client.address)
        // The link of a QR code holds a mark, which no route sees.
        let unmarked = path.withoutQRMark
        let link = catalog.locate("https://\(authority)\(unmarked ?? path)")
        let resolvedLink = linkResolver.resolve(link, in: facts, of: catalog)
        let caller = LinkResolver.Caller(
            requestID: scope.requestID,
            address: scope.client.address,
            userAgent: request.headerFields.value(of: .userAgent),
            botClass: visitor.botClass,
            referrerHost: visitor.referrerHost,
            method: request.method.rawValue,
            source: unmarked == nil ? "click" : "qr",
            kind: .click,
            purpose: visitor.purpose
        )
        let click = LinkResolver.Request(message, from: catalog, in: facts, by: caller)
        let app = visitor.app
        guard resolvedLink.needsLookup else { return recorded(resolvedLink, of: click, app: app, host: host.name) }
        return .async {
            let followed = try await linkResolver.follow(resolvedLink, in: click)
            return try await recorded(followed, of: click, app: app, host: host.name).response
        }
    }

    private func recorded(
        _ link: LinkResolver.ResolvedLink,
        of click: LinkResolver.Request,
        app: InAppBrowser?,
        host: String
    ) -> HandlerResult {
        let isProbe =
            click.caller.purpose == .live && link.answer.resolution.route == nil
            && ProbePath.matches(click.message.head.path ?? "/")
        let click = isProbe ? click.asProbe : click
        let visitor = LandingPlan.Visitor(context: click.context, app: app, botClass: click.caller.botClass)
        return .later { responder in
            linkResolver.record([link], of: click, for: responder) { recorded in
                try answer(to: link, recordedAs: recorded.events[0], for: visitor, of: click.catalog, host: host)
            }
        }
    }

    private func answer(
        to link: LinkResolver.ResolvedLink,
        recordedAs event: Event,
        for visitor: LandingPlan.Visitor,
        of catalog: Catalog,
        host: String
    ) throws -> BufferedResponse {
        /// The frame of a page. A redirect needs none.
        func page() -> TenantPage {
            TenantPage(link.answer.table?.settings, host: host, languages: visitor.context.locale)
        }
        // Sealing a token costs more than a redirect to a website.
        let store = { try linkResolver.storePage(of: link, recordedAs: event) }
        return switch try LandingPlan(link, for: visitor, store: store, in: catalog) {
        case .preview(let preview): preview.response(site: page().name ?? host)
        case .redirect(let target): .redirect(to: target)
        case .landing(let landing): landing.response(in: page())
        case .problem(let problem, let status): problem.response(status, in: page())
        }
    }
}

extension LinkResolver.Request {
    fileprivate var asProbe: LinkResolver.Request {
        var caller = caller
        caller.purpose = .probe
        return LinkResolver.Request(message, from: catalog, in: context, environment: environment, by: caller)
    }
}

extension String {
    /// Whether Fingerpost itself answers the path on every host: `/_fp/…`, `/.well-known/…`,
    /// `/apple-app-site-association`. The first segment is parsed like that of a link, so an escape or an empty segment
    /// before it does not make it a click.
    var isReservedPath: Bool {
        // Hardly any other path begins with one of these bytes.
        guard let byte = utf8.first(where: { $0 != UInt8(ascii: "/") }), "_.a%".utf8.contains(byte) else {
            return false
        }
        let segments = utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.split(
            separator: UInt8(ascii: "/")
        )
        // An unreadable segment is not reserved; its link is rejected later.
        guard let first = segments.first, let link = try? DeepLink.parse("x:/\(Substring(first))") else { return false }
        switch link.segmentText(0) {
        case "_fp", ".well-known": return true
        case "apple-app-site-association": return segments.count == 1
        default: return false
        }
    }
}

extension String {
    /// The path and query without the mark of a QR code; nil if there is none.
    fileprivate var withoutQRMark: String? {
        guard let mark = utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let items = utf8[utf8.index(after: mark)...].split(
            separator: UInt8(ascii: "&"),
            omittingEmptySubsequences: false
        )
        let rest = items.filter { !$0.elementsEqual("_fp=qr".utf8) }
        guard rest.count < items.count else { return nil }
        var text = String(self[..<mark])
        for (index, item) in rest.enumerated() { text += (index == 0 ? "?" : "&") + String(Substring(item)) }
        return text
    }
}

extension BufferedResponse {
    /// A 302, never a 301: the target of a link may change.
    fileprivate static func redirect(to page: DeepLink) -> BufferedResponse {
        BufferedResponse(
            .found,
            headers: [
                .location: page.asciiText, .cacheControl: "no-store",
                // The tenant's website learns where its visitors come from.
                .referrerPolicy: "strict-origin-when-cross-origin",
            ]
        )
    }
}
