import LinkRouting

extension AppleValidation {
    mutating func checkRules(of entry: AppleAppSiteAssociation.Entry, _ file: AppleAppSiteAssociation) {
        for key in ["components", "paths"] {
            guard let rules = entry.node[key], rules.elements == nil else { continue }
            add(
                .valueType,
                Location(rules, "\(entry.pointer)/\(key)"),
                "'\(key)' is \(rules.kind); devices expect a list. What they do with this entry is not documented.",
                fix: "Write a list."
            )
        }
        switch entry.rules {
        case .none:
            guard entry.node["components"] == nil, entry.node["paths"] == nil else { return }
            return add(
                .noRules,
                Location(entry.node, entry.pointer),
                "The entry has neither 'components' nor 'paths'. Whether it opens every link or none is not documented.",
                fix: "Add \"components\": [{\"/\": \"*\"}] to open every link, or the rules that you mean."
            )
        case .components(let rules):
            let defaults = [file.applinks?.node["defaults"], entry.node["defaults"]]
            let constrain = defaults.contains { node in ["/", "?", "#"].contains { node?[$0] != nil } }
            for rule in rules where continues() {
                checkRule(rule.node, rule.pointer, isDefaults: false, defaultsConstrain: constrain)
            }
        case .paths(let rules):
            for rule in rules where continues() { checkPath(rule) }
        }
        // iOS 12 and earlier still read the paths beside the components.
        if case .components = entry.rules {
            for (index, path) in (entry.node["paths"]?.elements ?? []).enumerated() where continues() {
                checkPath(
                    AppleAppSiteAssociation.Rule(path: path, index: index, pointer: "\(entry.pointer)/paths/\(index)")
                )
            }
        }
        let merged = entry.ruleList.map { file.merged($0, of: entry) }
        let conditions = RuleConditions.all(of: merged)
        guard let first = entry.ruleList.first else {
            let key = entry.node["components"]?.elements == nil ? "paths" : "components"
            return add(
                .emptyRules,
                Location(entry.node[key] ?? entry.node, "\(entry.pointer)/\(key)"),
                "The list of rules is empty: the entry opens nothing.",
                fix: "Add a rule such as {\"/\": \"*\"}, or remove the entry."
            )
        }
        if merged.allSatisfy(\.exclude.value) {
            add(
                .excludeOnly,
                Location(first.node, first.pointer),
                "Every rule of the entry excludes, and a URL that no rule matches is not opened either: the entry "
                    + "opens nothing.",
                fix: "End the list with a rule that opens the rest, such as {\"/\": \"*\"}."
            )
        }
        checkExclusions(entry.ruleList, merged, conditions)
        checkReach(entry.ruleList, merged, conditions, isLegacy: entry.node["components"]?.elements == nil)
        checkLastExclusions(entry.ruleList, merged, conditions)
        checkLetterCase(entry.ruleList, merged)
    }

    // MARK: Components

    /// - Parameter defaultsConstrain: Whether the defaults that apply to the rule have a condition on the URL.
    mutating func checkRule(
        _ node: JSONNode,
        _ pointer: String,
        isDefaults: Bool,
        defaultsConstrain: Bool = false
    ) {
        guard let members = node.members else {
            return add(
                .valueType,
                Location(node, pointer),
                isDefaults
                    ? "'defaults' is \(node.kind); devices expect an object."
                    : "This rule is \(node.kind), not an object: as far as is known, it matches every URL.",
                fix: isDefaults ? "Write an object such as {\"caseSensitive\": false}." : "Write {\"/\": \"/path/*\"}."
            )
        }
        let constrains = members.contains { ["/", "?", "#"].contains($0.key) }
        for member in node.effectiveMembers where !Self.ruleKeys.contains(member.key) {
            guard keeps(.unknownKey), continues() else { break }
            let meant = Self.ruleKey(meantBy: member.key)
            let consequence =
                isDefaults || constrains ? "" : " Nothing else narrows this rule, so it matches every URL."
            add(
                .unknownKey,
                Location(key: member, in: pointer),
                "Unknown key '\(member.key.excerpt)': devices ignore it.\(consequence)",
                fix: meant.map { "Write '\($0)'." }
                    ?? "Remove it; allowed keys: \(Self.ruleKeys.joined(separator: ", "))."
            )
        }
        let isEmpty = members.allSatisfy { ["exclude", "comment", "caseSensitive", "percentEncoded"].contains($0.key) }
        if !isDefaults, isEmpty, !defaultsConstrain {
            let excludes = node["exclude"]?.bool == true
            add(
                .appleEmptyRule,
                Location(node, pointer),
                "The rule has no condition, so it \(excludes ? "excludes" : "matches") every URL.",
                fix:
                    "Write \(excludes ? "{\"/\": \"*\", \"exclude\": true}" : "{\"/\": \"*\"}"), or the condition that you mean."
            )
        }
        let reading = Glob.Reading(
            foldsCase: node["caseSensitive"]?.bool == false,
            comparesEncoded: node["percentEncoded"]?.bool != false
        )
        let form = RuleForm.component(isExcluded: node["exclude"]?.bool == true)
        checkPattern(node["/"], "\(pointer)/~1", .path, reading, form)
        checkPattern(node["#"], "\(pointer)/#", .fragment, reading, form)
        checkQuery(node["?"], "\(pointer)/?", reading)
        for key in ["exclude", "caseSensitive", "percentEncoded"] {
            guard let flag = node[key], flag.bool == nil else { continue }
            add(
                .valueType,
                Location(flag, "\(pointer)/\(key)"),
                "'\(key)' is \(flag.kind), not true or false; how devices read it is not documented.",
                fix: "Write true or false, without quotes."
            )
        }
    }

