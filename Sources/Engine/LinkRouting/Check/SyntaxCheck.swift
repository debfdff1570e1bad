/// Finds patterns of other routers and regular expressions in a route, which match only literally.
struct SyntaxCheck {
    let route: Route
    let path: String

    var findings: [Finding] {
        var findings = [Self.corrected(route.path.description).map { finding(at: "path", $0, "Write \($0.text).") }]
        switch route.fragment {
        case .pattern(let pattern)?:
            findings.append(
                Self.corrected(pattern.description).map { finding(at: "fragment", $0, "Write \($0.text).") }
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

    private func fragmentFinding(_ text: String) -> Finding? {
        guard !text.hasPrefix("#") else {
            let rest = String(text.drop { $0 == "#" })
            let correction = Correction(found: text, text: Self.corrected(rest)?.text ?? rest, isCertain: true)
            return finding(at: "fragment", correction, "Write \(correction.text): the fragment begins behind the '#'.")
        }
        guard let correction = Self.corrected(text, braces: .foreign) else { return nil }
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
                Correction(found: value, text: value, isCertain: false),
                "Write '\(name): present' for any value."
            )
        }
        guard let correction = Self.corrected(value, braces: .foreign) else { return nil }
        let type = correction.text.contains(":int") ? "int" : "string"
        return finding(at: "query", correction, "Write '\(name): \(type)', which captures the value.")
    }

    private func finding(at key: String, _ correction: Correction, _ fix: String) -> Finding {
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

    // MARK: Corrections

    /// A pattern with what its author probably means.
    struct Correction {
        /// The first segment that is foreign.
        let found: String
        /// The whole text, corrected.
        let text: String
        let isCertain: Bool
    }

    enum Braces {
        /// They are parameters.
        case own
        /// They are plain text.
        case foreign
    }

    /// Returns the correction of a text of segments; nil if none is foreign.
    static func corrected(_ text: String, braces: Braces = .own) -> Correction? {
        guard mayBeForeign(text, braces) else { return nil }
        var found: String?
        var isCertain = false
        var unnamed = 0
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).compactMap { segment -> String? in
            guard let (pattern, certain) = corrected(segment: segment, braces) else { return String(segment) }
            if found == nil { found = String(segment) }
            isCertain = isCertain || certain
            guard let pattern, pattern.hasPrefix("{name") else { return pattern }
            unnamed += 1
            return unnamed == 1 ? pattern : "{name\(unnamed)\(pattern.dropFirst(5))"
        }
        guard let found else { return nil }
        let text = segments.joined(separator: "/")
        return Correction(found: found, text: text.isEmpty ? "/" : text, isCertain: isCertain)
    }

    private static func corrected(segment: Substring, _ braces: Braces) -> (pattern: String?, isCertain: Bool)? {
        // An escape says that the text is meant.
        guard segment != "*", braces == .foreign || !segment.utf8.contains(UInt8(ascii: "\\")) else { return nil }
        guard let open = segment.firstIndex(of: "{"), let close = segment[open...].firstIndex(of: "}") else {
            return ForeignSegment(segment).map { ($0.pattern, $0.isCertain) }
        }
        let inner = segment[open..<close]
        if braces == .foreign {
            let name = inner.dropFirst().prefix { $0 != ":" && $0 != "." && $0 != "(" }
            return isParameterName(name) ? (String(segment), true) : nil
        }
        if inner.contains("("), inner.contains("|") {
            return (String(segment.map { $0 == "|" ? "," : $0 }), true)
        }
        return segment.hasPrefix("${") ? (String(segment.dropFirst()), false) : nil
    }

    /// Whether a segment has a mark of foreign syntax. Few patterns have one, and the search for its form is slow.
    private static func mayBeForeign(_ text: String, _ braces: Braces) -> Bool {
        var isInBraces = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                if braces == .foreign { return true }
                isInBraces = true
            case UInt8(ascii: "}"): isInBraces = false
            case UInt8(ascii: "|") where isInBraces: return true
            default:
                if !isInBraces, ForeignSegment.isMark(byte) { return true }
            }
        }
        return false
    }
}
