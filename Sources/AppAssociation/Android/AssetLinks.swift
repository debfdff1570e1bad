public import LinkRouting

/// Anybody's `assetlinks.json`: a list of Digital Asset Links statements.
///
/// One statement that cannot be read does not void the others, and a wrong root is no error: it holds no statement. Every
/// node stays reachable, with its place and its RFC 6901 JSON pointer. Sources: google/digitalassetlinks,
/// `well-known/details.md` and its compatibility tests; developer.android.com, "Configure website associations".
public struct AssetLinks: Sendable, Hashable {
    private static let limits = JSONReader.Limits(maximumBytes: 16 << 20, maximumDepth: 64)

    /// The whole file, unknown keys and duplicates included. Of a key that stands twice the last value counts.
    public let root: JSONNode
    /// In the file's order; none where the root is no list.
    public let statements: [Statement]

    /// Reads at most 16 MiB, nested 64 levels deep, without a byte order mark.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        self.init(root: try JSONReader.parse(bytes, limits: Self.limits, duplicateKeys: .keep))
    }

    /// The file whose JSON is `root`.
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
        /// What Google's verifier makes of it; what is malformed counts for nothing there.
        public let content: Result<Content, Malformation>

        public enum Content: Sendable, Hashable {
            /// Each relation holds for each target; a list of fingerprints is one target for each.
            case relations([StatementRelation], to: [StatementAsset])
            /// More statements stand in the file at this URL.
            case include(url: String)
        }

        /// Why a statement counts for nothing.
        public struct Malformation: Error, Sendable, Hashable {
            /// Of the value that is wrong, or of what lacks one.
            public let pointer: String
            public let position: JSONNode.Position
            public let field: Field
            /// What is wrong, such as `the statement is not an object`.
            public let problem: String

            /// In the words of Google's verifier.
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
    /// The relations as written, also of a statement that is malformed elsewhere; what is no string is left out.
    public var relationTexts: [String] { node["relation"]?.texts ?? [] }

    /// The package of a statement about an app, also of one that is malformed elsewhere.
    public var packageName: String? {
        guard let target = node["target"], target["namespace"]?.text == "android_app" else { return nil }
        return target["package_name"]?.text
    }
}
