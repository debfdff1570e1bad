import LinkRouting

/// Validates the dynamic rules of a file.
enum AndroidRulesInspection {
    private static let appleKeys = ["caseSensitive", "percentEncoded", "comment", "defaults", "substitutionVariables"]
    private static let keys = ["/", "?", "#", "exclude"]

    static func inspect(_ file: AssetLinks, _ findings: inout AndroidFindings) {
        var first: [String: AssetLinks.Statement] = [:]
        var cover = AndroidRuleCover()
        var hasToldManifest = false
        for statement in file.statements {
            guard let rules = statement.dynamicRules, let package = statement.packageName else { continue }
            if let earlier = first[package] {
                findings.add(
                    .severalRuleSets,
                    rules.pointer,
                    rules.node.position,
                    "Statement \(earlier.index) has dynamic rules for '\(package)' already; which of the two Android uses is not "
                        + "guaranteed.",
                    fix: "Put all rules of the app into one statement."
                )
            } else {
                first[package] = statement
            }
            if !hasToldManifest, rules.node.elements?.isEmpty == false {
                hasToldManifest = true
                findings.add(
                    .manifest,
                    rules.pointer,
                    rules.node.position,
                    "Rules only narrow what the app's manifest takes, and only on Android 15 and later with Google services.",
                    fix:
                        "Declare scheme and host in an intent filter with android:autoVerify=\"true\", and no narrower path."
                )
            }
            inspectSiblings(of: rules, statement, &findings)
            inspect(rules, &cover, &findings)
        }
    }

    private static func inspectSiblings(
        of rules: AssetLinks.DynamicRules,
        _ statement: AssetLinks.Statement,
        _ findings: inout AndroidFindings
    ) {
        let relation = StatementRelation.handleAllURLs.description
        let pointer = "\(statement.pointer)/relation_extensions/\(JSONNode.pointerToken(relation))"
        for member in statement.node["relation_extensions"]?[relation]?.members ?? []
        where member.key != AssetLinks.DynamicRules.key { add(unread: member, pointer, &findings) }
    }

    private static func inspect(
        _ rules: AssetLinks.DynamicRules,
        _ cover: inout AndroidRuleCover,
        _ findings: inout AndroidFindings
    ) {
        if rules.node.elements == nil, let flaw = rules.flaw { return add(flaw, &findings) }
        for rule in rules.rules { inspect(rule, &findings) }
        if let last = rules.rules.last, rules.rules.allSatisfy(\.exclude) {
            findings.add(
                .androidExcludeOnly,
                last.pointer,
                last.node.position,
                "All rules exclude, and what no rule matches is not opened either: on Android 15 the app opens no link.",
                fix: "End the list with {\"/\": \"*\"}."
            )
        }
        for (rule, covering) in cover.unreachable(rules.rules) {
            findings.add(
                .androidUnreachableRule,
                rule.pointer,
                rule.node.position,
                "Rule \(rule.index) can never be reached: rule \(covering.index) takes all of its URLs first.",
                fix: "Put it before rule \(covering.index), or remove it."
            )
        }
    }

    private static func inspect(_ rule: AssetLinks.Rule, _ findings: inout AndroidFindings) {
        if let flaw = rule.flaw { add(flaw, &findings) }
        for member in rule.node.members ?? [] where !keys.contains(member.key) {
            add(unread: member, rule.pointer, &findings)
        }
        guard rule.flaw == nil else { return }
        guard !rule.isEmpty else {
            return findings.add(
                .emptyRule,
                rule.pointer,
                rule.node.position,
                "The rule names no part of the URL; Android takes it to match nothing (Apple: everything).",
                fix: "Write {\"/\": \"*\"} for every URL\(rule.exclude ? " and keep 'exclude'" : "")."
            )
        }
        if let path = rule.path { inspect(path, .path, "/", rule, &findings) }
        for item in rule.query { inspect(item.pattern, .item, "?", rule, &findings, name: item.name) }
        if let fragment = rule.fragment { inspect(fragment, .fragment, "#", rule, &findings) }
    }

    private static func inspect(
        _ pattern: String,
        _ part: AndroidDecision.Part.Kind,
        _ key: String,
        _ rule: AssetLinks.Rule,
        _ findings: inout AndroidFindings,
        name: String? = nil
    ) {
        let node = name.flatMap { rule.node[key]?[$0] } ?? rule.node[key] ?? rule.node
        let path = [key, name].compactMap { $0 }
        let pointer = path.reduce(rule.pointer) { "\($0)/\(JSONNode.pointerToken($1))" }
        func add(_ code: AssociationFinding.Code, _ message: String, _ fix: String) {
            findings.add(code, pointer, node.position, message, fix: fix)
        }
        if part == .path, let start = pattern.utf8.first, !"/*?".utf8.contains(start) {
            add(
                .androidNoSlash,
                "The path of a URL begins with '/', so that '\(pattern)' matches none.",
                "Write '/\(pattern)'."
            )
        }
        if part == .path, pattern.utf8.contains(UInt8(ascii: "#")) || AndroidPatternAdvice.hasItem(pattern) {
            add(
                .androidPathSyntax,
                "The path holds no query and no fragment; '?' is one character here and '#' itself.",
                "Use the keys '?' and '#'."
            )
        } else if pattern.contains("$(") {
            add(
                .androidPathSyntax,
                "Android knows no variables; '$(' is compared as it is.",
                "Write a rule for each value."
            )
        }
        if let decoded = AndroidPatternAdvice.decoded(pattern) {
            add(
                .androidEncoding,
                "Android decodes the URL before it compares, so that the escape in '\(pattern)' is looked for as it is.",
                "Write '\(decoded)'."
            )
        }
        if let example = AndroidPatternAdvice.textThatAStarMisses(pattern, part) {
            add(
                .starStops,
                "'*' ends at the first place where the character after it stands and tries no later one: '\(pattern)' does not "
                    + "match '\(example)'.",
                "End the pattern with its first '*', or write a rule for each prefix."
            )
        }
    }

    private static func add(_ flaw: AssetLinks.DynamicRules.Flaw, _ findings: inout AndroidFindings) {
        let isQuery = flaw.key == "?" && flaw.pointer.hasSuffix("/?")
        findings.add(
            isQuery ? .queryType : .ruleValue,
            flaw.pointer,
            flaw.position,
            "\(flaw.key.map { "'\($0)': " } ?? "")\(flaw.problem); Android then drops all dynamic rules of the statement, and the "
                + "manifest decides alone.",
            fix: isQuery
                ? "Write an object of names and patterns, such as {\"id\": \"*\"}; Android reads no query as a string."
                : "Write a list of objects with '/', '#' (texts), '?' (an object of texts) and 'exclude' (true or false)."
        )
    }

    private static func add(unread member: JSONNode.Member, _ pointer: String, _ findings: inout AndroidFindings) {
        let isApples = appleKeys.contains(member.key)
        findings.add(
            .ruleKey,
            "\(pointer)/\(JSONNode.pointerToken(member.key))",
            member.keyPosition,
            isApples
                ? "Only Apple reads '\(member.key)'; Android has no such switch, compares decoded text and minds the case."
                : "'\(member.key)' is no key that Android documents here; it is assumed to be ignored.",
            fix: isApples
                ? "Remove it and write out the rules that it stands for."
                : "Write one of '/', '?', '#' and 'exclude', or remove it."
        )
    }
}
