public import LinkRouting

/// An `assetlinks.json` file of any author: a list of Digital Asset Links statements.
///
/// A statement that cannot be read does not void the others. A root that is not a list is not an error: it has no
/// statements. Every node stays reachable, with its position and its RFC 6901 JSON pointer. Sources:
/// google/digitalassetlinks, `well-known/details.md` and its compatibility tests; developer.android.com, "Configure
/// website associations".
public struct AssetLinks: Sendable, Hashable {
    private static let limits = JSONReader.Limits(maximumBytes: 16 << 20, maximumDepth: 64)

    /// The whole file, including unknown and duplicate keys. The last value of a duplicate key counts.
    public let root: JSONNode
    /// The statements in the file's order; empty if the root is not a list.
    public let statements: [Statement]

    /// Parses a file of at most 16 MiB and 64 levels of nesting, without a byte order mark.
    /// - Throws: `JSONSyntaxError` if the bytes are not JSON or exceed a limit.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        self.init(root: try JSONReader.parse(bytes, limits: Self.limits, duplicateKeys: .keep))
    }

    /// Creates the file whose JSON is `root`.
    public init(root: JSONNode) {
        self.root = root
        statements = (root.elements ?? []).enumerated().map { Statement($1, index: $0) }
    }
}

extension AssetLinks {
    /// One element of the list.
    public struct Statement: Sendable, Hashable {
        public let index: Int
        public let pointer: String
        public let node: JSONNode
        /// The statement as Google's verifier reads it. The verifier ignores a malformed statement.
        public let content: Result<Content, Malformation>

        public enum Content: Sendable, Hashable {
            /// Each relation holds for each target. Each fingerprint of a list is a target of its own.
            case relations([StatementRelation], to: [StatementAsset])
            /// The file at this URL has more statements.
            case include(url: String)
        }

        /// Why the verifier ignores a statement.
        public struct Malformation: Error, Sendable, Hashable {
            /// The pointer of the invalid value, or of the object that lacks a value.
            public let pointer: String
            public let position: JSONNode.Position
            public let field: Field
            /// The problem, such as `the statement is not an object`.
            public let problem: String
            /// The invalid text, if the value is a string.
            let text: String?

            /// The message of Google's verifier.
            public var message: String { "Could not parse statement list: \(problem)." }

            public enum Field: String, Sendable, CaseIterable {
                case statement, include, relation, target, namespace, site, package, fingerprints, fingerprint
            }
        }

        init(_ node: JSONNode, index: Int) {
            self.index = index
            self.node = node
            pointer = "/\(index)"
            content = StatementParser(pointer: pointer).content(node)
        }
    }
}

extension AssetLinks.Statement {
    /// The relations as written, even if the statement is malformed elsewhere. Values that are not strings are left
    /// out.
    public var relationTexts: [String] { node["relation"]?.texts ?? [] }

    /// Whether Google's verifier ignores the whole statement. If only some of its fingerprints are malformed, the others
    /// are assumed to count, as in Android's own verifier.
    public var isDropped: Bool {
        guard case .failure(let malformation) = content else { return false }
        guard malformation.field == .fingerprint else { return true }
        let fingerprints = node["target"]?["sha256_cert_fingerprints"]?.texts ?? []
        return !fingerprints.contains { CertificateFingerprint($0) != nil }
    }

    /// The package of a statement about an app, even if the statement is malformed elsewhere; nil for other statements.
    public var packageName: String? {
        guard let target = node["target"], target["namespace"]?.text == "android_app" else { return nil }
        return target["package_name"]?.text
    }
}

extension AssetLinks {
    private static let ownWords = ["\"delegate_permission/", "\"android_app\"", "\"sha256_cert_fingerprints\""]
    private static let appleWords = ["\"applinks\"", "\"webcredentials\"", "\"appclips\"", "\"activitycontinuation\""]

    /// Returns whether bytes of an unknown name are rather this file than `apple-app-site-association`: by the words of
    /// one of them, else if they begin with a list. The bytes need not be JSON.
    public static func isLikely(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !appleWords.contains(where: text.containsBytes) else { return false }
        let first = text.unicodeScalars.first { !" \n\r\t\u{FEFF}".unicodeScalars.contains($0) }
        return first == "[" || ownWords.contains(where: text.containsBytes)
    }
}
