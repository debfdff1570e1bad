import HTTPTypes
import LinkCatalog
import LinkRouting

/// What a click gets. The table in docs/landing.md lists it by client and kind of answer.
enum LandingPlan {
    case preview(PreviewPage)
    case redirect(DeepLink)
    case landing(LandingPage)
    case problem(ProblemPage, HTTPResponse.Status)

    /// What a request tells about the visitor.
    struct Visitor {
        let context: LinkContext
        /// The app that shows the page in a browser of its own; nil if it is unknown.
        let app: InAppBrowser?
        let botClass: BotClass?
    }

    /// - Parameters:
    ///   - link: The click. Its link could be parsed, unless it was rejected.
    ///   - store: Returns the store page that the link leads to, or that of its app; nil if there is none.
    ///   - catalog: That of the answer.
    init(
        _ link: LinkResolver.ResolvedLink,
        for visitor: Visitor,
        store: @escaping () throws -> DeepLink?,
        in catalog: Catalog
    ) throws {
        if let (page, status) = Self.problem(link) {
            self = .problem(page, status)
            return
        }
        if visitor.botClass == .preview, let page = PreviewPage(link) {
            self = .preview(page)
            return
        }
        let landing = Landing(link: link, visitor: visitor, store: store, catalog: catalog)
        // An app's browser would open the store or the page although the app is installed.
        if visitor.context.inAppBrowser == true, landing.app != nil, !landing.hasDecidedItself,
            let page = try landing.page
        {
            self = .landing(page)
        } else if let target = try landing.target {
            self = .redirect(target)
        } else if let page = try landing.page {
            self = .landing(page)
        } else {
            self = .problem(ProblemPage(.notFound), .notFound)
        }
    }

    /// Returns the page of a link that leads nowhere, whoever clicks it.
    private static func problem(_ link: LinkResolver.ResolvedLink) -> (ProblemPage, HTTPResponse.Status)? {
        switch link.followed?.gone {
        case .expired: return (ProblemPage(.expired), .gone)
        case .archived: return (ProblemPage(.ended), .gone)
        case .blocked(let reason): return (ProblemPage(.blocked, reason), .gone)
        case nil: break
        }
        let resolution = link.answer.resolution
        if resolution.action == .block { return (ProblemPage(.blocked, resolution.blockReason), .forbidden) }
        return resolution.rejection.map { (ProblemPage(.unreadable, $0.message), .badRequest) }
    }
}

/// Where a click may lead.
private struct Landing {
    let link: LinkResolver.ResolvedLink
    let visitor: LandingPlan.Visitor
    let store: () throws -> DeepLink?
    let catalog: Catalog

    /// Hosts of a tenant that are tried for the button that opens the app.
    private static let mostHosts = 4

    private var resolution: Resolution { link.answer.resolution }

    /// The page or store that a redirect leads to; nil if there is none, or only the link itself.
    var target: DeepLink? {
        get throws {
            switch resolution.action {
            case .openStore: return try store()
            case .openWeb, .openApp, .signIn, .updateApp: return web
            case .block, nil: return nil
            }
        }
    }

    /// The web page; nil if a click on it would come back to this link.
    private var web: DeepLink? {
        guard let page = try? resolution.destination?.web.map(DeepLink.parse), !leadsBack(page) else { return nil }
        return page
    }

    /// The app that the visitor's device can have. On a Mac that for iOS, because an iPad may call itself a Mac.
    var app: RegisteredApp? {
        guard let table = link.answer.table else { return nil }
        var id = resolution.app
        if visitor.context.platform == .macos {
            var context = LinkContext()
            context.platform = .ios
            id = table.router.app(for: context)
        }
        return id.flatMap { id in table.settings.identity.apps.first { $0.id == id } }
    }

    /// Whether the matched route is for browsers of apps only, so that its redirect is meant for them.
    var hasDecidedItself: Bool {
        guard let route = resolution.route, let table = link.answer.table else { return false }
        return table.routesForInAppBrowsers.contains(route)
    }

