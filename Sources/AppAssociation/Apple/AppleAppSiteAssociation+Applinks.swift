public import LinkRouting

extension AppleAppSiteAssociation {
    /// The `applinks` object: which app opens which URLs.
    public struct Applinks: Sendable, Hashable {
        public static let pointer = "/applinks"

        public let node: JSONNode
        public let form: Form
        /// In the order in which they are tried. In the dictionary form that order is not defined on a device.
        public let details: [Entry]
        /// Read by iOS 12 and older only, which ask for `[]`; nil where it is absent or no list.
        public let apps: [String]?
        /// Of every rule of every entry.
        public let defaults: RuleKeys
        public let substitutionVariables: SubstitutionVariables

        /// How `details` is written.
        public enum Form: String, Sendable {
            /// A list of entries: iOS 9 and later.
            case array
            /// An object with an app identifier for each key: iOS 8, obsolete but still read.
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

        /// A list under `appIDs`, even an empty one, makes `appID` count for nothing.
        private static func apps(of entry: JSONNode) -> [String] {
            entry["appIDs"]?.texts ?? entry["appID"]?.text.map { [$0] } ?? []
        }
    }
}

extension AppleAppSiteAssociation {
    /// One entry of `details`: apps and the rules that hold for them.
    public struct Entry: Sendable, Hashable {
        /// Its place in the list; in the dictionary form the place of its key.
        public let index: Int
        public let pointer: String
        public let node: JSONNode
        /// As devices take them: `appIDs` if it is a list, else `appID`; in the dictionary form the key.
        public let appIDs: [String]
        public let rules: Rules
        /// Of every rule of this entry.
        public let defaults: RuleKeys

        /// The rules that count: `components` if it is a list, even an empty one, else `paths` if it is one.
        public enum Rules: Sendable, Hashable {
            case components([Rule])
            /// iOS 12 and older, and later systems for an entry without `components`.
            case paths([Rule])
            /// What a device does with such an entry is not documented.
            case none
        }

        /// In the order in which they are tried.
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
