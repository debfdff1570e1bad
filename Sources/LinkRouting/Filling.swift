/// Makes the answer of one target for one link: the action, and the destination with its parameters filled in.
struct Filling {
    let router: Router
    let input: MatchInput
    let app: App?
    let parameters: [Resolution.Parameter]
    let isFallback: Bool

    private var identity: Identity { router.identity }
    private var link: Link { input.link }

    /// DESIGN §5: the first action that holds, then the further ones in the order in which to try them.
    func resolution(outcome: Outcome, _ target: Target) -> Resolution {
        let action = action(for: target)
        let store = target.store != nil || action == .updateApp ? storeURL(target) : nil
        var destination = ResolvedDestination(
            web: web(target),
            store: store,
            data: target.data,
            campaign: target.campaign.flatMap(text)
        )
        if let open = target.open {
            destination.screen = open.screen
            destination.arguments = arguments(open.arguments)
            destination.stack = open.stack.map { screen in
                let isTop = screen.name == open.screen && screen.arguments.isEmpty
                return ResolvedDestination.Screen(
                    name: screen.name,
                    arguments: isTop ? destination.arguments : arguments(screen.arguments)
                )
            }
            destination.uri = uri(open, target.forward)
        }
        if store != nil, action == .openApp { destination.fallbacks.append(.openStore) }
        if destination.web != nil, action != .openWeb { destination.fallbacks.append(.openWeb) }
        return Resolution(outcome: outcome, action: action, destination: destination, app: app?.id)
    }

    private func action(for target: Target) -> Action {
        guard target.open != nil, app != nil || input.context.platform == nil else { return .openWeb }
        guard input.context.installed else {
            return target.store != nil && storeURL(target) != nil ? .openStore : .openWeb
        }
        if let app, let minimum = target.minimumVersion?.minimum(for: app.id), isOlder(than: minimum) {
            return .updateApp
        }
        if target.signIn == .required, input.context.authenticated != true { return .signIn }
        return .openApp
    }

    /// Only a version that is known can be too old.
    private func isOlder(than minimum: MinimumVersion.Minimum) -> Bool {
        switch minimum {
        case .version(let version): input.context.appVersion.map { $0 < version } ?? false
        case .build(let build): input.context.appBuild.map { $0 < build } ?? false
        }
    }

    // MARK: Templates

    private func parameter(_ name: String) -> Resolution.Parameter? { parameters.first { $0.name == name } }

    /// Nil when a parameter that the template uses was not captured.
    private func text(_ template: Template) -> String? {
        var text = ""
        for part in template.parts {
            switch part {
            case .literal(let literal): text += literal
            case .parameter(let name):
                guard let parameter = parameter(name) else { return nil }
                text += parameter.text
            }
        }
        return text
    }

    private func arguments(_ arguments: [Open.Argument]) -> [ResolvedDestination.Argument] {
        arguments.compactMap { argument in
            switch argument.value {
            case .constant(let node):
                return ResolvedDestination.Argument(name: argument.name, value: .constant(node))
            case .template(let template):
                if let name = template.soleParameter {
                    guard let parameter = parameter(name) else { return nil }
                    return ResolvedDestination.Argument(name: argument.name, value: .parameter(parameter.value))
                }
                guard let text = text(template) else { return nil }
                return ResolvedDestination.Argument(name: argument.name, value: .parameter(.string(text)))
            }
        }
    }

    // MARK: URLs

    /// The app's URI: the route's own, else the link itself, else the link under the tenant's first scheme.
    private func uri(_ open: Open, _ forward: Forwarding) -> String? {
        if let template = open.uri {
            guard let url = template.filled(by: parameter) else { return nil }
            return checked(
                forwarding(forward, to: url, isOwn: owns(scheme: template.scheme), besides: template.queryNames),
                madeFrom: template
            )
        }
        guard link.isWeb else { return checked(link.text) }
        guard let scheme = identity.schemes.first else { return nil }
        var path = link.bytes[link.rawPath]
        if path.first == UInt8(ascii: "/") { path = path.dropFirst() }
        let first = path.prefix { $0 != UInt8(ascii: "/") }
        let canBeHost = first.allSatisfy(isPlain) && (path.isEmpty || !first.isEmpty)
        let slashes = canBeHost && !scheme.ignores(host: first) ? "://" : ":///"
        let url = scheme.name + slashes + String(decoding: path, as: UTF8.self)
        return checked(forwarding(forward, to: url, isOwn: true, besides: []))
    }

    private func web(_ target: Target) -> String? {
        if let web = target.web { return page(web, target.forward) }
        if !isFallback, let fallback = router.table.defaults.fallback, let web = fallback.web {
            return page(web, fallback.forward)
        }
        return ownPage
    }

