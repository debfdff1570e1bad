public import LinkRouting

/// The `apple-app-site-association` file of one host, made from the tenant's apps and route table.
///
/// The file never refuses a URL that the table opens in the app; it may open more, because iOS knows neither types nor
/// conditions. Format: iOS 13 and later (`details`, `appIDs`, `components`).
public enum AppleAppSiteAssociation {
    /// iOS reads no more than this many bytes, uncompressed.
    public static let maximumBytes = 131_072

    /// The file's JSON for `host`, in look-up form; without apps for the host it names none.
    public static func file(for host: String, router: Router) -> [UInt8] {
        let apps = router.identity.apps.filter {
            $0.environment == router.environment && $0.serves(host, of: router.identity)
        }
        let ids = apps.filter { $0.kind == .app }.compactMap(\.applicationIdentifier)
        let clips = apps.filter { $0.kind == .clip }.compactMap(\.applicationIdentifier)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("applinks")
        writer.beginObject()
        writer.key("details")
        writer.beginArray()
        if !ids.isEmpty {
            writer.beginObject()
            writer.strings("appIDs", ids)
            writer.key("components")
            writer.beginArray()
            for component in components(for: host, router) { component.write(to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        for (service, apps) in [("webcredentials", ids), ("appclips", clips)] where !apps.isEmpty {
            writer.key(service)
            writer.beginObject()
            writer.strings("apps", apps)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// One rule of the file.
    struct Component: Hashable {
        var path: String
        var isExcluded = false
        var foldsCase = false

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("/", path)
            if isExcluded { writer.member("exclude", true) }
            if foldsCase { writer.member("caseSensitive", false) }
            // The table decodes a path before it compares; an exclusion stays as narrow as it is written.
            if !isExcluded { writer.member("percentEncoded", false) }
            writer.endObject()
        }
    }

    /// The rules in the written order; nothing stands behind a rule that takes every path.
    static func components(for host: String, _ router: Router) -> [Component] {
        var components: [Component] = []
        for route in router.routesInOrder where route.mayHold(on: host) {
            guard let component = component(of: route), !components.contains(component) else { continue }
            components.append(component)
            if component.path == "/*", !component.isExcluded { return components }
        }
        if router.table.defaults.fallback?.association == .open { components.append(Component(path: "/*")) }
        return components
    }

    private static func component(of route: Route) -> Component? {
        let glob = route.path.glob
        if route.opensApp { return Component(path: glob, foldsCase: route.letterCase == .ignored) }
        // A `*` crosses slashes, so an exclusion is sure to refuse nothing else only where the route takes the whole subtree
        // or is all literal, and whatever the caller is.
        let literals = route.path.segments.filter { if case .literal = $0 { true } else { false } }
        let isWhole =
            if case .rest? = route.path.segments.last { literals.count == route.path.segments.count - 1 } else {
                literals.count == route.path.segments.count
            }
        guard isWhole, !literals.isEmpty, route.isUnconditional, !glob.contains("?") else { return nil }
        return Component(path: glob, isExcluded: true)
    }
}

extension App {
    /// Prefix and bundle ID, as association files name an iOS app.
    var applicationIdentifier: String? {
        guard case .ios(let teamID, let bundleID) = product else { return nil }
        return "\(teamID).\(bundleID)"
    }

    func serves(_ host: String, of identity: Identity) -> Bool {
        guard let domains else { return true }
        guard let domain = identity.domain(for: host) ?? identity.domains.first(where: { $0.host == host }) else {
            return false
        }
        return domains.contains(domain.coversSubdomains ? "*.\(domain.host)" : domain.host)
    }
}

extension Route {
    /// Whether the route ever opens the app.
    fileprivate var opensApp: Bool {
        guard case .answer(let target) = behaviour else { return false }
        return target.open != nil || experiment?.variants.contains { $0.target.open != nil } == true
    }

    fileprivate var isUnconditional: Bool {
        host == nil && query.isEmpty && fragment == nil && when == nil && trailingSlash == .ignored
    }

    fileprivate func mayHold(on host: String) -> Bool {
        switch self.host {
        case nil: true
        case .exact(let exact): exact.ascii == host
        // The file of `*.x` is one for all of its hosts, and also stands on `x`.
        case .label(_, let suffix): host.hasSuffix("." + suffix.ascii) || host == suffix.ascii
        }
    }
}

extension Pattern {
    /// The pattern in the language of association files: `?*` for a parameter, `*` for the rest. What is special there
    /// is written `?`, which takes any one character.
    var glob: String {
        guard !segments.isEmpty else { return "/" }
        return segments.map { segment in
            switch segment {
            case .literal(let literal): "/" + Self.escaped(literal)
            case .parameter, .any: "/?*"
            case .rest: "/*"
            case .mixed(let mixed):
                "/" + Self.escaped(mixed.prefix) + mixed.pieces.map { "?*" + Self.escaped($0.literal) }.joined()
            }
        }.joined()
    }

    private static func escaped(_ literal: [UInt8]) -> String {
        String(
            String(decoding: literal, as: UTF8.self).map { "*?$".contains($0) ? "?" : $0 }
        )
    }
}

extension JSONWriter {
    mutating func strings(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
