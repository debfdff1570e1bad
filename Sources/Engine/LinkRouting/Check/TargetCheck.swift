/// Finds problems of the destination of a route or fallback.
struct TargetCheck {
    var path: String
    let route: RouteID?
    /// The parameters that the templates may use.
    let known: Set<String>
    let identity: Identity

    func run(_ target: RouteTarget, _ findings: inout FindingList) {
        checkBraces(of: target, &findings)
        checkCampaign(of: target, &findings)
        if let uri = target.open?.uri { checkDestination(uri, "open.uri", &findings) }
        for page in target.web?.all ?? [] { checkDestination(page, "web", &findings) }
        check(Self.templates(of: target), &findings)
    }

    func run(_ preview: PreviewTemplates, _ findings: inout FindingList) {
        if let image = preview.image { checkDestination(image, "preview.image", &findings) }
        check(preview.all, &findings)
    }

    private func check(_ templates: [(key: String, template: Template)], _ findings: inout FindingList) {
        var reported: Set<String> = []
        for (key, template) in templates {
            for name in template.parameterNames where !known.contains(name) && reported.insert(name).inserted {
                add(
                    .unknownParameter,
                    at: key,
                    "A template uses '{\(name)}', which is not captured here.",
                    known.isEmpty
                        ? "Nothing is captured here; write the value itself."
                        : "Use one of the captured parameters: \(known.sorted().listed(first: 20)).",
                    &findings
                )
            }
            guard let foreign = ForeignPlaceholder.first(in: template.description, of: known) else { continue }
            add(
                .foreignSyntax,
                .warning,
                at: key,
                foreign.text.hasSuffix("}")
                    ? "The '\(foreign.text.prefix(1))' of '\(foreign.text)' is literal text here."
                    : "'\(foreign.text)' is literal text here, no parameter.",
                advice(on: foreign),
                &findings
            )
        }
    }

    private func advice(on foreign: ForeignPlaceholder) -> String {
        if let name = foreign.name ?? (known.count == 1 ? known.first : nil) { return "Write {\(name)}." }
        guard !known.isEmpty else { return "Nothing is captured here; write the value itself." }
        return "Write one of the captured parameters: \(known.sorted().map { "{\($0)}" }.listed(first: 20))."
    }

    /// The templates of a target, with the keys of their members.
    private static func templates(of target: RouteTarget) -> [(key: String, template: Template)] {
        var templates: [(key: String, template: Template)] = []
        func add(_ arguments: [Open.Argument], at key: String) {
            for argument in arguments {
                guard case .template(let template) = argument.value else { continue }
                templates.append(("\(key).arguments.\(argument.name)", template))
            }
        }
        if let campaign = target.campaign { templates.append(("campaign", campaign)) }
        if let open = target.open {
            add(open.arguments, at: "open")
            for (index, screen) in open.stack.enumerated() { add(screen.arguments, at: "open.stack[\(index)]") }
            if let uri = open.uri { templates.append(("open.uri", uri.template)) }
        }
        for page in target.web?.all ?? [] { templates.append(("web", page.template)) }
        return templates
    }

    /// Reports a campaign of which the App Store gets only the beginning.
    private func checkCampaign(of target: RouteTarget, _ findings: inout FindingList) {
        guard let store = target.store, identity.apps.contains(where: { $0.stores.contains { $0.kind == .appStore } })
        else {
            return
        }
        let fixed =
            store.campaign
            ?? target.campaign?.parts.reduce("") { text, part in
                if case .literal(let literal) = part { text + literal } else { text }
            }
        let longest = StorePage.longestAppStoreCampaign
        guard let count = fixed?.unicodeScalars.count, count > longest else { return }
        add(
            .unlikelyValue,
            .warning,
            at: store.campaign == nil ? "campaign" : "store.campaign",
            "The campaign has \(count) characters, of which the App Store gets the first \(longest).",
            "Shorten it to \(longest) characters.",
            &findings
        )
    }

    private func checkDestination(_ url: URLTemplate, _ key: String, _ findings: inout FindingList) {
        guard !DestinationPolicy.forbiddenSchemes.contains(url.scheme) else {
            add(
                .destinationNotAllowed,
                at: key,
                "'\(url.scheme):' is never allowed as a destination, whatever the settings say.",
                "Use https://… or one of the tenant's own schemes.",
                &findings
            )
            return
        }
        guard let host = url.host else {
            guard !identity.destinations.schemes.contains(url.scheme) else { return }
            add(
                .destinationNotAllowed,
                at: key,
                "The settings do not allow destinations with the scheme '\(url.scheme):'.",
                "Add the scheme to settings.destinations.schemes, or use one of the tenant's own.",
                &findings
            )
            return
        }
        guard url.scheme == "https" || identity.destinations.allowsPlainHTTP else {
            add(
                .destinationNotAllowed,
                at: key,
                "The destination uses 'http', which is not encrypted.",
                "Write https://….",
                &findings
            )
            return
        }
        guard identity.destinations.allows(host: host) else {
            add(
                .destinationNotAllowed,
                at: key,
                "The settings do not allow destinations on the host '\(host)'.",
                advice(onHost: host),
                &findings
            )
            return
        }
        if key == "web", identity.domain(for: host)?.serves == .links {
            add(
                .webLoop,
                at: key,
                "'\(host)' serves links, so the page would itself be a link and redirect again.",
                "Use the host of the website instead.",
                &findings
            )
        }
    }

    /// The maximum number of allowed hosts that are compared with a host. Many routes may name a wrong one.
    private static let mostHosts = 50

    /// The advice for a host that the settings do not allow.
    private func advice(onHost host: String) -> String {
        let policy = identity.destinations
        let known = policy.hosts.prefix(Self.mostHosts).compactMap {
            if case .exact(let host) = $0 { host.ascii } else { nil }
        }
        let near = host.nearest(among: known).map { "Did you mean '\($0)'? If not, add" } ?? "Add"
        let isDefault = policy.hosts == DestinationPolicy(ownOf: identity.domains, identity.schemes).hosts
        return "\(near) the host to settings.destinations.hosts."
            + (isDefault ? " That list replaces the default, which is the tenant's own domains: name these too." : "")
    }

    func add(
        _ code: Finding.Code,
        _ severity: Finding.Severity = .error,
        at key: String?,
        _ message: @autoclosure () -> String,
        _ fix: @autoclosure () -> String,
        _ findings: inout FindingList
    ) {
        findings.add(code) {
            let place = key.map { "\(path).\($0)" } ?? path
            return Finding(code, severity, path: place, route: route, message: message(), fix: fix())
        }
    }
}
