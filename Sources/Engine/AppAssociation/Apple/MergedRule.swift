public import LinkRouting

extension AppleAppSiteAssociation {
    /// A rule merged with its defaults: the effective value of each key, and the level that sets it.
    ///
    /// The nearest level decides for each key as a whole. From far to near the levels are `applinks.defaults`, the
    /// entry's `defaults` and the rule.
    public struct MergedRule: Sendable, Hashable {
        public let path: Setting<String>
        public let query: Setting<RuleKeys.Query>
        public let fragment: Setting<String>
        public let exclude: Setting<Bool>
        public let caseSensitive: Setting<Bool>
        public let percentEncoded: Setting<Bool>

        /// The nearest level that has a key.
        public enum Level: String, Sendable, CaseIterable {
            case rule
            case entryDefaults = "details.defaults"
            case applinksDefaults = "applinks.defaults"
            case builtIn = "built-in"
        }

        /// The effective value of one key.
        public struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
            /// The value of the level, or the built-in default if ``isVoid``.
            public let value: Value
            public let level: Level
            /// Whether the level's value has a wrong type and so constrains nothing.
            public let isVoid: Bool
        }

        init(_ rule: RuleKeys, entry: RuleKeys, applinks: RuleKeys) {
            func setting<Value>(
                _ key: KeyPath<RuleKeys, RuleKeys.Key<Value>>,
                _ builtIn: Value
            ) -> Setting<Value> {
                let levels: [(RuleKeys, Level)] = [
                    (rule, .rule), (entry, .entryDefaults), (applinks, .applinksDefaults),
                ]
                for (keys, level) in levels {
                    switch keys[keyPath: key] {
                    case .absent: continue
                    case .given(let value): return Setting(value: value, level: level, isVoid: false)
                    case .void: return Setting(value: builtIn, level: level, isVoid: true)
                    }
                }
                return Setting(value: builtIn, level: .builtIn, isVoid: false)
            }
            path = setting(\.path, "*")
            query = setting(\.query, .whole("*"))
            fragment = setting(\.fragment, "*")
            exclude = setting(\.exclude, false)
            caseSensitive = setting(\.caseSensitive, true)
            percentEncoded = setting(\.percentEncoded, true)
        }
    }

    /// Returns the rule as a device merges it. `rule` belongs to `entry`, and `entry` belongs to this file.
    public func merged(_ rule: Rule, of entry: Entry) -> MergedRule {
        MergedRule(rule.keys, entry: entry.defaults, applinks: applinks?.defaults ?? RuleKeys())
    }
}

extension AppleAppSiteAssociation.RuleKeys.Query {
    public var json: JSONNode {
        switch self {
        case .whole(let pattern): .string(pattern)
        case .items(let items):
            JSONNode(.object(items.map { JSONNode.Member($0.name, .string($0.pattern)) }))
        }
    }
}

extension AppleAppSiteAssociation.MergedRule {
    /// The rule as JSON: the `value` and `level` of each key, and `void` if the level's value has a wrong type.
    public var json: JSONNode {
        func setting<Value>(_ setting: Setting<Value>, _ json: (Value) -> JSONNode) -> JSONNode {
            .object([
                "value": json(setting.value), "level": .string(setting.level.rawValue),
                "void": setting.isVoid ? .bool(true) : nil,
            ])
        }
        return .object([
            "/": setting(path, JSONNode.string), "?": setting(query, \.json), "#": setting(fragment, JSONNode.string),
            "exclude": setting(exclude, JSONNode.bool), "caseSensitive": setting(caseSensitive, JSONNode.bool),
            "percentEncoded": setting(percentEncoded, JSONNode.bool),
        ])
    }
}
