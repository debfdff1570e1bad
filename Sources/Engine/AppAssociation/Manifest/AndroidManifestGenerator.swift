public import LinkRouting

/// Generates the intent filters of an Android app from the tenant's settings and route table.
///
/// Like the rules of `assetlinks.json`, the filters accept every link that the table opens in the app, and may accept
/// more: filters cannot test queries or fragments, and cannot exclude links.
public struct AndroidManifestGenerator: Sendable {
    public let router: Router
    public let app: RegisteredApp

    /// Creates a generator. `app` is an Android app of the tenant.
    public init(router: Router, app: RegisteredApp) {
        self.router = router
        self.app = app
    }

    /// Returns the `intent-filter` elements, to be put into an activity. There is one for each group of hosts with the
    /// same paths, and one for the custom schemes.
    public func filters() -> String {
        var groups: [(paths: [Path], hosts: [String])] = []
        for domain in router.identity.domains
        where domain.port == nil && app.isNamed(on: domain.host, of: router.identity) {
            let paths = paths(on: domain.host)
            guard !paths.isEmpty else { continue }
            let host = domain.coversSubdomains ? "*.\(domain.host)" : domain.host
            if let same = groups.firstIndex(where: { $0.paths == paths }) {
                if !groups[same].hosts.contains(host) { groups[same].hosts.append(host) }
            } else {
                groups.append((paths, [host]))
            }
        }
        var filters = groups.map { group in
            Self.filter(
                isVerified: true,
                data: ["http", "https"].map { ("scheme", $0) } + group.hosts.map { ("host", $0) }
                    + group.paths.filter { $0 != .everything }.map { ($0.attribute, $0.value) }
            )
        }
        if !router.identity.schemes.isEmpty {
            filters.append(Self.filter(isVerified: false, data: router.identity.schemes.map { ("scheme", $0.name) }))
        }
        return filters.joined(separator: "\n")
    }

    // MARK: Paths

    private struct Path: Hashable {
        let attribute: String
        let value: String

        static let everything = Path(attribute: "pathPrefix", value: "/")
    }

    private func paths(on host: String) -> [Path] {
        let routes = router.appRoutes(of: app, on: host)
        let plusSign = router.table.defaults.plusSign
        guard !routes.fallbackOpens else { return [.everything] }
        var paths: [Path] = []
        for entry in routes.entries where entry.opens {
            for rule in AndroidRules.openings(of: entry.route, plusSign) {
                // Browsers and Android's URI builder write the root with its slash.
                let path = rule.isRoot ? Path(attribute: "path", value: "/") : Self.path(rule.path)
                if !paths.contains(path) { paths.append(path) }
            }
        }
        guard !paths.contains(.everything) else { return [.everything] }
        let prefixes = paths.filter { $0.attribute == "pathPrefix" }
        return paths.filter { path in
            !prefixes.contains { $0 != path && path.attribute != "pathPattern" && path.value.hasPrefix($0.value) }
        }
    }

    /// Returns the attribute for a pattern of an opening rule, which has `*` at the end only.
    private static func path(_ glob: Glob) -> Path {
        let text = String(decoding: glob.literalPrefix, as: UTF8.self)
        if glob.pieces.count == glob.literalPrefix.count {
            return Path(attribute: "path", value: text.escapedForManifest)
        }
        if glob.pieces == Array(glob.pieces.prefix(glob.literalPrefix.count)) + [.many] {
            return text.isEmpty ? .everything : Path(attribute: "pathPrefix", value: text.escapedForManifest)
        }
        var pattern: [UInt8] = []
        for piece in glob.pieces {
            switch piece {
            case .byte(let byte):
                if ".*\\".utf8.contains(byte) { pattern.append(UInt8(ascii: "\\")) }
                pattern.append(byte)
            case .one: pattern.append(UInt8(ascii: "."))
            case .many: pattern += ".*".utf8
            case .character, .values, .never: preconditionFailure("Android's rules have no variables and no classes")
            }
        }
        return Path(attribute: "pathPattern", value: String(decoding: pattern, as: UTF8.self).escapedForManifest)
    }

    // MARK: Writing

    private static func filter(isVerified: Bool, data: [(name: String, value: String)]) -> String {
        var lines = [isVerified ? "<intent-filter android:autoVerify=\"true\">" : "<intent-filter>"]
        lines.append("    <action android:name=\"android.intent.action.VIEW\" />")
        for category in ["DEFAULT", "BROWSABLE"] {
            lines.append("    <category android:name=\"android.intent.category.\(category)\" />")
        }
        for (name, value) in data { lines.append("    <data android:\(name)=\"\(value.escapedForXML)\" />") }
        return (lines + ["</intent-filter>", ""]).joined(separator: "\n")
    }
}
