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
        let application = root.children.first { $0.name == "application" }
        let activities = root.descendants(named: "activity") + root.descendants(named: "activity-alias")
        filters = activities.flatMap { activity in
            activity.children.filter { $0.name == "intent-filter" }.map {
                IntentFilter($0, of: activity, in: application)
            }
        }
        .sorted { $0.line < $1.line }
        .filter { !$0.schemes.isEmpty }
    }

    static func isWeb(_ scheme: String) -> Bool { ["http", "https"].contains(scheme) }
}
