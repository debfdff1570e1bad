import LinkRouting

extension AppleValidation {
    /// Reports keys that no system reads at this location. Devices ignore them without an error.
    mutating func checkKeys(of node: JSONNode, _ pointer: String, known: [String]) {
        for member in node.effectiveMembers where !known.contains(member.key) {
            guard keeps(.unknownKey), continues() else { return }
            guard !Self.isComment(member.key) else {
                add(
                    .unknownKey,
                    .info,
                    Location(key: member, in: pointer),
                    "Devices ignore '\(member.key.excerpt)'.",
                    fix: "Keep it as a comment."
                )
                continue
            }
            let near = KeySpelling.nearest(to: member.key, among: known)
            let isOfRules = Self.ruleKeys.contains(KeySpelling.trimmed(member.key)) && !known.contains("/")
            let fix =
                near.map { "Write '\($0)'." }
                ?? (isOfRules
                    ? Self.fixForKeyOfRules(member, besides: node)
                    : "Remove it; allowed keys: \(known.joined(separator: ", ")).")
            add(
                .unknownKey,
                near == nil && !isOfRules ? .warning : .error,
                Location(key: member, in: pointer),
                "Unknown key '\(member.key.excerpt)': devices ignore it.",
                fix: fix
            )
        }
    }

    private static func isComment(_ key: String) -> Bool {
        ["comment", "comments", "_comment", "$comment", "//", "description"].contains(
            KeySpelling.trimmed(key).lowercased()
        )
    }

    /// Returns how to write a key of rules that is a member of an entry. Beside `paths`, a list of components would make iOS
    /// ignore the paths.
    private static func fixForKeyOfRules(_ member: JSONNode.Member, besides node: JSONNode) -> String {
        guard node["paths"] != nil, node["components"] == nil else { return "Move it into a rule of 'components'." }
        let excluded = member.value.texts ?? [member.value.text].compactMap(\.self)
        guard KeySpelling.trimmed(member.key) == "exclude", !excluded.isEmpty else {
            return "Remove it; 'paths' has no such key. To use it, write all rules as 'components'."
        }
        let paths = excluded.map { "\"NOT \($0)\"" }.joined(separator: ", ")
        return "Write \(paths) at the beginning of 'paths'."
    }

    static let ruleKeys = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]

    /// Common misspellings of the keys of rules.
    private static let meant = [
        "path": "/", "paths": "/", "pattern": "/", "patterns": "/", "url": "/", "query": "?", "queryItems": "?",
        "params": "?", "parameters": "?", "fragment": "#", "hash": "#", "excluded": "exclude", "not": "exclude",
        "casesensitive": "caseSensitive", "percentencoded": "percentEncoded",
    ]

    /// Returns the rule key that an unknown key probably misspells; nil if none is similar.
    static func ruleKey(meantBy key: String) -> String? {
        let key = KeySpelling.trimmed(key)
        return meant[key] ?? meant[key.lowercased()] ?? KeySpelling.nearest(
            to: key,
            among: ruleKeys.filter { $0.count > 1 }
        )
            ?? KeySpelling.nearest(to: key, among: meant.keys.sorted()).flatMap { meant[$0] }
    }

    // MARK: Variables

    mutating func checkVariables(_ node: JSONNode?, _ pointer: String) {
        guard let node else { return }
        guard node.members != nil else {
            return add(
                .variableValue,
                Location(node, pointer),
                "'substitutionVariables' is \(node.kind); devices expect an object of lists.",
                fix: "Write {\"name\": [\"value\", …]}."
            )
        }
        for member in node.effectiveMembers {
            guard continues() else { return }
            let location = Location(key: member, in: pointer)
            if member.key.contains(where: { "$()".contains($0) }) || member.key.isEmpty {
                add(
                    .variableValue,
                    location,
                    "'\(member.key.excerpt)' cannot be a variable's name: no pattern can refer to it.",
                    fix: "Use any characters except '$', '(' and ')'."
                )
            } else if member.key.containsBytes(of: "//") || member.key.containsBytes(of: "**") {
                add(
                    .variableValue,
                    location,
                    "Devices merge runs of '/' and of '*' in a path before they look for variables, so no path can refer "
                        + "to '\(member.key.excerpt)'.",
                    fix: "Use a name without '//' and '**'."
                )
            } else if PatternVariables.isBuiltIn(member.key) {
                add(
                    .shadowedVariable,
                    location,
                    "As far as is known, '\(member.key.excerpt)' replaces the built-in variable of that name.",
                    fix: "Give the variable another name."
                )
            }
            checkValues(of: member, location)
        }
    }

    private mutating func checkValues(of member: JSONNode.Member, _ location: Location) {
        guard let elements = member.value.elements else {
            return add(
                .variableValue,
                Location(member.value, location.pointer),
                "The values of '\(member.key.excerpt)' are \(member.value.kind), not a list of strings.",
                fix: "Write [\"value\", …]."
            )
        }
        if elements.isEmpty {
            add(
                .variableValue,
                location,
                "'\(member.key.excerpt)' has no values, so a pattern with it matches nothing.",
                fix: "List its values, or remove it and the rules that use it."
            )
        }
        for (index, element) in elements.enumerated() {
            guard continues() else { return }
            let text = element.text
            if text?.isEmpty == true {
                add(
                    .variableValue,
                    .warning,
                    Location(element, "\(location.pointer)/\(index)"),
                    "A value of '\(member.key.excerpt)' is empty; Apple does not document whether it counts.",
                    fix: "Remove it, and write a rule without the variable."
                )
            }
            guard text == nil || text?.containsBytes(of: "$(") == true else { continue }
            add(
                .variableValue,
                Location(element, "\(location.pointer)/\(index)"),
                text == nil
                    ? "A value of '\(member.key.excerpt)' is \(element.kind) and is ignored."
                    : "A value cannot refer to a variable; devices ignore it.",
                fix: text == nil ? "Write a string." : "Write the other variable's values here."
            )
        }
    }
}
