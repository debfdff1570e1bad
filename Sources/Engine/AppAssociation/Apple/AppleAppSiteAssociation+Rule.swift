public import LinkRouting

extension AppleAppSiteAssociation {
    /// One element of `components` or `paths`.
    public struct Rule: Sendable, Hashable {
        public let index: Int
        public let pointer: String
        public let node: JSONNode
        /// The keys of the rule itself, without defaults.
        public let keys: RuleKeys

        /// Creates a rule of `components`. A component that is not an object has no keys and so matches every URL.
        init(component: JSONNode, index: Int, pointer: String) {
            self.index = index
            self.pointer = pointer
            node = component
            keys = RuleKeys(component)
        }

        /// Creates a rule of `paths`. The prefix `NOT ` excludes the path. Apple writes it in capitals; devices are
        /// reported to accept any case.
        init(path: JSONNode, index: Int, pointer: String) {
            self.index = index
            self.pointer = pointer
            node = path
            var keys = RuleKeys()
            if let text = path.text {
                let isExcluded = Self.startsWithNot(text)
                keys.path = .given(isExcluded ? String(text.unicodeScalars.dropFirst(4)) : text)
                keys.exclude = .given(isExcluded)
            } else {
                keys.path = .void
                keys.exclude = .given(false)
            }
            self.keys = keys
        }

        private static func startsWithNot(_ text: String) -> Bool {
            text.utf8.prefix(4).map(\.lowercasedASCII) == Array("not ".utf8)
        }
    }

    /// The keys of a component or of `defaults`, as a device reads them.
    public struct RuleKeys: Sendable, Hashable {
        public var path = Key<String>.absent
        public var query = Key<Query>.absent
        public var fragment = Key<String>.absent
        public var exclude = Key<Bool>.absent
        public var caseSensitive = Key<Bool>.absent
        public var percentEncoded = Key<Bool>.absent

        /// The state of a key.
        public enum Key<Value: Sendable & Hashable>: Sendable, Hashable {
            case absent
            case given(Value)
            /// The key exists, but its value has a type that constrains nothing. It still hides defaults.
            case void
        }

        /// The value of `?`.
        public enum Query: Sendable, Hashable {
            /// A pattern for the whole query.
            case whole(String)
            /// A pattern for each named item, in the file's order. All of them must match.
            case items([Item])
        }

        public struct Item: Sendable, Hashable {
            public let name: String
            public let pattern: String
        }

        init() {}

        /// Reads the keys of an object. A node that is not an object has no keys.
        init(_ node: JSONNode?) {
            path = Self.pattern(node?["/"])
            query = Self.query(node?["?"])
            fragment = Self.pattern(node?["#"])
            exclude = Self.flag(node?["exclude"])
            caseSensitive = Self.flag(node?["caseSensitive"])
            percentEncoded = Self.flag(node?["percentEncoded"])
        }

        private static func pattern(_ node: JSONNode?) -> Key<String> {
            guard let node else { return .absent }
            return node.text.map(Key.given) ?? .void
        }

        /// Returns the value of `?`. One item whose value is not a string voids the whole object.
        private static func query(_ node: JSONNode?) -> Key<Query> {
            guard let node else { return .absent }
            if let text = node.text { return .given(.whole(text)) }
            guard node.members != nil else { return .void }
            var items: [Item] = []
            for member in node.effectiveMembers {
                guard let pattern = member.value.text else { return .void }
                items.append(Item(name: member.key, pattern: pattern))
            }
            return .given(.items(items))
        }

        /// Returns the value of a flag. Devices are reported to convert other types as Foundation's `boolValue` does.
        private static func flag(_ node: JSONNode?) -> Key<Bool> {
            guard let node else { return .absent }
            switch node.value {
            case .bool(let flag): return .given(flag)
            case .number: return .given(node.double != 0)
            case .string(let text): return .given(boolValue(text))
            case .null, .array, .object: return .given(false)
            }
        }

        /// Returns whether the text begins with Y, T or a digit other than 0, after whitespace, a sign and zeros.
        private static func boolValue(_ text: String) -> Bool {
            var rest = text.utf8.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard let first = rest.drop(while: { $0 == UInt8(ascii: "0") }).first else { return false }
            return "123456789YyTt".utf8.contains(first)
        }
    }
}

extension AppleAppSiteAssociation {
    /// The `substitutionVariables` of a file: the values of `$(name)`.
    public struct SubstitutionVariables: Sendable, Hashable {
        private let values: [String: [String]]

        /// The names of the variables, sorted.
        public var names: [String] { values.keys.sorted() }

        /// The values of a variable as devices read them; nil if the file defines no such variable. A value that refers
        /// to a variable is left out. A single string counts as a list of one. Names are case-sensitive.
        public subscript(name: String) -> [String]? { values[name] }

        init(_ node: JSONNode?) {
            var values: [String: [String]] = [:]
            for member in node?.effectiveMembers ?? [] {
                guard let texts = member.value.texts ?? member.value.text.map({ [$0] }) else { continue }
                values[member.key] = texts.filter { !Self.refersToVariable($0) }
            }
            self.values = values
        }

        static func refersToVariable(_ value: String) -> Bool {
            zip(value.utf8, value.utf8.dropFirst()).contains { $0 == UInt8(ascii: "$") && $1 == UInt8(ascii: "(") }
        }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
