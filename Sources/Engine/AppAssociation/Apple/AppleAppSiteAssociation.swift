public import LinkRouting

/// An `apple-app-site-association` file of any author, parsed as leniently as devices parse it.
///
/// Content that a device ignores is ignored here too, without an error. Every node of the file stays reachable, with
/// its position and its RFC 6901 JSON pointer, so that a validator can report it. Sources: Apple, "applinks"; recorded
/// runs of `swcutil`. docs/association.md states what is documented and what is not.
public struct AppleAppSiteAssociation: Sendable, Hashable {
    /// The maximum size of a file that iOS reads, in bytes, uncompressed.
    public static let maximumBytes = 131_072

    /// The limits of ``init(parsing:)``. They are higher than a device's, so that a file that is too large can be
    /// validated.
    private static let limits = JSONReader.Limits(maximumBytes: 16 << 20, maximumDepth: 64)

    /// The whole file, including unknown and duplicate keys. The last value of a duplicate key counts.
    public let root: JSONNode
    /// Nil if the file has no `applinks`, or if its value is not an object.
    public let applinks: Applinks?
    /// The services that name apps without rules, in the file's order.
    public let services: [Service]

    /// Parses a file of at most 16 MiB and 64 levels of nesting, without a byte order mark.
    ///
    /// JSON of another shape, such as a list, is not an error. Such a file names no app. If a file is signed (CMS), its
    /// content is parsed and its signature is not verified.
    /// - Throws: `JSONSyntaxError` if the bytes are not JSON or exceed a limit.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        let isEnvelope = SignedFile.isEnvelope(bytes) && bytes.count <= Self.limits.maximumBytes
        if isEnvelope, let content = SignedFile.content(of: Array(bytes)) {
            self.init(root: try JSONReader.parse(content, limits: Self.limits, duplicateKeys: .keep))
        } else {
            self.init(root: try JSONReader.parse(bytes, limits: Self.limits, duplicateKeys: .keep))
        }
    }

    /// Creates the file whose JSON is `root`.
    public init(root: JSONNode) {
        self.root = root
        applinks = root["applinks"].flatMap(Applinks.init)
        services = root.effectiveMembers.compactMap(Service.init)
    }
}

extension AppleAppSiteAssociation {
    /// A top-level service that only lists its apps, such as `webcredentials`.
    public struct Service: Sendable, Hashable {
        public let name: Name
        /// The application identifiers. Values that are not strings are left out.
        public let apps: [String]
        public let pointer: String
        public let keyPosition: JSONNode.Position
        /// The value of the key, of any type.
        public let node: JSONNode

        public enum Name: String, Sendable, CaseIterable {
            case webcredentials, activitycontinuation, appclips
        }

        init?(_ member: JSONNode.Member) {
            guard let name = Name(rawValue: member.key) else { return nil }
            self.name = name
            apps = member.value["apps"]?.texts ?? []
            pointer = "/\(name.rawValue)"
            keyPosition = member.keyPosition
            node = member.value
        }
    }
}

extension JSONNode {
    /// The strings of a list; nil if the node is not a list.
    var texts: [String]? { elements?.compactMap(\.text) }

    /// The members of an object, without those that a later member with the same key overrides.
    var effectiveMembers: [Member] {
        var seen: Set<String> = []
        return (members ?? []).reversed().filter { seen.insert($0.key).inserted }.reversed()
    }

    var hasDuplicateKeys: Bool { effectiveMembers.count < members?.count ?? 0 }

    /// Returns a key as a reference token of a JSON pointer (RFC 6901). A key of more than 200 bytes is cut.
    static func pointerToken(_ key: String) -> String {
        var token = ""
        for scalar in key.excerpt.unicodeScalars {
            switch scalar {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.unicodeScalars.append(scalar)
            }
        }
        return token
    }
}
