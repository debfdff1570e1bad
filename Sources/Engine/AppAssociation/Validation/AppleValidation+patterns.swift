import LinkRouting

/// The URL component that a pattern is compared with.
enum PatternPart: String {
    case path, query, fragment
}

/// The form in which a rule is written.
enum RuleForm {
    /// An object in `components`.
    case component(isExcluded: Bool)
    /// A string in `paths`.
    case path(isExcluded: Bool)

    /// A correction that replaces the whole rule.
    fileprivate func fix(path: String, _ condition: String) -> String {
        switch self {
        case .component(let isExcluded):
            let parts = (path.isEmpty ? [] : ["\"/\": \"\(path)\""]) + [condition]
            return "Write {\(parts.joined(separator: ", "))\(isExcluded ? ", \"exclude\": true" : "")}."
        case .path:
            return "Remove it, or write all rules as 'components', which have conditions for queries and fragments."
        }
    }

    /// A correction of the pattern alone.
    func fix(pattern: String) -> String {
        if case .path(isExcluded: true) = self { "Write \"NOT \(pattern)\"." } else { "Write \"\(pattern)\"." }
    }
}

extension AppleValidation {
    /// Checks an element of `paths`.
    mutating func checkPath(_ rule: AppleAppSiteAssociation.Rule) {
        let location = Location(rule.node, rule.pointer)
        guard let text = rule.node.text else {
            return add(
                .valueType,
                location,
                "This path is \(rule.node.kind), not a string: as far as is known, it matches every URL.",
                fix: "Write the path in quotes."
            )
        }
        if case .given(let path) = rule.keys.path {
            if let path = Self.misspeltNot(path), rule.keys.exclude == .given(false) {
                return add(
                    .pathSyntax,
                    location,
                    "'\(text)' excludes nothing: it is a literal path that no URL has.",
                    fix: "Write \"NOT \(path)\", with NOT in capitals and exactly one space."
                )
            }
            checkPattern(
                path,
                location,
                .path,
                Glob.Reading(),
                form: .path(isExcluded: rule.keys.exclude == .given(true))
            )
        }
    }

    /// Returns the path after a misspelt `NOT `; nil if the text has none.
    private static func misspeltNot(_ text: String) -> String? {
        for start in ["!", "NOT", "not", "Not"] where text.hasPrefix(start) {
            let rest = text.dropFirst(start.count).drop { $0 == " " || $0 == ":" }
            if rest.hasPrefix("/") || rest.hasPrefix("*") { return String(rest) }
        }
        return nil
    }

    mutating func checkPattern(
        _ text: String,
        _ location: Location,
        _ part: PatternPart,
        _ reading: Glob.Reading,
        form: RuleForm = .component(isExcluded: false)
    ) {
        // A pattern in a foreign syntax gets one finding only.
        switch part {
        case .path: if checkPathSyntax(text, location, form) == .foreign { return }
        case .query, .fragment: if checkRouterSyntax(text, part, location, form) == .foreign { return }
        }
        let inspection = PatternInspection(text, variables)
        for code in inspection.codes {
            switch code {
            case .unknownVariable, .unterminatedVariable:
                let names = inspection.names.filter { variables.custom[$0] == nil && !PatternVariables.isBuiltIn($0) }
                guard keeps(.unknownVariable) else { break }
                let shown = names.sorted().prefix(Self.maximumNames)
                let named = shown.map(\.excerpt).joined(separator: "', '")
                let others = names.count > shown.count ? " (and \(names.count - shown.count) more)" : ""
                let near = nearest(to: shown)
                add(
                    .unknownVariable,
                    location,
                    code == .unterminatedVariable
                        ? "'$(' has no ')': the pattern matches nothing."
                        : "No variable is called '\(named)'\(others): the pattern matches nothing.",
                    fix: near.map { "Write $(\($0))." }
                        ?? "Define it in 'applinks.substitutionVariables', or write '?' to match one '$'."
                )
            case .backslash:
                add(
                    .backslash,
                    location,
                    "What a backslash means in a pattern is not documented; it does not escape '*' or '?'.",
                    fix: "Remove it; '?' matches any one character."
                )
            case .complexity:
                add(
                    .complexity,
                    location,
                    "The pattern has more than 64 wildcards and variables; devices are reported to reject it, so it "
                        + "matches nothing.",
                    fix: "Use fewer; one '*' also matches slashes."
                )
            default: break
            }
        }
        checkEncoding(text, location, part, reading)
    }