    /// The page that opens the app; nil if the link has no place in an app.
    var page: LandingPage? {
        get throws {
            guard case .success(let clicked) = link.link.parsed, let destination = resolution.destination,
                let uri = destination.uri
            else { return nil }
            let (app, web, store) = (app, web?.asciiText, try store()?.asciiText)
            let otherwise = resolution.action == .openStore ? store : web ?? store
            return LandingPage(
                link: clicked.asciiText,
                title: link.preview.title,
                open: app.map { opening($0, uri: uri, clicked: clicked, otherwise: otherwise) },
                store: store ?? app?.storeURL(campaign: destination.campaign),
                web: web,
                isInApp: visitor.context.inAppBrowser == true,
                app: visitor.app,
                platform: visitor.context.platform
            )
        }
    }

    // MARK: Opening the app

    /// - Parameter otherwise: Where Android's browser goes without the app.
    private func opening(_ app: RegisteredApp, uri: String, clicked: DeepLink, otherwise: String?) -> String {
        switch app.product {
        case .ios: return universalLink(of: app, clicked) ?? uri
        case .android(let package, _):
            if resolution.route != nil, let host = clicked.host, isNamed(app, on: host) {
                return Self.intent(clicked, package: package, otherwise: otherwise)
            }
            guard let link = try? DeepLink.parse(uri) else { return uri }
            return Self.intent(link, package: package, otherwise: otherwise)
        }
    }

    /// Returns the clicked link on another host of the tenant: iOS opens the app only from a page of another host. Nil if no
    /// other host has the same route.
    private func universalLink(of app: RegisteredApp, _ clicked: DeepLink) -> String? {
        // The answer names the route of the followed link.
        let own = link.followed == nil ? resolution.route : route(of: link.link)
        guard let table = link.answer.table, let host = clicked.host, let own else { return nil }
        let rest = String(decoding: clicked.bytes[clicked.rawPath.lowerBound...], as: UTF8.self)
        let hosts = table.settings.identity.domains.lazy.filter { domain in
            domain.serves == .links && !domain.coversSubdomains && domain.port == nil
                && ![domain.host, domain.unicodeHost].contains(host) && isNamed(app, on: domain.host)
        }
        for domain in hosts.prefix(Self.mostHosts) {
            let other = catalog.locate("https://\(domain.host)\(rest)")
            if route(of: other) == own, case .success(let link) = other.parsed { return link.asciiText }
        }
        return nil
    }

    /// The route of a link itself, even if it follows another link.
    private func route(of link: LocatedLink) -> RouteID? {
        link.resolve(in: visitor.context, explanation: .omitted).resolution.route
    }

    /// Whether the association files of a host may name the app.
    private func isNamed(_ app: RegisteredApp, on host: String) -> Bool {
        guard let domains = app.domains, let table = link.answer.table else { return app.domains == nil }
        let domain = table.settings.identity.domain(for: host)
        return domain.map { domains.contains($0.coversSubdomains ? "*.\($0.host)" : $0.host) } ?? false
    }

    /// Returns the link as an intent, which opens the app from browsers of other apps, too. Its parts cannot end early: the
    /// link ends before its fragment, a package has no `;`, and the other URL is percent-encoded.
    private static func intent(_ link: DeepLink, package: String, otherwise fallback: String?) -> String {
        let rest = link.asciiText.dropFirst(link.scheme.utf8.count).prefix { $0 != "#" }
        let fallback = fallback.map { "S.browser_fallback_url=\($0.percentEncoded);" } ?? ""
        return "intent\(rest)#Intent;scheme=\(link.scheme);package=\(package);\(fallback)end"
    }

    // MARK: Loops

    /// Whether a redirect to the page would loop: the page is the link itself, or the link that it follows and whose clicks
    /// come here. Also true if there is no link or the page is not a web page.
    private func leadsBack(_ page: DeepLink) -> Bool {
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
