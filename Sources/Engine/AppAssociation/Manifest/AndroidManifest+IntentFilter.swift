extension AndroidManifest {
    /// An `intent-filter` element that has a `data` element with a scheme.
    public struct IntentFilter: Sendable {
        /// The name of the activity; nil if it has none.
        public let activity: String?
        /// The line of the element.
        public let line: Int
        public let isAutoVerified: Bool
        /// Whether the filter has the action `VIEW` and the categories `DEFAULT` and `BROWSABLE`.
        public let isForLinks: Bool
        /// Why no link reaches the activity by the filter, such as `exported="false"`; empty if links do.
        let obstacles: [String]
        let schemes: [String]
        /// The patterns for the text between the scheme and the fragment. One of them accepts a link without its host.
        let schemeSpecificParts: [PlatformPattern]
        let hosts: [Host]
        let paths: [PlatformPattern]
        let groups: [URIRelativeGroup]
        /// Values that the build replaces, such as `${host}` and `@string/host`.
        let placeholders: [String]

        struct Host: Hashable {
            /// The host in lower case; a `*` at the beginning is any prefix.
            let name: String
            let port: String?

            func takes(_ host: String) -> Bool {
                name.hasPrefix("*") ? host.hasSuffix(name.dropFirst()) : host == name
            }

            /// Whether Android asks a host for its file: not for `*` or `*acme.com`.
            var isVerifiable: Bool {
                let domain = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
                return !domain.contains("*") && domain.contains(".")
            }
        }

        /// Android verifies the hosts of a filter only if all of its schemes are those of the web.
        ///
        /// Source: `IntentFilter.needsVerification`.
        var needsVerification: Bool { isAutoVerified && isForLinks && schemes.allSatisfy(AndroidManifest.isWeb) }
    }

    /// An element `uri-relative-filter-group`, which Android 15 and later read.
    struct URIRelativeGroup: Sendable {
        let allows: Bool
        let paths: [PlatformPattern]
        let query: [PlatformPattern]
        let fragments: [PlatformPattern]

        /// Whether all patterns match; false without patterns.
        func matches(_ url: IntentURL) -> Bool {
            guard !paths.isEmpty || !query.isEmpty || !fragments.isEmpty else { return false }
            func takes(_ pattern: PlatformPattern, _ text: String?) -> Bool {
                text.map { pattern.matches($0) == true } ?? false
            }
            return paths.allSatisfy { takes($0, url.path) } && fragments.allSatisfy { takes($0, url.fragment) }
                && query.allSatisfy { pattern in (url.pairs ?? []).contains { pattern.matches($0) == true } }
        }
    }
}

extension AndroidManifest.IntentFilter {
    init(_ element: XMLElement, of activity: XMLElement, in application: XMLElement?) {
        func names(_ kind: String) -> Set<String> {
            Set(element.children.filter { $0.name == kind }.compactMap { $0.attributes["name"] })
        }
        self.activity = activity.attributes["name"]
        line = element.line
        isAutoVerified = element.boolean("autoVerify") == true
        isForLinks =
            names("action").contains("android.intent.action.VIEW")
            && names("category").isSuperset(of: [
                "android.intent.category.DEFAULT", "android.intent.category.BROWSABLE",
            ])
        let data = element.children.filter { $0.name == "data" }.map(\.attributes)
        schemes = data.compactMap { $0["scheme"] }
        schemeSpecificParts = data.flatMap { PlatformPattern.patterns("ssp", in: $0) }
        hosts = data.compactMap { data in
            data["host"].map { Host(name: $0.lowercased(), port: data["port"]) }
        }
        paths = data.flatMap { PlatformPattern.patterns("path", in: $0) }
        let groups = element.children.filter { $0.name == "uri-relative-filter-group" }
        self.groups = groups.map(AndroidManifest.URIRelativeGroup.init)
        obstacles = Self.obstacles(of: activity, in: application, data)
        placeholders = (data + groups.flatMap(\.children).map(\.attributes)).flatMap(\.values)
            .filter { $0.contains("${") || $0.hasPrefix("@") }.sorted()
    }

    private static func obstacles(
        of activity: XMLElement,
        in application: XMLElement?,
        _ data: [[String: String]]
    ) -> [String] {
        var obstacles: [String] = []
        if activity.boolean("exported") == false {
            obstacles.append("the \(activity.name) has exported=\"false\", so that no other app can start it")
        }
        for element in [activity, application] where element?.boolean("enabled") == false {
            obstacles.append("the \(element?.name ?? "") has enabled=\"false\"")
        }
        if let type = data.lazy.compactMap({ $0["mimeType"] }).first {
            obstacles.append("the filter wants the MIME type '\(type.excerpt)', and a link has none")
        }
        return obstacles
    }

    func takesHost(_ host: String?, port: String?) -> Bool {
        guard let host else { return false }
        return hosts.contains { ($0.port == nil || $0.port == port) && $0.takes(host) }
    }
}

extension AndroidManifest.URIRelativeGroup {
    fileprivate init(_ element: XMLElement) {
        let data = element.children.filter { $0.name == "data" }.map(\.attributes)
        allows = element.boolean("allow") != false
        paths = data.flatMap { PlatformPattern.patterns("path", in: $0) }
        query = data.flatMap { PlatformPattern.patterns("query", in: $0) }
        fragments = data.flatMap { PlatformPattern.patterns("fragment", in: $0) }
    }
}

extension XMLElement {
    /// The value of an attribute that is `true` or `false`; nil without one, or if the build replaces it.
    fileprivate func boolean(_ name: String) -> Bool? { attributes[name].flatMap { Bool($0.lowercased()) } }
}

extension PlatformPattern {
    /// Returns the patterns of a `data` element for a part of the URL, such as `path`, `pathPrefix` and `pathSuffix`.
    fileprivate static func patterns(_ part: String, in data: [String: String]) -> [PlatformPattern] {
        let kinds: [(String, (String) -> PlatformPattern)] = [
            ("", literal), ("Prefix", prefix), ("Pattern", simple), ("AdvancedPattern", advanced), ("Suffix", suffix),
        ]
        return kinds.compactMap { ending, kind in data[part + ending].map { kind(asResource($0)) } }
    }

    /// Returns the text as the build tools read it: they remove one level of backslashes.
    private static func asResource(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() { result.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar) }
        return String(result)
    }
}
