public import LinkRouting

extension AppleAppSiteAssociation {
    /// The `applinks` object: which app opens which URLs.
    public struct Applinks: Sendable, Hashable {
        public static let pointer = "/applinks"

        public let node: JSONNode
        public let form: Form
        /// The entries in the order in which they are tried. In the dictionary form, that order is not defined on a
        /// device.
        public let details: [Entry]
        /// The `apps` list. Only iOS 12 and older read it, and they require `[]`. Nil if it is absent or not a list.
        public let apps: [String]?
        /// The defaults of every rule of every entry.
        public let defaults: RuleKeys
        public let substitutionVariables: SubstitutionVariables

        /// The JSON type of `details`.
        public enum Form: String, Sendable {
            /// A list of entries. iOS 9 and later read it.
            case array
            /// An object whose keys are app identifiers. It is the form of iOS 8, obsolete but still read.
            case dictionary
            case missing
            /// Neither a list nor an object.
            case other
        }

        init?(_ node: JSONNode) {
            guard node.members != nil else { return nil }
            self.node = node
            apps = node["apps"]?.texts
            defaults = RuleKeys(node["defaults"])
            substitutionVariables = SubstitutionVariables(node["substitutionVariables"])
            let pointer = "\(Self.pointer)/details"
            switch node["details"]?.value {
            case nil:
                (form, details) = (.missing, [])
            case .array(let elements):
                form = .array
                details = elements.enumerated().map { index, element in
                    Entry(element, index: index, pointer: "\(pointer)/\(index)", apps: Self.apps(of: element))
                }
            case .object:
                form = .dictionary
                details = (node["details"]?.effectiveMembers ?? []).enumerated().map { index, member in
                    let pointer = "\(pointer)/\(JSONNode.pointerToken(member.key))"
                    return Entry(member.value, index: index, pointer: pointer, apps: [member.key])
                }
            default:
                (form, details) = (.other, [])
            }
        }

        /// Returns the apps of an entry. If `appIDs` is a list, even an empty one, `appID` is ignored.
        private static func apps(of entry: JSONNode) -> [String] {
            entry["appIDs"]?.texts ?? entry["appID"]?.text.map { [$0] } ?? []
        }
    }
}

extension AppleAppSiteAssociation {
    /// One entry of `details`: apps and their rules.
    public struct Entry: Sendable, Hashable {
        /// The entry's index in the list; in the dictionary form, the index of its key.
        public let index: Int
        public let pointer: String
        public let node: JSONNode
        /// The app identifiers that devices read: `appIDs` if it is a list, else `appID`; in the dictionary form, the
        /// key.
        public let appIDs: [String]
        public let rules: Rules
        /// The defaults of every rule of this entry.
        public let defaults: RuleKeys

        /// The effective rules: `components` if it is a list, even an empty one, else `paths` if it is a list.
        public enum Rules: Sendable, Hashable {
            case components([Rule])
            /// The value of `paths`, which iOS 12 and older read, and later systems if the entry has no `components`.
            case paths([Rule])
            /// The entry has neither list. Apple does not document how a device handles it.
            case none
        }

        /// The effective rules in the order in which they are tried.
        public var ruleList: [Rule] {
            switch rules {
            case .components(let rules), .paths(let rules): rules
            case .none: []
            }
        }

        init(_ node: JSONNode, index: Int, pointer: String, apps: [String]) {
            self.index = index
            self.pointer = pointer
            self.node = node
            appIDs = apps
            defaults = RuleKeys(node["defaults"])
            if let components = node["components"]?.elements {
                rules = .components(
                    components.enumerated().map { index, component in
                        Rule(component: component, index: index, pointer: "\(pointer)/components/\(index)")
                    }
                )
            } else if let paths = node["paths"]?.elements {
                rules = .paths(
                    paths.enumerated().map { index, path in
                        Rule(path: path, index: index, pointer: "\(pointer)/paths/\(index)")
                    }
                )
            } else {
                rules = .none
            }
        }
    }
}
