public import LinkRouting

extension AssetLinks {
    /// The dynamic rules of one statement. They decide which links of the site the app opens on Android 15 and later
    /// with Google services.
    ///
    /// Source: developer.android.com, "Configure website associations and dynamic rules".
    public struct DynamicRules: Sendable, Hashable {
        public static let key = "dynamic_app_link_components"

        public let pointer: String
        public let node: JSONNode
        /// The rules in the order in which they are tried; empty if the value is not a list.
        public let rules: [Rule]

        /// The first value that has a wrong type or is empty. One such value makes Android drop all rules of the
        /// statement.
        public var flaw: Flaw? {
            guard node.elements != nil else {
                return Flaw(pointer: pointer, position: node.position, key: nil, problem: "it is not a list")
            }
            return rules.lazy.compactMap(\.flaw).first
        }

        /// A value that voids the rules.
        public struct Flaw: Sendable, Hashable {
            public let pointer: String
            public let position: JSONNode.Position
            /// The key in the rule; nil if the rule or the list itself is wrong.
            public let key: String?
            /// The problem, such as `it is not a string`.
            public let problem: String
        }
    }

    /// One element of the list.
    public struct Rule: Sendable, Hashable {
        public let index: Int
        public let pointer: String
        public let node: JSONNode
        public let path: String?
        /// The patterns for query items, in the file's order. All of them must match.
        public let query: [Item]
        public let fragment: String?
        public let exclude: Bool
        public let flaw: DynamicRules.Flaw?

        public struct Item: Sendable, Hashable {
            public let name: String
            public let pattern: String
        }

        /// Whether the rule names no component of the URL. Such a rule matches no URL.
        public var isEmpty: Bool { path == nil && query.isEmpty && fragment == nil }
    }
}

extension AssetLinks.Statement {
    /// The dynamic rules; nil if the statement has no `dynamic_app_link_components` under
    /// `delegate_permission/common.handle_all_urls`.
    public var dynamicRules: AssetLinks.DynamicRules? {
        let relation = StatementRelation.handleAllURLs.description
        guard let node = node["relation_extensions"]?[relation]?[AssetLinks.DynamicRules.key] else { return nil }
        let relationToken = JSONNode.pointerToken(relation)
        let pointer = "\(pointer)/relation_extensions/\(relationToken)/\(AssetLinks.DynamicRules.key)"
        return AssetLinks.DynamicRules(
            pointer: pointer,
            node: node,
            rules: (node.elements ?? []).enumerated().map {
                AssetLinks.Rule($1, index: $0, pointer: "\(pointer)/\($0)")
            }
        )
    }
}

extension AssetLinks.Rule {
    init(_ node: JSONNode, index: Int, pointer: String) {
        self.index = index
        self.pointer = pointer
        self.node = node
        path = node["/"]?.text
        query = (node["?"]?.effectiveMembers ?? []).compactMap { member in
            member.value.text.map { Item(name: member.key, pattern: $0) }
        }
        fragment = node["#"]?.text
        exclude = node["exclude"]?.bool ?? false
        flaw = Self.flaw(of: node, at: pointer)
    }

    private static func flaw(of node: JSONNode, at pointer: String) -> AssetLinks.DynamicRules.Flaw? {
        func flaw(_ node: JSONNode, _ key: String?, _ problem: String, _ path: String...)
            -> AssetLinks.DynamicRules.Flaw
        {
            let pointer = path.reduce(pointer) { "\($0)/\(JSONNode.pointerToken($1))" }
            return AssetLinks.DynamicRules.Flaw(pointer: pointer, position: node.position, key: key, problem: problem)
        }
        guard node.members != nil else { return flaw(node, nil, "the rule is not an object") }
        for key in ["/", "#"] {
            guard let value = node[key] else { continue }
            guard let text = value.text else { return flaw(value, key, "it is not a string", key) }
            guard !text.isEmpty else { return flaw(value, key, "it is empty", key) }
        }
        if let query = node["?"] {
            guard query.members != nil else {
                return flaw(query, "?", "it is not an object of names and patterns", "?")
            }
            guard !query.effectiveMembers.isEmpty else { return flaw(query, "?", "it is empty", "?") }
            for member in query.effectiveMembers {
                guard let text = member.value.text else {
                    let problem = "the pattern of '\(member.key.excerpt)' is not a string"
                    return flaw(member.value, "?", problem, "?", member.key)
                }
                guard !text.isEmpty, !member.key.isEmpty else {
                    return flaw(member.value, "?", "a name or a pattern is empty", "?", member.key)
                }
            }
        }
        if let exclude = node["exclude"], exclude.bool == nil {
            return flaw(exclude, "exclude", "it is not true or false", "exclude")
        }
        return nil
    }
}
