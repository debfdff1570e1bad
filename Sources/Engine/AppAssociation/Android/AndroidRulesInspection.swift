import LinkRouting

/// Validates the dynamic rules of a file.
enum AndroidRulesInspection {
    private static let appleKeys = ["caseSensitive", "percentEncoded", "comment", "defaults", "substitutionVariables"]
    private static let keys = ["/", "?", "#", "exclude", "comments"]

    static func inspect(_ file: AssetLinks, _ findings: inout AndroidFindings) {
        var first: [String: AssetLinks.Statement] = [:]
        let cover = AndroidRuleCover(within: findings.budget)
        var hasReportedManifest = false
        for statement in file.statements {
            guard findings.continues() else { return }
            inspectPlaces(of: statement, &findings)
            guard let rules = statement.dynamicRules, let package = statement.packageName else { continue }
            if let earlier = first[package] {
                findings.add(
                    .severalRuleSets,
                    rules.pointer,
                    rules.node.position,
                    "Statement \(earlier.index) already has dynamic rules for '\(package)'; which of the two "
                        + "Android uses is not guaranteed.",
                    fix: "Put all rules of the app into one statement."
                )
            } else {
                first[package] = statement
            }
            if !hasReportedManifest, rules.node.elements?.isEmpty == false {
                hasReportedManifest = true
                findings.add(
                    .manifest,
                    rules.pointer,
                    rules.node.position,
                    "Rules can only narrow what the app's manifest accepts, and only on Android 15 and later with "
                        + "Google services.",
                    fix:
                        "Declare the scheme and host in an intent filter with android:autoVerify=\"true\", without "
                        + "a narrower path."
                )
            }
            inspect(rules, cover, &findings)
        }
    }

    // MARK: Places

    private static let relation = StatementRelation.handleAllURLs.description
    private static let rightPlace = "relation_extensions, '\(relation)', '\(AssetLinks.DynamicRules.key)'"

    /// Reports rules that Android does not read because of their place or the spelling of a key: the app then opens
    /// everything that its manifest accepts.
    private static func inspectPlaces(of statement: AssetLinks.Statement, _ findings: inout AndroidFindings) {
        for (node, pointer) in [
            (statement.node, statement.pointer), (statement.node["target"], "\(statement.pointer)/target"),
        ] {
            for member in node?.members ?? [] where isRuleSet(member) { add(misplaced: member, pointer, &findings) }
        }
        let pointer = "\(statement.pointer)/relation_extensions"
        for member in statement.node["relation_extensions"]?.members ?? [] {
            let place = "\(pointer)/\(JSONNode.pointerToken(member.key))"
            if isRuleSet(member) { add(misplaced: member, pointer, &findings) }
            for inner in member.value.members ?? [] {
                if member.key != relation {
                    if isRuleSet(inner) { add(misplaced: inner, place, &findings) }
                } else if inner.key != AssetLinks.DynamicRules.key {
                    if isRuleSet(inner) {
                        add(misplaced: inner, place, &findings)
                    } else {
                        add(unread: inner, place, &findings)
                    }
                } else if !statement.relationTexts.contains(relation) {
                    add(misplaced: inner, place, &findings)
                }
            }
        }
    }

    /// Returns whether a value is meant as a set of rules: it has the key of one, or almost, or it is a list of rules.
    private static func isRuleSet(_ member: JSONNode.Member) -> Bool {
        if member.key == AssetLinks.DynamicRules.key { return true }
        guard let elements = member.value.elements else { return false }
        return KeySpelling.nearest(to: member.key, among: [AssetLinks.DynamicRules.key]) != nil
            || elements.contains { element in element.members?.contains { ["/", "?", "#"].contains($0.key) } == true }
    }

    private static func add(misplaced member: JSONNode.Member, _ pointer: String, _ findings: inout AndroidFindings) {
        findings.add(
            .misplacedRules,
            "\(pointer)/\(JSONNode.pointerToken(member.key))",
            member.keyPosition,
            "Android does not read the rules in '\(member.key.excerpt)' here, so the app opens all links that its "
                + "manifest accepts.",
            fix: "Put them under \(rightPlace), in a statement whose 'relation' lists '\(relation)'."
        )
    }

    private static func inspect(
        _ rules: AssetLinks.DynamicRules,
        _ cover: AndroidRuleCover,
        _ findings: inout AndroidFindings
    ) {
        if rules.node.elements == nil, let flaw = rules.flaw { return add(flaw, &findings) }
        for rule in rules.rules where findings.continues() { inspect(rule, &findings) }
        if let last = rules.rules.last, rules.rules.allSatisfy(\.exclude) {
            findings.add(
                .androidExcludeOnly,
                last.pointer,
                last.node.position,
                "All rules exclude, and the app does not open a URL that no rule matches: on Android 15 it opens no "
                    + "link.",
                fix: "End the list with {\"/\": \"*\"}."
            )
        }
        for (rule, covering) in cover.unreachable(rules.rules) {
            findings.add(
                .androidUnreachableRule,
                rule.pointer,
                rule.node.position,
                "Rule \(rule.index) can never be reached: rule \(covering.index) matches all of its URLs first.",
                fix: "Put it before rule \(covering.index), or remove it."
            )
        }
    }

