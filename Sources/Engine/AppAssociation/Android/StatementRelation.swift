/// The relation of a statement's source to its target, as `kind/detail`. Relations are compared exactly.
public struct StatementRelation: Sendable, Hashable, CustomStringConvertible {
    /// The kind, such as `delegate_permission`, the only one in use.
    public let kind: String
    /// The detail, such as `common.handle_all_urls`.
    public let detail: String

    /// The app may open all of the site's links.
    public static let handleAllURLs = StatementRelation(kind: "delegate_permission", detail: "common.handle_all_urls")
    /// The app may use the site's saved passwords and passkeys.
    public static let getLoginCredentials = StatementRelation(
        kind: "delegate_permission",
        detail: "common.get_login_creds"
    )
    /// The app may show the site as its own (Trusted Web Activity).
    public static let useAsOrigin = StatementRelation(kind: "delegate_permission", detail: "common.use_as_origin")
    /// The site may ask Chrome whether its web app is installed; the target is the URL of the web app's manifest.
    public static let queryWebAPK = StatementRelation(kind: "delegate_permission", detail: "common.query_webapk")

    public enum Problem: Error, Sendable, Hashable {
        case form, kind, detail

        /// The message of Google's verifier.
        var message: String {
            switch self {
            case .form: "Invalid relation string; write kind/detail"
            case .kind: "Invalid 'kind' field in relation string; it may hold a-z, 0-9, '_' and '.'"
            case .detail: "Invalid 'detail' field in relation string; it may hold a-z, 0-9, '_' and '.'"
            }
        }
    }

    private static let characters = ByteSet.lower.union(.digits).union(ByteSet("_."))

    /// Parses `kind/detail`. Each part consists of a-z, 0-9, `_` and `.`.
    /// - Throws: ``Problem`` if the form or a part is invalid.
    public init(_ text: String) throws(Problem) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .form }
        guard Self.isWord(parts[0]) else { throw .kind }
        guard Self.isWord(parts[1]) else { throw .detail }
        self.init(kind: String(Substring(parts[0])), detail: String(Substring(parts[1])))
    }

    private init(kind: String, detail: String) {
        self.kind = kind
        self.detail = detail
    }

    private static func isWord(_ text: Substring.UTF8View) -> Bool {
        !text.isEmpty && text.allSatisfy(characters.contains)
    }

    public var description: String { "\(kind)/\(detail)" }
}
