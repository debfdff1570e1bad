import LinkRouting

extension AppleValidation {
    /// Reports parameters of routers and regular expressions in the segments of a path or fragment, or in the names and
    /// values of a query. The format's own `*`, `?` and `$(name)` are none of these.
    mutating func checkRouterSyntax(
        _ text: String,
        _ part: PatternPart,
        _ location: Location,
        _ form: RuleForm
    ) -> Syntax {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || ForeignSegment.isMark($0) }) else { return .own }
        let bytes = Self.withoutVariables(Array(text.utf8))
        guard let corrected = RouterSyntax(String(decoding: bytes, as: UTF8.self), part) else { return .own }
        let hasVariables = bytes.count != text.utf8.count
        add(
            .pathSyntax,
            corrected.isCertain ? .error : .warning,
            location,
            "'\(corrected.found.excerpt)' looks like a parameter of a router or a regular expression, which patterns do not have. "
                + "It is compared as literal text here.",
            fix: hasVariables ? "Write '*' for any text and '?' for one character." : form.fix(pattern: corrected.text)
        )
        return corrected.isCertain ? .foreign : .own
    }
}

/// A pattern of an association file in the syntax of a router, and its correction.
private struct RouterSyntax {
    private(set) var text = ""
    /// The first segment that is foreign.
    private(set) var found = ""
    private(set) var isCertain = false

    /// Nil if no segment is foreign.
    init?(_ pattern: String, _ part: PatternPart) {
        let separators = part == .query ? "/&=" : "/"
        var segment = ""
        for character in pattern {
            guard separators.contains(character) else {
                segment.append(character)
                continue
            }
            append(segment, part)
            text.append(character)
            segment = ""
        }
        append(segment, part)
        guard !found.isEmpty else { return nil }
        if text.isEmpty { text = "/" }
    }

    private mutating func append(_ segment: String, _ part: PatternPart) {
        guard let (glob, isCertain) = Self.glob(for: segment, part) else { return text.append(segment) }
        if found.isEmpty { found = segment }
        self.isCertain = self.isCertain || isCertain
        if let glob { text.append(glob) } else if !text.isEmpty { text.removeLast() }
    }

    private static func glob(for segment: String, _ part: PatternPart) -> (glob: String?, isCertain: Bool)? {
        if segment.hasPrefix("{"), segment.hasSuffix("}") { return ("?*", true) }
        // A star is the format's own, also behind a dot: '1.*' is every version that begins with '1.'.
        guard segment.utf8.first != UInt8(ascii: "*") else { return nil }
        if part != .path, !segment.hasPrefix(".*"), ForeignSegment(ForeignSegment.withoutStars(segment)) == nil {
            return nil
        }
        return ForeignSegment(segment).map { ($0.glob, $0.isCertain) }
    }
}
