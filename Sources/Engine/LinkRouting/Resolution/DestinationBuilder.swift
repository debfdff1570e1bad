/// Builds the answer of one target for one link: the action, and the destination with its parameters filled in.
///
/// A filled template must be a valid link to a destination that the settings allow. A URL that is valid by
/// construction, because its parts come from parsed links, is not parsed again. Only its length and its destination are
/// checked.
struct DestinationBuilder {
    let router: Router
    let link: DeepLink
    /// Index in the router's apps.
    let app: Int?
    let parameters: [CapturedParameter]
    let isFallback: Bool

    /// How many bytes longer than its link a destination is at most, typically. More bytes make the buffer grow.
    private static let typicalGrowth = 96
    /// The maximum number of bytes of filled templates in all arguments of a destination. Arguments beyond it are left
    /// out: a table may use a long captured text any number of times.
    private static let maximumArgumentBytes = 8 * DeepLink.maximumLength

    /// Returns the first action that applies, and the destination with the fallback actions in the order in which to
    /// try them. See "Destinations and actions" in docs/routing.md.
    func answer(_ target: RouteTarget, for context: LinkContext) -> (Action, Boxed<ResolvedDestination>) {
        let action = action(for: target, context)
        // All URLs are built in the same buffer.
        var url: [UInt8] = []
        url.reserveCapacity(link.bytes.count + Self.typicalGrowth)
        let web = web(target, context, &url)
        let store = target.$store.isPresent || action == .updateApp ? storeURL(target, &url) : nil
        let campaign = campaign(of: target)
        let fallbacks: [Action] =
            switch (store != nil && action == .openApp, web != nil && action != .openWeb) {
            case (true, true): [.openStore, .openWeb]
            case (true, false): [.openStore]
            case (false, true): [.openWeb]
            case (false, false): []
            }
        guard let open = target.open else {
            let destination = ResolvedDestination(
                web: web,
                store: store,
                data: target.data,
                campaign: campaign,
                fallbacks: fallbacks
            )
            return (action, Boxed(wrappedValue: destination))
        }
        let (arguments, stack) = arguments(of: open)
        let destination = ResolvedDestination(
            screen: open.screen,
            arguments: arguments,
            stack: stack,
            uri: uri(open, target.forward, &url),
            web: web,
            store: store,
            data: target.data,
            campaign: campaign,
            fallbacks: fallbacks
        )
        return (action, Boxed(wrappedValue: destination))
    }

    private func arguments(
        of open: Open
    ) -> (own: [ResolvedDestination.Argument], stack: [ResolvedDestination.Screen]) {
        var room = Self.maximumArgumentBytes
        let own = arguments(open.arguments, &room)
        let ownBytes = Self.maximumArgumentBytes - room
        var stack: [ResolvedDestination.Screen] = []
        stack.reserveCapacity(open.stack.count)
        for screen in open.stack {
            let isTop = screen.arguments.isEmpty && screen.name == open.screen
            let arguments = isTop && Self.take(ownBytes, from: &room) ? own : arguments(screen.arguments, &room)
            stack.append(ResolvedDestination.Screen(name: screen.name, arguments: arguments))
        }
        return (own, stack)
    }

    private func action(for target: RouteTarget, _ context: LinkContext) -> Action {
        guard target.$open.isPresent, app != nil || context.platform == nil else { return .openWeb }
        guard context.installed else {
            return target.$store.isPresent && app.map { router.storePages[$0] != nil } == true ? .openStore : .openWeb
        }
        if let app, let minimum = target.minimumVersion?.minimum(for: router.apps[app].id),
            isOlder(context, than: minimum)
        {
            return .updateApp
        }
        if target.signIn == .required, context.authenticated != true { return .signIn }
        return .openApp
    }

    /// Whether the version is below the minimum. An unknown version is never too old.
    private func isOlder(_ context: LinkContext, than minimum: MinimumVersion.Minimum) -> Bool {
        switch minimum {
        case .version(let version): context.appVersion.map { $0 < version } ?? false
        case .build(let build): context.appBuild.map { $0 < build } ?? false
        }
    }

    // MARK: Templates

    private func parameter(_ name: String) -> CapturedParameter? {
        for index in parameters.indices where parameters[index].name == name { return parameters[index] }
        return nil
    }

    private static func take(_ bytes: Int, from room: inout Int) -> Bool {
        guard bytes <= room else { return false }
        room -= bytes
        return true
    }

    private func campaign(of target: RouteTarget) -> String? {
        var room = DeepLink.maximumLength
        return target.campaign.flatMap { $0.text(filledWith: parameters, &room) }
    }

