import LinkRouting

/// Notes behaviour that Apple does not document, in the rules and defaults that a decision evaluates.
struct RuleInspection {
    private let variables: PatternVariables
    /// The notes on the values of the file's variables, by name.
    private let variableCodes: [String: [AppleDecision.Note.Code]]
    private(set) var notes: [AppleDecision.Note] = []

    init(_ applinks: AppleAppSiteAssociation.Applinks, _ variables: PatternVariables) {
        self.variables = variables
        var codes: [String: [AppleDecision.Note.Code]] = [:]
        for member in applinks.node["substitutionVariables"]?.effectiveMembers ?? [] {
            codes[member.key] = Self.codes(ofVariable: member.value)
        }
        variableCodes = codes
        inspectKeys(of: applinks.node["defaults"], at: "\(AppleAppSiteAssociation.Applinks.pointer)/defaults")
    }

    mutating func inspect(_ entry: AppleAppSiteAssociation.Entry) {
        inspectKeys(of: entry.node["defaults"], at: "\(entry.pointer)/defaults")
        add(duplicates(in: entry.node), at: entry.pointer)
        if let components = entry.node["components"], components.elements == nil {
            add([.componentsType], at: entry.pointer)
        }
        switch entry.rules {
        case .paths where entry.node["appIDs"]?.elements != nil: add([.appIDsBesidePaths], at: entry.pointer)
        case .none: add([.noRules], at: entry.pointer)
        case .paths, .components: break
        }
    }

    mutating func inspect(_ rule: AppleAppSiteAssociation.Rule, of entry: AppleAppSiteAssociation.Entry) {
        guard notes.count < AppleDecision.maximumNotes else { return }
        guard case .paths = entry.rules else {
            if rule.node.members == nil { add([.ruleType], at: rule.pointer) }
            return inspectKeys(of: rule.node, at: rule.pointer)
        }
        guard let text = rule.node.text, case .given(let path) = rule.keys.path else {
            return add([.patternType], at: rule.pointer)
        }
        if rule.keys.exclude == .given(true), !text.utf8.starts(with: "NOT ".utf8) {
            add([.notInLowerCase], at: rule.pointer)
        }
        add(codes(ofPattern: path), at: rule.pointer)
    }

    private mutating func inspectKeys(of node: JSONNode?, at pointer: String) {
        guard let node, notes.count < AppleDecision.maximumNotes else { return }
        add(duplicates(in: node), at: pointer)
        for key in ["/", "#"] {
            guard let pattern = node[key] else { continue }
            let pointer = "\(pointer)/\(JSONNode.pointerToken(key))"
            add(pattern.text.map(codes(ofPattern:)) ?? [.patternType], at: pointer)
        }
        if let query = node["?"] { inspectQuery(query, at: "\(pointer)/?") }
        for key in ["exclude", "caseSensitive", "percentEncoded"] {
            if let flag = node[key], flag.bool == nil { add([.flagType], at: "\(pointer)/\(key)") }
        }
    }

    private mutating func inspectQuery(_ query: JSONNode, at pointer: String) {
        if let pattern = query.text { return add(codes(ofPattern: pattern), at: pointer) }
        guard let items = query.members else { return add([.queryType], at: pointer) }
        add(items.isEmpty ? [.emptyQuery] : duplicates(in: query), at: pointer)
        for item in items {
            guard notes.count < AppleDecision.maximumNotes else { return }
            add(
                item.value.text.map(codes(ofPattern:)) ?? [.itemType],
                at: "\(pointer)/\(JSONNode.pointerToken(item.key))"
            )
        }
    }

    private func codes(ofPattern pattern: String) -> [AppleDecision.Note.Code] {
        let inspection = PatternInspection(pattern, variables)
        return inspection.codes + inspection.names.sorted().flatMap { variableCodes[$0] ?? [] }
    }

    private static func codes(ofVariable node: JSONNode) -> [AppleDecision.Note.Code] {
        guard let texts = node.texts, let elements = node.elements else { return [.variableType] }
        var codes: [AppleDecision.Note.Code] = texts.count == elements.count ? [] : [.variableType]
        if texts.contains(where: AppleAppSiteAssociation.SubstitutionVariables.refersToVariable) {
            codes.append(.variableInValue)
        }
        return codes
    }

    private func duplicates(in node: JSONNode) -> [AppleDecision.Note.Code] {
        node.hasDuplicateKeys ? [.duplicateKey] : []
    }

    /// Adds a note for each code, at most once for each place.
    private mutating func add(_ codes: [AppleDecision.Note.Code], at pointer: String) {
        for code in codes where notes.count < AppleDecision.maximumNotes {
            let note = AppleDecision.Note(code, at: pointer)
            if !notes.contains(note) { notes.append(note) }
        }
    }
}
