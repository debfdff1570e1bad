/// A text in the syntax of another router or of regular expressions, with what its author probably means.
struct ForeignPath {
    /// The first segment that is foreign.
    let found: String
    /// The whole text, corrected.
    let text: String
    let isCertain: Bool

    enum Braces {
        /// They are parameters.
        case own
        /// They are plain text.
        case foreign
    }

    /// Returns the correction of a text of segments; nil if none is foreign.
    static func corrected(_ text: String, braces: Braces = .own) -> ForeignPath? {
        guard mayBeForeign(text, braces) else { return nil }
        return corrected(text) { corrected(segment: $0, braces) }
    }

    /// Returns the path that a regular expression probably means; nil if no segment is one.
    static func corrected(expression text: String) -> ForeignPath? {
        corrected(withoutAnchors(text)) { segment in ForeignSegment(segment).map { ($0.pattern, $0.isCertain) } }
    }

    /// Returns a regular expression without `^` and `$`, and with `/` instead of `\/`.
    static func withoutAnchors(_ expression: String) -> String {
        var text = expression[...]
        if text.hasPrefix("^") { text.removeFirst() }
        if text.hasSuffix("$") { text.removeLast() }
        var path = ""
        for character in text {
            if character == "/", path.hasSuffix("\\") { path.removeLast() }
            path.append(character)
        }
        return path
    }

    /// Returns the two paths that a path with a group is meant for, without the group and with it: `/a` and `/a/{id}`
    /// for `/a(/:id)`. The second is nil if the group contains another; the result is nil without a group.
    static func alternatives(of text: String) -> (group: String, without: String, with: String?)? {
        guard text.utf8.contains(UInt8(ascii: "(")), let start = text.firstRange(of: "(/")?.lowerBound,
            let end = text[start...].firstIndex(of: ")")
        else { return nil }
        let inner = text[text.index(after: start)..<end]
        let (before, after) = (text[..<start], text[text.index(after: end)...])
        func path(_ text: String) -> String { corrected(text)?.text ?? (text.isEmpty ? "/" : text) }
        return (
            String(text[start...end]), path(String(before + after)),
            inner.contains("(") ? nil : path(String(before + inner + after))
        )
    }

    private static func corrected(
        _ text: String,
        _ segment: (Substring) -> (pattern: String?, isCertain: Bool)?
    ) -> ForeignPath? {
        var found: String?
        var isCertain = false
        var unnamed = 0
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).compactMap { part -> String? in
            guard let (pattern, certain) = segment(part) else { return String(part) }
            if found == nil { found = String(part) }
            isCertain = isCertain || certain
            guard let pattern, pattern.hasPrefix("{name") else { return pattern }
            unnamed += 1
            return unnamed == 1 ? pattern : "{name\(unnamed)\(pattern.dropFirst(5))"
        }
        guard let found else { return nil }
        let text = segments.joined(separator: "/")
        return ForeignPath(found: found, text: text.isEmpty ? "/" : text, isCertain: isCertain)
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