    private func arguments(_ templates: [Open.Argument], _ room: inout Int) -> [ResolvedDestination.Argument] {
        var arguments: [ResolvedDestination.Argument] = []
        arguments.reserveCapacity(templates.count)
        for template in templates {
            guard let value = value(template.value, &room) else { continue }
            arguments.append(ResolvedDestination.Argument(name: template.name, value: value))
        }
        return arguments
    }

    /// Returns the filled argument; nil when a parameter that it uses was not captured, or when it is too long.
    private func value(_ argument: ArgumentTemplate, _ room: inout Int) -> ArgumentValue? {
        switch argument {
        case .constant(let node): return .constant(node)
        case .template(let template):
            guard let name = template.soleParameter else {
                return template.text(filledWith: parameters, &room).map { .parameter(.string($0)) }
            }
            guard let parameter = parameter(name), Self.take(parameter.text.utf8.count, from: &room) else { return nil }
            return .parameter(parameter.value)
        }
    }

    // MARK: URLs

    /// Returns the app's URI: the route's own, else the link itself, else the link under the tenant's first scheme.
    private func uri(_ open: Open, _ forward: Forwarding, _ url: inout [UInt8]) -> String? {
        if let template = open.uri {
            let isOwn = hasSomethingToForward && router.owns(scheme: template.scheme)
            return fill(&url, template, forward, isOwn: isOwn)
        }
        guard link.isWeb else {
            return router.allows(scheme: link.scheme, host: nil) ? link.text : nil
        }
        guard let own = router.ownURI else { return nil }
        url.removeAll(keepingCapacity: true)
        own.append(to: &url, path: link.bytes[link.rawPath])
        appendForwarded(to: &url, forward, isOwn: true)
        guard own.isReadable else { return checked(url) }
        return url.count <= DeepLink.maximumLength ? String(decoding: url, as: UTF8.self) : nil
    }

    /// Returns the route's own page, else the link itself on a website's host, else the page of the table's fallback.
    private func web(_ target: RouteTarget, _ context: LinkContext, _ url: inout [UInt8]) -> String? {
        if !isFallback, let web = target.web, let page = page(web, target.forward, context, &url) { return page }
        if let page = ownPage(&url) { return page }
        guard let fallback = router.defaults.fallback, let web = fallback.web else { return nil }
        return page(web, fallback.forward, context, &url)
    }

    /// Returns the link itself in canonical form, if a website is served on its host.
    private func ownPage(_ url: inout [UInt8]) -> String? {
        guard let host = link.host, let index = router.identity.domainIndex(for: host, port: link.port),
            router.identity.domains[index].serves == .association
        else { return nil }
        // The A-labels of a Unicode subdomain are unknown, and computing them is too expensive for a request.
        let name = router.identity.domains[index].coversSubdomains ? host : router.identity.domains[index].host
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let scheme = router.identity.destinations.allowsPlainHTTP ? link.scheme : "https"
        url.removeAll(keepingCapacity: true)
        url.append(utf8Of: scheme)
        url.append(utf8Of: "://")
        url.append(utf8Of: name)
        if let port = link.port { url.append(utf8Of: ":\(port)") }
        url.append(contentsOf: link.bytes[link.rawPath.lowerBound...])
        // With an unchanged host, all parts are parsed already.
        guard name == host else { return checked(url) }
        guard url.count <= DeepLink.maximumLength, router.allows(scheme: scheme, host: name) else { return nil }
        return String(decoding: url, as: UTF8.self)
    }

    private func page(
        _ web: WebTarget,
        _ forward: Forwarding,
        _ context: LinkContext,
        _ url: inout [UInt8]
    ) -> String? {
        guard let template = template(of: web, context) else { return nil }
        let isOwn = hasSomethingToForward && template.host.map { router.owns(host: $0) } ?? false
        return fill(&url, template, forward, isOwn: isOwn)
    }

    private func template(of web: WebTarget, _ context: LinkContext) -> URLTemplate? {
        let platform = context.platform ?? app.map { router.apps[$0].platform }
        let page: URLTemplate? =
            switch (platform, context.device) {
            case (.ios, .tablet): web.ipad ?? web.ios
            case (.ios, _): web.ios
            case (.android, _): web.android
            case (.macos, _), (.windows, _), (.linux, _), (_, .desktop): web.desktop
            default: nil
            }
        return page ?? web.default
    }

