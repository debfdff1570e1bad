/// Finds patterns of other routers and regular expressions in a route, which match only literally.
struct SyntaxCheck {
    let route: Route
    let path: String

    var findings: [Finding] {
        var findings = [pathFinding]
        switch route.fragment {
        case .pattern(let pattern)?:
            findings.append(
                ForeignPath.corrected(pattern.description).map { finding(at: "fragment", $0, "Write \($0.text).") }
            )
        case .equals(let text)?: findings.append(fragmentFinding(text))
        case nil: break
        }
        for condition in route.query {
            guard case .oneOf(let values) = condition.test else { continue }
            findings.append(values.lazy.compactMap { value in queryFinding(condition.name, value) }.first)
        }
        return findings.compactMap(\.self)
    }

    // MARK: Texts

    private var pathFinding: Finding? {
        let path = route.path.description
        let correction = ForeignPath.corrected(path)
        guard let (group, without, with) = ForeignPath.alternatives(of: path) else {
            return correction.map { finding(at: "path", $0, "Write \($0.text).") }
        }
        let isCertain = correction?.isCertain ?? false
        return finding(
            at: "path",
            ForeignPath(found: group, text: without, isCertain: isCertain),
            with.map { "Write two routes, one with the path \(without) and one with \($0)." }
                ?? "Write a route for each form of the path."
        )
    }

    private func fragmentFinding(_ text: String) -> Finding? {
        guard !text.hasPrefix("#") else {
            let rest = String(text.drop { $0 == "#" })
            let correction = ForeignPath(found: text, text: ForeignPath.corrected(rest)?.text ?? rest, isCertain: true)
            return finding(at: "fragment", correction, "Write \(correction.text): the fragment begins behind the '#'.")
        }
        guard let correction = ForeignPath.corrected(text, braces: .foreign) else { return nil }
        return finding(
            at: "fragment",
            correction,
            text.hasPrefix("!")
                ? "Only a fragment that begins with '/' is a pattern: write each fragment, or leave 'fragment' out and read it "
                    + "in the app."
                : "A fragment that begins with '/' is a pattern: write /\(correction.text) for links with '#/'."
        )
    }

    private func queryFinding(_ name: String, _ value: String) -> Finding? {
        if value == "*" {
            return finding(
                at: "query",
                ForeignPath(found: value, text: value, isCertain: false),
                "Write '\(name): present' for any value."
            )
        }
        guard let correction = ForeignPath.corrected(value, braces: .foreign) else { return nil }
        let type = correction.text.contains(":int") ? "int" : "string"
        return finding(at: "query", correction, "Write '\(name): \(type)', which captures the value.")
    }

    private func finding(at key: String, _ correction: ForeignPath, _ fix: String) -> Finding {
        Finding(
            .foreignSyntax,
            correction.isCertain ? .error : .warning,
            path: "\(path).\(key)",
            route: route.id,
            message:
                "'\(correction.found)' looks like a regular expression or a parameter of another router, but matches only "
                + "this text.",
            fix: fix
        )
    }
}