    /// The link itself, in its canonical form, where the website lives on its host.
    private var ownPage: String? {
        guard let host = link.host, let domain = identity.domain(for: host, port: link.port),
            domain.serves == .association
        else { return nil }
        // Of a subdomain in Unicode the A-labels are not known; to find them is no work for a request.
        let name = domain.coversSubdomains ? host : domain.host
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let scheme = identity.destinations.allowsPlainHTTP ? link.scheme : "https"
        let port = link.port.map { ":\($0)" } ?? ""
        let rest = String(decoding: link.bytes[link.rawPath.lowerBound...], as: UTF8.self)
        return checked("\(scheme)://\(name)\(port)\(rest)")
    }

    private func page(_ web: WebTarget, _ forward: Forwarding) -> String? {
        guard let template = template(of: web), let url = template.filled(by: parameter) else { return nil }
        let isOwn = template.host.map { identity.domain(for: $0) != nil } ?? false
        return checked(
            forwarding(forward, to: url, isOwn: isOwn, besides: template.queryNames),
            madeFrom: template
        )
    }

    private func template(of web: WebTarget) -> URLTemplate? {
        let page: URLTemplate? =
            switch (input.context.platform, input.context.device) {
            case (.ios, .tablet): web.ipad ?? web.ios
            case (.ios, _): web.ios
            case (.android, _): web.android
            case (.macos, _), (.windows, _), (.linux, _), (_, .desktop): web.desktop
            default: nil
            }
        return page ?? web.default
    }

    private func owns(scheme: String) -> Bool { identity.schemes.contains { $0.name == scheme } }

    /// Appends the items of the link's query that travel on, and the fragment, with their bytes and order kept.
    private func forwarding(_ forward: Forwarding, to url: String, isOwn: Bool, besides own: Set<String>) -> String {
        guard !link.query.isEmpty || link.rawFragment != nil else { return url }
        func travels(_ item: Link.QueryItem) -> Bool {
            let name = link.name(of: item, plus: input.plusSign)
            if let name, own.contains(name) { return false }
            switch forward {
            case .all: return isOwn
            case .none: return false
            case .names(let names): return name.map(names.contains) ?? false
            }
        }
        let fragmentMark = url.utf8.firstIndex(of: UInt8(ascii: "#"))
        var bytes = Array(url[..<(fragmentMark ?? url.endIndex)].utf8)
        var mark = bytes.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
        for item in link.query where travels(item) {
            bytes.append(mark)
            bytes += link.bytes[item.raw]
            mark = UInt8(ascii: "&")
        }
        if let fragmentMark {
            bytes += Array(url[fragmentMark...].utf8)
        } else if forward == .all, isOwn, let fragment = link.rawFragment {
            bytes.append(UInt8(ascii: "#"))
            bytes += link.bytes[fragment]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The URL if it is a link that the settings allow as a destination; a filled template is checked like any link.
    private func checked(_ url: String, madeFrom template: URLTemplate? = nil) -> String? {
        guard let link = try? Link.parse(url), template?.wrote(link) ?? true else { return nil }
        return identity.destinations.allows(link) ? url : nil
    }

    private func storeURL(_ target: Target) -> String? {
        guard let app else { return nil }
        let campaign = target.store?.campaign ?? target.campaign.flatMap(text)
        return app.storeURL(campaign: campaign)
    }
}

extension DestinationPolicy {
    /// Whether a link may lead to `destination`.
    public func allows(_ destination: Link) -> Bool {
        guard !Self.forbiddenSchemes.contains(destination.scheme) else { return false }
        guard let host = destination.host else { return schemes.contains(destination.scheme) }
        guard destination.scheme == "https" || allowsPlainHTTP else { return false }
        return allows(host: host)
    }
}

extension App {
    /// The app's page in its store, with the campaign where the store takes one and a link has room for it; nil without a
    /// store ID.
    public func storeURL(campaign: String?) -> String? {
        var bytes: [UInt8]
        switch platform {
        case .ios:
            guard let store = stores.first(where: { $0.kind == .appStore }) else { return nil }
            bytes = Array("https://apps.apple.com/app/id\(store.id)".utf8)
            if let campaign {
                bytes += Array("?ct=".utf8)
                appendPercentEncoded(campaign.utf8, to: &bytes)
            }
        case .android:
            guard let store = stores.first(where: { $0.kind == .playStore }) else { return nil }
            bytes = Array("https://play.google.com/store/apps/details?id=\(store.id)".utf8)
            if let campaign {
                var referrer: [UInt8] = Array("utm_campaign=".utf8)
                appendPercentEncoded(campaign.utf8, to: &referrer)
                bytes += Array("&referrer=".utf8)
                appendPercentEncoded(referrer, to: &bytes)
            }
        case .macos, .windows, .linux, .other:
            return nil
        }
        guard bytes.count <= Link.maximumLength else { return storeURL(campaign: nil) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
