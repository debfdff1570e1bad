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
        guard resolvedLink.needsLookup else { return recorded(resolvedLink, of: click, host: host.name) }
        return .async {
            var unknown: LinkResolver.UnknownCodes = [:]
            let followed = try await linkResolver.follow(resolvedLink, in: click, &unknown)
            linkResolver.take(unknown, of: click)
            return try await recorded(followed, of: click, host: host.name).response
        }
    }

    private func recorded(
        _ link: LinkResolver.ResolvedLink,
        of click: LinkResolver.Request,
        host: String
    ) -> HandlerResult {
        let isProbe =
            click.caller.purpose == .live && link.answer.resolution.route == nil
            && ProbePath.matches(click.message.head.path ?? "/")
        let click = isProbe ? click.asProbe : click
        return .later { responder in
            linkResolver.record([link], of: click, for: responder) { _ in
                answer(to: link, of: click.catalog, host: host)
            }
        }
    }

    private func answer(to link: LinkResolver.ResolvedLink, of catalog: Catalog, host: String) -> BufferedResponse {
        if let gone = link.followed?.gone { return ProblemPage(gone).response(.gone, of: host) }
        let answer = link.answer
        let resolution = answer.resolution
        switch resolution.action {
        case .openStore:
            if let store = try? resolution.destination?.store.map(DeepLink.parse) { return .redirect(to: store) }
        case .openWeb, .openApp, .signIn, .updateApp:
            if let page = try? resolution.destination?.web.map(DeepLink.parse), !leadsBack(page, from: link, catalog) {
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

    /// Whether a redirect to the page would loop: the page is the link itself, or the link that it follows and whose clicks
    /// come here. Also true if there is no link or the page is not a web page.
    private func leadsBack(_ page: DeepLink, from link: LinkResolver.ResolvedLink, _ catalog: Catalog) -> Bool {
        guard case .success(let clicked) = link.link.parsed, page.isWeb else { return true }
        guard !isSame(page, clicked) else { return true }
        guard link.followed != nil, let target = link.answer.link, let host = page.host else { return false }
        // The page may be the link that is followed, on a website of the tenant.
        return isSame(page, target) && catalog.table(forHost: host, port: page.port)?.serves == .links
    }

    /// Whether two links have the same host and path.
    private func isSame(_ page: DeepLink, _ link: DeepLink) -> Bool {
        page.host == link.host && page.port == link.port
            && page.segmentCount == link.segmentCount
            && (0..<link.segmentCount).allSatisfy { page.segmentText($0) == link.segmentText($0) }
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

extension ProblemPage {
    /// The page of a short link that nobody may follow any more.
    fileprivate init(_ gone: LinkResolver.Gone) {
        self =
            switch gone {
            case .expired: Self("This link has expired", gone.message)
            case .archived: Self("This link has ended", gone.message)
            case .blocked: Self("This link is blocked", gone.message)
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