    private mutating func checkPattern(
        _ node: JSONNode?,
        _ pointer: String,
        _ part: PatternPart,
        _ reading: Glob.Reading,
        _ form: RuleForm
    ) {
        guard let node else { return }
        if part == .fragment, let text = node.text {
            checkDelimiter("#", text, Location(node, pointer), of: "fragment")
        }
        guard let text = node.text else {
            return add(
                .valueType,
                Location(node, pointer),
                "This pattern is \(node.kind), not a string: devices drop it, so the rule matches any "
                    + "\(part.rawValue).",
                fix: "Write the pattern in quotes."
            )
        }
        checkPattern(text, Location(node, pointer), part, reading, form: form)
    }

    /// Reports a text that begins with the delimiter of its part. `?` is a wildcard in a pattern, but a query does not
    /// contain its delimiter.
    private mutating func checkDelimiter(_ delimiter: String, _ text: String, _ location: Location, of part: String) {
        let isItem = delimiter == "?" && part == "query" && !text.utf8.contains(UInt8(ascii: "="))
        guard text.hasPrefix(delimiter), text.utf8.count > 1, !text.hasPrefix("?*"), !text.hasPrefix("??"), !isItem
        else {
            return
        }
        add(
            .delimiter,
            location,
            "A \(part) does not include the '\(delimiter)' before it, so '\(text)' does not match what it seems to.",
            fix: "Write \"\(text.dropFirst())\"."
        )
    }

    private mutating func checkQuery(_ node: JSONNode?, _ pointer: String, _ reading: Glob.Reading) {
        guard let node else { return }
        if let text = node.text {
            checkDelimiter("?", text, Location(node, pointer), of: "query")
            return checkPattern(text, Location(node, pointer), .query, reading)
        }
        guard node.members != nil else {
            return add(
                .valueType,
                Location(node, pointer),
                "'?' is \(node.kind), neither a string nor an object: devices drop it, so the rule matches any query.",
                fix: "Write {\"name\": \"pattern\"}."
            )
        }
        for member in node.effectiveMembers {
            guard continues() else { return }
            let location = Location(member.value, "\(pointer)/\(JSONNode.pointerToken(member.key))")
            checkDelimiter("?", member.key, location, of: "query item's name")
            if let name = Array(member.key.utf8).percentDecoded, !name.elementsEqual(member.key.utf8) {
                add(
                    .encoding,
                    location,
                    "Names of query items are compared decoded, so '\(member.key.excerpt)' matches no item.",
                    fix: "Write \"\(String(decoding: name, as: UTF8.self).excerpt)\"."
                )
            }
            guard let text = member.value.text else {
                add(
                    .valueType,
                    location,
                    "The pattern of '\(member.key.excerpt)' is \(member.value.kind), not a string: devices drop the "
                        + "whole '?' constraint, so the rule matches any query.",
                    fix: "Write \"\(member.value.json())\" in quotes."
                )
                continue
            }
            checkPattern(text, location, .query, reading)
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) else { continue }
            add(
                .optionalItem,
                location,
                "'*' also matches when '\(member.key.excerpt)' is absent, so this does not constrain the query.",
                fix: "Write \"?*\" to require a value."
            )
        }
    }

    /// Reports exclusions whose only condition is one that every query satisfies.
    private mutating func checkExclusions(
        _ rules: [AppleAppSiteAssociation.Rule],
        _ merged: [AppleAppSiteAssociation.MergedRule],
        _ conditions: [RuleConditions]
    ) {
        for (rule, (merged, conditions)) in zip(rules, zip(merged, conditions)) where merged.exclude.value {
            guard case .items(let items) = merged.query.value, !items.isEmpty, conditions.takesEverything else {
                continue
            }
            add(
                .excludesEverything,
                Location(rule.node, rule.pointer),
                "This exclusion matches every URL, because '*' also matches an absent item: no rule after it opens "
                    + "a link.",
                fix: "Write {\"\(items[0].name.excerpt)\": \"?*\"} to exclude only URLs that have a value for it."
            )
        }
    }

    /// Reports exclusions after the last rule that opens links. A final exclusion of every URL is not reported, because
    /// it states the default.
    private mutating func checkLastExclusions(
        _ rules: [AppleAppSiteAssociation.Rule],
        _ merged: [AppleAppSiteAssociation.MergedRule],
        _ conditions: [RuleConditions]
    ) {
        guard let last = merged.lastIndex(where: { !$0.exclude.value }) else { return }
        for number in merged.indices.dropFirst(last + 1) {
            guard keeps(.pointlessExclusion), continues() else { return }
            guard !conditions[number].takesEverything else { continue }
            let isReported = findings.contains {
                $0.code == .unreachableRule && $0.pointer == rules[number].pointer
            }
            guard !isReported else { continue }
            add(
                .pointlessExclusion,
                Location(rules[number].node, rules[number].pointer),
                "No rule after this exclusion opens a URL, and a URL that no rule matches is not opened anyway.",
                fix: "Remove it, or move it before the rule from which it excludes URLs."
            )
        }
    }

    private mutating func checkLetterCase(
        _ rules: [AppleAppSiteAssociation.Rule],
        _ merged: [AppleAppSiteAssociation.MergedRule]
    ) {
        var seen: [String: String] = [:]
        for (rule, merged) in zip(rules, merged) where merged.caseSensitive.value && merged.path.level == .rule {
            let path = merged.path.value
            guard let other = seen.updateValue(path, forKey: path.lowercased()), other != path else { continue }
            add(
                .letterCase,
                Location(rule.node, rule.pointer),
                "'\(path)' and '\(other)' differ only in letter case; other spellings match neither.",
                fix: "Write one rule with \"caseSensitive\": false (iOS 13.5 and later)."
            )
        }
    }
}