    /// The maximum number of unknown variables of one pattern that a finding names.
    private static let maximumNames = 8

    private func nearest(to names: ArraySlice<String>) -> String? {
        let known = variables.custom.names + Self.builtInNames
        return names.lazy.compactMap { KeySpelling.nearest(to: $0, among: known) }.first
    }

    private static let builtInNames = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "lang", "region"]

    // MARK: Syntax

    enum Syntax {
        case own, foreign
    }

    private mutating func checkPathSyntax(_ text: String, _ location: Location, _ form: RuleForm) -> Syntax {
        let bytes = Array(text.utf8)
        if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) {
            let path = String(decoding: bytes[..<hash], as: UTF8.self)
            let fragment = String(decoding: bytes[(hash + 1)...], as: UTF8.self)
            add(
                .fragmentInPath,
                location,
                "'#' never occurs in a path: this pattern matches nothing.",
                fix: form.fix(path: path, "\"#\": \"\(fragment)\"")
            )
            return .foreign
        }
        if let (path, items) = Self.query(in: bytes) {
            add(
                .queryInPath,
                location,
                "In a path, '?' matches one character and does not begin the query: this pattern matches no URL "
                    + "with a query.",
                fix: form.fix(path: path, "\"?\": {\(items)}")
            )
            return .foreign
        }
        if let (meaning, fix) = Self.foreignSyntax(text, bytes, form) {
            add(.pathSyntax, location, "\(meaning) It is compared as literal text here.", fix: fix)
            return .foreign
        }
        if checkRouterSyntax(text, .path, location, form) == .foreign { return .foreign }
        if let (meaning, fix) = Self.expression(text, bytes) {
            add(.pathSyntax, location, "\(meaning) It is compared as literal text here.", fix: fix)
            return .foreign
        }
        guard let first = bytes.first, ![UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "$")].contains(first) else {
            return .own
        }
        add(
            .noSlash,
            location,
            "The path does not begin with a slash. Recorded runs of Apple's tool show that iOS accepts this; older "
                + "systems may not.",
            fix: form.fix(pattern: "/\(text)")
        )
        return .own
    }

    /// The bytes that the name of a query item usually has.
    private static let plainInItemName = ByteSet.letters.union(.digits).union(ByteSet("_-.[]"))

    /// Returns the parts of a path with a query such as `?id=1&x=2`: the path before it, and the members of an object
    /// with its items. Nil if the path has no query.
    private static func query(in bytes: [UInt8]) -> (path: String, items: String)? {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let text = { (bytes: ArraySlice<UInt8>) in String(decoding: bytes, as: UTF8.self) }
        var items: [String] = []
        for item in bytes[(mark + 1)...].split(separator: UInt8(ascii: "&")) {
            let name = item.prefix(while: Self.plainInItemName.contains)
            guard !name.isEmpty, name.endIndex == item.endIndex || item[name.endIndex] == UInt8(ascii: "=") else {
                return nil
            }
            guard name.endIndex < item.endIndex else {
                guard !items.isEmpty else { return nil }
                continue
            }
            let value = item[(name.endIndex + 1)...]
            // `*` would also match an absent item.
            let pattern = value.isEmpty || value.elementsEqual("*".utf8) ? "?*" : text(value)
            items.append("\"\(text(name))\": \"\(pattern)\"")
        }
        return items.isEmpty ? nil : (text(bytes[..<mark]), items.joined(separator: ", "))
    }

    /// Returns an explanation and a correction for URLs, hosts and exclusions; nil if the pattern is none of these.
    private static func foreignSyntax(_ text: String, _ bytes: [UInt8], _ form: RuleForm) -> (String, String)? {
        if text.containsBytes(of: "://") {
            let path = text.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
            return ("A path contains no scheme and no host.", form.fix(pattern: path.isEmpty ? "/*" : String(path)))
        }
        if let path = misspeltNot(text) {
            return ("'NOT' and '!' exclude nothing here.", "Write {\"/\": \"\(path)\", \"exclude\": true}.")
        }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        if segments.count > 1, let first = segments.first, !first.isEmpty,
            first.containsBytes(of: "."), !first.containsBytes(of: "*"),
            first.utf8.allSatisfy(ByteSet.letters.union(.digits).union(ByteSet(".-")).contains)
        {
            return (
                "'\(first)' looks like a host, and a path contains none.",
                form.fix(pattern: "/\(segments.dropFirst().joined(separator: "/"))")
            )
        }
        return nil
    }

    /// Returns an explanation and a correction for a regular expression; nil if the pattern is none.
    private static func expression(_ text: String, _ bytes: [UInt8]) -> (String, String)? {
        let expressions = [".*", ".+", "[^", "[0-9", "[a-z", "[A-Z", "\\d", "\\w"]
        let isExpression =
            expressions.contains(where: text.containsBytes) || bytes.first == UInt8(ascii: "^")
            || bytes.last == UInt8(ascii: "$")
            || bytes.contains(UInt8(ascii: "(")) && bytes.contains(UInt8(ascii: "|")) && !text.containsBytes(of: "$(")
        guard isExpression else { return nil }
        return (
            "This looks like a regular expression, which patterns do not support.",
            "Use '*' for any text and '?' for one character."
        )
    }

    // MARK: Encoding

    /// Returns the pattern with each variable replaced by `*`. The text from the first unterminated variable on stays.
    static func withoutVariables(_ pattern: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = pattern[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "(") else {
                bytes.append(byte)
                continue
            }
            // No later variable is terminated either. Searching for each of them would take quadratic time.
            guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return bytes + [byte] + rest }
            bytes.append(UInt8(ascii: "*"))
            rest = rest[(end + 1)...]
        }
        return bytes
    }

    /// The bytes that a URL contains only in encoded form.
    private static let neverInURLs = ByteSet(0...0x20).union(ByteSet(0x7F...0xFF)).union(ByteSet("\"<>`"))

    private mutating func checkEncoding(
        _ text: String,
        _ location: Location,
        _ part: PatternPart,
        _ reading: Glob.Reading
    ) {
        // The names of variables are not compared with the URL.
        let bytes = Self.withoutVariables(Array(text.utf8))
        let escapes = bytes.indices.filter { index in
            bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && ByteSet.hexDigits.contains(bytes[index + 1])
                && ByteSet.hexDigits.contains(bytes[index + 2])
        }
        guard reading.comparesEncoded else {
            guard !escapes.isEmpty else { return }
            return add(
                .encoding,
                location,
                "With \"percentEncoded\": false, the URL is decoded but the pattern is not: this escape matches "
                    + "only a URL that escapes the '%' itself.",
                fix: "Write the characters themselves."
            )
        }
        guard !bytes.contains(where: Self.neverInURLs.contains) else {
            let digits = Array("0123456789ABCDEF".utf8)
            let encoded = bytes.flatMap { byte -> [UInt8] in
                guard Self.neverInURLs.contains(byte) else { return [byte] }
                return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            return add(
                .encoding,
                location,
                "URLs are compared in encoded form, which contains no spaces and no non-ASCII characters: this "
                    + "matches nothing.",
                fix:
                    "Write \"\(String(decoding: encoded, as: UTF8.self))\", or set \"percentEncoded\": false (iOS 14 and later)."
            )
        }
        let hasSmallDigit = escapes.contains { bytes[$0 + 1...$0 + 2].contains(where: ByteSet.lower.contains) }
        guard hasSmallDigit, !reading.foldsCase else { return }
        add(
            .escapeCase,
            location,
            "The hexadecimal digits of an escape are case-sensitive: %c3 does not match %C3, which most URLs use.",
            fix: "Write them in capitals, or set \"caseSensitive\": false."
        )
    }
}
