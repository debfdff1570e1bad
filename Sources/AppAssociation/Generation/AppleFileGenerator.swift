public import LinkRouting

/// The `apple-app-site-association` file of one host, made from the tenant's apps and route table.
///
/// The file never refuses a URL that a route of the table opens in the app; it may open more, because iOS knows neither
/// types nor conditions. A URL with doubled slashes is the exception: iOS judges it as if they were single. Links that
/// only the fallback opens are in the file when it says `association: open`. Format: iOS 13 and later (`details`,
/// `appIDs`, `components`).
public enum AppleFileGenerator {
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
        var seen: Set<Component> = []
        // The file of `*.x` is read from `x`, for all hosts below it.
        let isParent = router.identity.domains.contains { $0.coversSubdomains && $0.host == host }
        for route in router.routesInOrder where route.mayHold(on: host) || isParent && route.mayHold(below: host) {
            guard let component = component(of: route), seen.insert(component).inserted else { continue }
            components.append(component)
            if component.path == "/*", !component.isExcluded { return components }
        }
        if router.table.defaults.fallback?.association == .open { components.append(Component(path: "/*")) }
        return components
    }

    private static func component(of route: Route) -> Component? {
        if route.opensApp { return Component(path: route.path.glob, foldsCase: route.letterCase == .ignored) }
        guard route.isUnconditional, let glob = route.path.exactGlob, glob != "/*" else { return nil }
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
        // The file of `*.x` also stands on `x`.
        let owners = [identity.domain(for: host), identity.domains.first { $0.coversSubdomains && $0.host == host }]
        return owners.contains { owner in
            owner.map { domains.contains($0.coversSubdomains ? "*.\($0.host)" : $0.host) } ?? false
        }
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
            && unsupported.isEmpty
    }

    fileprivate func mayHold(on host: String) -> Bool {
        switch self.host {
        case nil: true
        case .exact(let exact): exact.ascii == host
        case .label(_, let suffix): host.hasSuffix("." + suffix.ascii)
        }
    }

    fileprivate func mayHold(below parent: String) -> Bool {
        switch host {
        case nil: true
        case .exact(let exact): exact.ascii.hasSuffix("." + parent)
        case .label(_, let suffix): suffix.ascii == parent || suffix.ascii.hasSuffix("." + parent)
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

    /// As `glob`, for a pattern that says exactly which paths it takes: a `*` crosses slashes, so only literals, and a rest
    /// behind them, mean the same to iOS. Compared with a URL as it is written, hence percent-encoded; nil otherwise.
    var exactGlob: String? {
        guard !segments.isEmpty else { return "/" }
        var glob = ""
        for segment in segments {
            switch segment {
            case .literal(let literal):
                guard let encoded = Self.percentEncoded(literal) else { return nil }
                glob += "/" + encoded
            case .rest: glob += "/*"
            case .parameter, .any, .mixed: return nil
            }
        }
        return glob
    }

    /// What is special in a pattern, or only to some systems, is written `?`.
    private static func escaped(_ literal: [UInt8]) -> String {
        let special = Set("*?$\\".utf8)
        return String(decoding: literal.map { special.contains($0) ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }

    /// Nil where a byte that is special in a pattern may also stand unescaped in a URL.
    private static func percentEncoded(_ literal: [UInt8]) -> String? {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in literal {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.append(byte)
            case UInt8(ascii: "*"), UInt8(ascii: "$"):
                return nil
            case _ where "-._~!&'()+,;=:@".utf8.contains(byte):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
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
