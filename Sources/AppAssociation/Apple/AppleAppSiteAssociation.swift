public import LinkRouting

/// Anybody's `apple-app-site-association` file, read as tolerantly as devices read it.
///
/// What a device ignores is ignored here too, without an error: every node of the file stays reachable, with its place and
/// its RFC 6901 JSON pointer, so that a validator can name what is odd. Sources: Apple, "applinks"; recorded runs of
/// `swcutil`; see docs/association.md for what is documented and what is not.
public struct AppleAppSiteAssociation: Sendable, Hashable {
    /// iOS reads no more than this many bytes, uncompressed.
    public static let maximumBytes = 131_072

    /// What ``init(parsing:)`` reads, so that a file that is too large for a device can still be judged.
    private static let limits = JSONReader.Limits(maximumBytes: 16 << 20, maximumDepth: 64)

    /// The whole file, unknown keys and duplicates included. Of a key that stands twice the last value counts.
    public let root: JSONNode
    /// Nil where the file has no `applinks`, or one that is no object.
    public let applinks: Applinks?
    /// The services that name apps without rules, in the file's order.
    public let services: [Service]

    /// Reads at most 16 MiB, nested 64 levels deep, without a byte order mark.
    ///
    /// A file that is JSON but says nothing of use, such as a list, is no error: it names no app.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        self.init(root: try JSONReader.parse(bytes, limits: Self.limits, duplicateKeys: .keep))
    }

    /// The file whose JSON is `root`.
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
        /// The application identifiers; what is no string is left out.
        public let apps: [String]
        public let pointer: String
        public let keyPosition: JSONNode.Position
        /// The value behind the key, whatever its type.
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
    /// The strings of a list; nil for what is no list.
    var texts: [String]? { elements?.compactMap(\.text) }

    /// Of an object: its members without those that a later member of the same key hides.
    var effectiveMembers: [Member] {
        var seen: Set<String> = []
        return (members ?? []).reversed().filter { seen.insert($0.key).inserted }.reversed()
    }

    var hasDuplicateKeys: Bool { effectiveMembers.count < members?.count ?? 0 }

    /// A key as it stands in a JSON pointer (RFC 6901).
    static func pointerToken(_ key: String) -> String {
        var token = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.unicodeScalars.append(scalar)
            }
        }
        return token
    }
}
