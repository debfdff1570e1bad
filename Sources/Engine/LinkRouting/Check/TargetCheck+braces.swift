extension TargetCheck {
    /// Reports `{name}` in texts that are no templates, and `{name: null}`: what YAML reads for `{name}` without quotes.
    func checkBraces(of target: RouteTarget, _ findings: inout FindingList) {
        if let campaign = target.store?.campaign, let name = Self.placeholders(in: campaign).first {
            addBraces(
                at: "store.campaign",
                "The store gets '{\(name)}' as it is: 'campaign' of 'store' is no template.",
                "Write 'store: true', and as a key of the route 'campaign: \"\(campaign)\"', which is a template.",
                &findings
            )
        }
        if let open = target.open { checkBraces(of: open, &findings) }
        if let data = target.data { checkNested(data, at: "data", &findings) }
    }

    private func checkBraces(of open: Open, _ findings: inout FindingList) {
        for screen in [open.screen] + open.stack.map(\.name) {
            guard let name = Self.placeholders(in: screen).first else { continue }
            addBraces(
                at: "open",
                "The app gets the screen '\(screen)' as it is: the name of a screen is no template.",
                "Name a screen of the app, and give it the value in 'arguments: {\(name): \"{\(name)}\"}'.",
                &findings
            )
        }
        for argument in open.arguments + open.stack.flatMap(\.arguments) {
            guard case .constant(let node) = argument.value else { continue }
            let key = "open.arguments.\(argument.name)"
            if let name = node.unquotedPlaceholder {
                addUnquoted(name, at: key, &findings)
            } else {
                checkNested(node, at: key, &findings)
            }
        }
    }

    /// Reports the first value in JSON that is passed through, if it names a parameter of the route.
    private func checkNested(_ node: JSONNode, at key: String, _ findings: inout FindingList) {
        if let name = node.firstValue({ $0.unquotedPlaceholder.flatMap { known.contains($0) ? $0 : nil } }) {
            addUnquoted(name, at: key, &findings)
        } else if let name = node.firstValue({ Self.placeholders(in: $0.text ?? "").first(where: known.contains) }) {
            addBraces(
                at: key,
                "The app gets '{\(name)}' as it is: texts inside of JSON are no templates.",
                "Write 'arguments: {\(name): \"{\(name)}\"}'.",
                &findings
            )
        }
    }

    private func addUnquoted(_ name: String, at key: String, _ findings: inout FindingList) {
        add(
            .literalBraces,
            known.contains(name) ? .error : .warning,
            at: key,
            "The value is the object {\"\(name)\": null}, which YAML reads for {\(name)} without quotes.",
            "Write it with quotes: \"{\(name)}\".",
            &findings
        )
    }

    private func addBraces(at key: String, _ message: String, _ fix: String, _ findings: inout FindingList) {
        add(.literalBraces, .warning, at: key, message, fix, &findings)
    }

    /// Returns the names in braces.
    static func placeholders(in text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return [] }
        return text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            guard let end = part.firstIndex(of: "}"), isParameterName(part[..<end]) else { return nil }
            return String(part[..<end])
        }
    }
}

extension JSONNode {
    /// The only key of an object whose value is null.
    fileprivate var unquotedPlaceholder: String? {
        guard let members, members.count == 1, members[0].value.value == .null, isParameterName(members[0].key) else {
            return nil
        }
        return members[0].key
    }

    /// Returns the first result for this value and those that it contains.
    fileprivate func firstValue<Result>(_ result: (JSONNode) -> Result?) -> Result? {
        if let result = result(self) { return result }
        for part in elements ?? (members ?? []).map(\.value) {
            if let result = part.firstValue(result) { return result }
        }
        return nil
    }
}
