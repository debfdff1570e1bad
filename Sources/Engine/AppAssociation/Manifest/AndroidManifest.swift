/// The intent filters for links of an app's `AndroidManifest.xml`. Before Android 15, they alone decide which links of a
/// verified host open the app; later, dynamic rules can only narrow them.
///
/// Source: `android.content.IntentFilter` and the `data` element of the manifest.
public struct AndroidManifest: Sendable {
    /// The `package` attribute; nil if the build sets it.
    public let package: String?
    public let filters: [IntentFilter]

    /// Why a text is not a manifest.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        public let line: Int
        public let problem: String

        public var description: String { "line \(line): \(problem)" }
    }

    /// An `intent-filter` element that has a `data` element.
    public struct IntentFilter: Sendable {
        /// The name of the activity; nil if it has none.
        public let activity: String?
        /// The line of the element.
        public let line: Int
        public let isAutoVerified: Bool
        /// Whether the filter has the action `VIEW` and the categories `DEFAULT` and `BROWSABLE`.
        public let isForLinks: Bool
        let schemes: [String]
        let hosts: [Host]
        let paths: [PlatformPattern]
        /// Values that the build replaces, such as `${host}` and `@string/host`.
        let placeholders: [String]

        struct Host: Hashable {
            /// The host in lower case; a `*` at the beginning is any prefix.
            let name: String
            let port: String?
        }
    }

    /// Parses the XML source of a manifest, of at most 4 MiB.
    /// - Throws: ``SyntaxError`` if the text is not XML or has no `manifest` element.
    public init(parsing bytes: [UInt8]) throws(SyntaxError) {
        let root = try XMLElementReader.parse(bytes)
        guard root.name == "manifest" else {
            let advice =
                root.name == "intent-filter"
                ? " That is the part that 'fingerpost association manifest' prints; name the whole AndroidManifest.xml."
                : ""
            throw SyntaxError(line: root.line, problem: "The element is '\(root.name)', not 'manifest'.\(advice)")
        }
        package = root.attributes["package"]
        let activities = root.descendants(named: "activity") + root.descendants(named: "activity-alias")
        filters = activities.flatMap { activity in
            activity.children.filter { $0.name == "intent-filter" }.map { IntentFilter($0, of: activity) }
        }
        .sorted { $0.line < $1.line }
        .filter { !$0.schemes.isEmpty }
    }
}

extension AndroidManifest.IntentFilter {
    fileprivate init(_ element: XMLElement, of activity: XMLElement) {
        func names(_ kind: String) -> Set<String> {
            Set(element.children.filter { $0.name == kind }.compactMap { $0.attributes["name"] })
        }
        self.activity = activity.attributes["name"]
        line = element.line
        isAutoVerified = element.attributes["autoVerify"] == "true"
        isForLinks =
            names("action").contains("android.intent.action.VIEW")
            && names("category").isSuperset(of: [
                "android.intent.category.DEFAULT", "android.intent.category.BROWSABLE",
            ])
        let data = element.children.filter { $0.name == "data" }.map(\.attributes)
        schemes = data.compactMap { $0["scheme"] }
        hosts = data.compactMap { data in
            data["host"].map { Host(name: $0.lowercased(), port: data["port"]) }
        }
        paths = data.flatMap { data in
            let kinds: [(String, (String) -> PlatformPattern)] = [
                ("path", PlatformPattern.literal), ("pathPrefix", PlatformPattern.prefix),
                ("pathPattern", PlatformPattern.simple), ("pathAdvancedPattern", PlatformPattern.advanced),
                ("pathSuffix", PlatformPattern.suffix),
            ]
            return kinds.compactMap { name, kind in data[name].map { kind(Self.asResource($0)) } }
        }
        placeholders = data.flatMap(\.values).filter { $0.contains("${") || $0.hasPrefix("@") }.sorted()
    }

    /// Returns the text as the build tools read it: they remove one level of backslashes.
    private static func asResource(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() { result.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar) }
        return String(result)
    }

    func takesHost(_ host: String, port: String?) -> Bool {
        hosts.contains { one in
            guard one.port == nil || one.port == port else { return false }
            return one.name.hasPrefix("*") ? host.hasSuffix(one.name.dropFirst()) : host == one.name
        }
    }
}