    private static func inspect(_ rule: AssetLinks.Rule, _ findings: inout AndroidFindings) {
        if let flaw = rule.flaw { add(flaw, &findings) }
        for member in rule.node.members ?? [] where !keys.contains(member.key) {
            guard findings.continues() else { return }
            add(unread: member, rule.pointer, &findings)
        }
        guard rule.flaw == nil else { return }
        guard !rule.isEmpty else {
            return findings.add(
                .emptyRule,
                rule.pointer,
                rule.node.position,
                "The rule has no condition on the URL; on Android it matches nothing, on Apple systems everything.",
                fix: "Write {\"/\": \"*\"} for every URL\(rule.exclude ? " and keep 'exclude'" : "")."
            )
        }
        for (key, part) in [("/", AndroidDecision.Part.Kind.path), ("?", .item), ("#", .fragment)] {
            guard let node = rule.node[key] else { continue }
            let pointer = "\(rule.pointer)/\(JSONNode.pointerToken(key))"
            if let pattern = node.text { inspect(pattern, part, node, pointer, &findings) }
            for item in part == .item ? node.effectiveMembers : [] {
                guard findings.continues() else { return }
                guard let pattern = item.value.text else { continue }
                let pointer = "\(pointer)/\(JSONNode.pointerToken(item.key))"
                inspect(pattern, part, item.value, pointer, &findings, name: item.key)
            }
        }
    }

    private static func inspect(
        _ pattern: String,
        _ part: AndroidDecision.Part.Kind,
        _ node: JSONNode,
        _ pointer: String,
        _ findings: inout AndroidFindings,
        name: String? = nil
    ) {
        func add(_ code: AssociationFinding.Code, _ message: String, _ fix: String) {
            findings.add(code, pointer, node.position, message, fix: fix)
        }
        if part == .path, let start = pattern.utf8.first, !"/*?".utf8.contains(start) {
            add(
                .androidNoSlash,
                "The path of a URL begins with '/', so '\(pattern)' matches no URL.",
                "Write '/\(pattern)'."
            )
        }
        if part == .path, pattern.utf8.contains(UInt8(ascii: "#")) || AndroidPatternAdvice.hasItem(pattern) {
            add(
                .androidPathSyntax,
                "A path contains no query and no fragment; here, '?' matches one character and '#' only itself.",
                "Use the keys '?' and '#'."
            )
        } else if part == .path, AndroidPatternAdvice.isForeignSyntax(pattern) {
            add(
                .androidPathSyntax,
                "Patterns have no named parameters and no regular expressions; this text is compared literally.",
                "Write '*' for any text and '?' for one character."
            )
        } else if pattern.containsBytes(of: "$(") {
            add(
                .androidPathSyntax,
                "Android has no variables; '$(' is compared literally.",
                "Write a rule for each value."
            )
        }
        if AndroidPatternAdvice.hasWildcardAfterStar(pattern) {
            add(
                .wildcardAfterStar,
                "Android's source looks for a dot when a wildcard follows '*', so this pattern probably matches nothing.",
                "Write '?*' for one or more characters, and a single '*' for any text."
            )
        }
        if let decoded = AndroidPatternAdvice.decoded(pattern) {
            add(
                .androidEncoding,
                "Android decodes the URL before it compares, so the escape in '\(pattern)' is compared literally.",
                "Write '\(decoded)'."
            )
        }
        if let example = AndroidPatternAdvice.textThatAStarMisses(pattern, part) {
            add(
                .starStops,
                "'*' ends at the first occurrence of the character after it and does not backtrack: '\(pattern)' "
                    + "does not match '\(example)'.",
                "End the pattern with its first '*', or write a rule for each prefix."
            )
        }
        if let verdict = AndroidPatternAdvice.verdictOfAndroid15(pattern, part, item: name) {
            let shown = name.map { "\($0)=\(pattern)" } ?? pattern
            let withoutPlus = String(pattern.map { $0 == "+" ? "?" : $0 })
            let isEnough = AndroidPatternAdvice.verdictOfAndroid15(withoutPlus, part, item: name) == nil
            add(
                .greedyWildcard,
                "In the source of Android 15, '?*' takes the rest of the text and '+' repeats the character before it: "
                    + "there, '\(shown)' \(verdict.matches ? "matches" : "does not match") '\(verdict.text)'.",
                isEnough
                    ? "Write '\(withoutPlus)'."
                    : "Write '*' in place of every '?*', or end the pattern with its first '?*'."
            )
        }
    }

    private static func add(_ flaw: AssetLinks.DynamicRules.Flaw, _ findings: inout AndroidFindings) {
        let isQuery = flaw.key == "?" && flaw.pointer.hasSuffix("/?")
        findings.add(
            isQuery ? .queryType : .ruleValue,
            flaw.pointer,
            flaw.position,
            "\(flaw.key.map { "'\($0)': " } ?? "")\(flaw.problem); Android then drops all dynamic rules of the "
                + "statement, and only the manifest decides.",
            fix: isQuery
                ? "Write an object of names and patterns, such as {\"id\": \"*\"}; Android does not read a query "
                    + "that is a string."
                : "Write a list of objects with '/', '#' (strings), '?' (an object of strings) and 'exclude' "
                    + "(true or false)."
        )
    }

    private static func add(unread member: JSONNode.Member, _ pointer: String, _ findings: inout AndroidFindings) {
        let isApples = appleKeys.contains(member.key)
        findings.add(
            .ruleKey,
            "\(pointer)/\(JSONNode.pointerToken(member.key))",
            member.keyPosition,
            isApples
                ? "Only Apple systems read '\(member.key.excerpt)'; Android always compares decoded text and is "
                    + "case-sensitive."
                : "Android does not document the key '\(member.key.excerpt)' here; it is assumed to be ignored.",
            fix: isApples
                ? "Remove it, and write out the rules that have the same effect."
                : "Write one of '/', '?', '#', 'exclude' and 'comments', or remove it."
        )
    }
}