    /// Returns the filled URL if it is a valid link and an allowed destination; else nil.
    private func fill(
        _ url: inout [UInt8],
        _ template: URLTemplate,
        _ forward: Forwarding,
        isOwn: Bool
    ) -> String? {
        guard router.allows(scheme: template.scheme, host: template.host) else { return nil }
        url.removeAll(keepingCapacity: true)
        let filled = template.append(to: &url, filledWith: parameters)
        guard filled != .incomplete else { return nil }
        if hasSomethingToForward { appendForwarded(to: &url, forward, isOwn: isOwn, behind: template) }
        guard url.count <= DeepLink.maximumLength else { return nil }
        if filled == .unread {
            guard let link = try? DeepLink.parse(url), template.wrote(link) else { return nil }
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// Returns the URL if it is a valid link and an allowed destination; else nil.
    private func checked(_ url: [UInt8]) -> String? {
        guard let link = try? DeepLink.parse(url), router.identity.destinations.allows(link) else { return nil }
        return String(decoding: url, as: UTF8.self)
    }

    // MARK: Forwarding

    private var hasSomethingToForward: Bool { !link.query.isEmpty || link.rawFragment != nil }

    private func appendForwarded(
        to url: inout [UInt8],
        _ forward: Forwarding,
        isOwn: Bool,
        behind template: URLTemplate
    ) {
        guard template.hasFragment, let mark = url.firstIndex(of: UInt8(ascii: "#")) else {
            return appendForwarded(
                to: &url,
                forward,
                isOwn: isOwn,
                besides: template.queryNames,
                hasQuery: template.hasQuery
            )
        }
        let fragment = Array(url[mark...])
        url.removeSubrange(mark...)
        appendItems(to: &url, forward, isOwn: isOwn, besides: template.queryNames, hasQuery: template.hasQuery)
        url.append(contentsOf: fragment)
    }

    /// Appends the forwarded items of the link's query, and the fragment, with their bytes and order unchanged.
    private func appendForwarded(
        to url: inout [UInt8],
        _ forward: Forwarding,
        isOwn: Bool,
        besides own: Set<String> = [],
        hasQuery: Bool = false
    ) {
        guard hasSomethingToForward else { return }
        appendItems(to: &url, forward, isOwn: isOwn, besides: own, hasQuery: hasQuery)
        guard case .all = forward, isOwn, let fragment = link.rawFragment else { return }
        url.append(UInt8(ascii: "#"))
        url.append(contentsOf: link.bytes[fragment])
    }

    private func appendItems(
        to url: inout [UInt8],
        _ forward: Forwarding,
        isOwn: Bool,
        besides own: Set<String>,
        hasQuery: Bool
    ) {
        let names: [String]?
        switch forward {
        case .none: return
        case .all:
            guard isOwn else { return }
            names = nil
        case .names(let list): names = list
        }
        var mark = hasQuery ? UInt8(ascii: "&") : UInt8(ascii: "?")
        for item in link.query {
            if names != nil || !own.isEmpty {
                let name = link.name(of: item, plus: router.defaults.plusSign)
                if let name, own.contains(where: name.isExactly) { continue }
                if let names { guard let name, names.contains(where: name.isExactly) else { continue } }
            }
            url.append(mark)
            url.append(contentsOf: link.bytes[item.raw])
            mark = UInt8(ascii: "&")
        }
    }

    // MARK: Store

    private func storeURL(_ target: RouteTarget, _ url: inout [UInt8]) -> String? {
        guard let app, let page = router.storePages[app] else { return nil }
        return page.url(storeCampaign(target), &url)
    }

    /// Returns the link's own `utm_…` items, whatever is forwarded to pages and apps, and the route's campaign where it has
    /// none. Of several items of one name, the first counts.
    private func storeCampaign(_ target: RouteTarget) -> StoreCampaign {
        var campaign = StoreCampaign()
        for item in link.query where item.rawName.count >= StoreCampaign.Item.term.rawValue.utf8.count {
            let plus = router.defaults.plusSign
            guard let kind = StoreCampaign.Item.allCases.first(where: { link.isName(of: item, $0.rawValue, plus) }),
                campaign[kind] == nil,
                let value = link.value(of: item, plus: plus), !value.isEmpty
            else { continue }
            campaign[kind] = value
        }
        campaign[.campaign] = campaign[.campaign] ?? target.store?.campaign ?? self.campaign(of: target)
        return campaign
    }
}

extension DestinationPolicy {
    /// Whether a link may lead to `destination`.
    public func allows(_ destination: DeepLink) -> Bool {
        allows(scheme: destination.scheme, host: destination.host)
    }

    /// Whether a link with this scheme and host may be a destination. The host is nil unless the scheme is `http` or
    /// `https`.
    func allows(scheme: String, host: String?) -> Bool {
        guard let host else { return schemes.contains(scheme) && !Self.forbiddenSchemes.contains(scheme) }
        guard scheme == "https" || allowsPlainHTTP else { return false }
        return allows(host: host)
    }
}
