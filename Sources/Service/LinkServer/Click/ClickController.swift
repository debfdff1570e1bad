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
        facts.now = linkResolver.now()
        facts.country = linkResolver.country(of: scope.client.address)
        let link = catalog.locate("https://\(authority)\(path)")
        let resolvedLink = linkResolver.resolve(link, in: facts)
        let isProbe = visitor.purpose == .live && resolvedLink.answer.resolution.route == nil && ProbePath.matches(path)
        let caller = LinkResolver.Caller(
            requestID: scope.requestID,
            address: scope.client.address,
            userAgent: request.headerFields.value(of: .userAgent),
            botClass: visitor.botClass,
            referrerHost: visitor.referrerHost,
            method: request.method.rawValue,
            source: "click",
            kind: .click,
            purpose: isProbe ? .probe : visitor.purpose
        )
        let click = LinkResolver.Request(message, from: catalog, in: facts, by: caller)
        return .later { responder in
            linkResolver.record([resolvedLink], of: click, for: responder) { _ in
                answer(to: resolvedLink.answer, host: host.name)
            }
        }
    }

    private func answer(to answer: CatalogResolution, host: String) -> BufferedResponse {
        let resolution = answer.resolution
        switch resolution.action {
        case .openStore:
            if let store = try? resolution.destination?.store.map(DeepLink.parse) { return .redirect(to: store) }
        case .openWeb, .openApp, .signIn, .updateApp:
            if let page = try? resolution.destination?.web.map(DeepLink.parse), !leadsBack(page, from: answer.link) {
                return .redirect(to: page)
            }
        case .block:
            return ProblemPage("This link is blocked", resolution.blockReason ?? "").response(.forbidden, of: host)
        case nil:
            break
        }
        if let rejection = resolution.rejection {
            return ProblemPage("This link cannot be read", rejection.message).response(.badRequest, of: host)
        }
        return ProblemPage(.notFound).response(.notFound, of: host)
    }

    /// Whether the page has the same host and path as the link, so that a redirect would loop. Also true if there is no
    /// link or the page is not a web page.
    private func leadsBack(_ page: DeepLink, from link: DeepLink?) -> Bool {
        guard let link, page.isWeb else { return true }
        return page.host == link.host && page.port == link.port
            && page.segmentCount == link.segmentCount
            && (0..<link.segmentCount).allSatisfy { page.segmentText($0) == link.segmentText($0) }
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

extension BufferedResponse {
    /// A 302, never a 301: the target of a link may change.
    fileprivate static func redirect(to page: DeepLink) -> BufferedResponse {
        BufferedResponse(
            .found,
            headers: [.location: page.asciiText, .cacheControl: "no-store", .referrerPolicy: "no-referrer"]
        )
    }
}
