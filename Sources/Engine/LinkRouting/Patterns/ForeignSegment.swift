/// A segment in the syntax of another router, or of regular expressions: `:id`, `<int:id>`, `[id]`, `[...rest]`, `$id`,
/// `*splat`, `(group)`, `(a|b)`, `[0-9]+`. Patterns of links compare it as it is.
package struct ForeignSegment {
    /// What to write in a path of a table instead, such as `{id:int}`; nil to leave the segment out.
    package private(set) var pattern: String? = ""
    /// What to write in a pattern of an association file instead, such as `?*`; nil to leave the segment out.
    package private(set) var glob: String? = ""
    /// Whether nobody means the text itself. `@name` and `$5` may be texts of links.
    package private(set) var isCertain = true

    /// Nil for any other text.
    package init?(_ segment: some StringProtocol) {
        let text = String(segment)
        guard text.utf8.contains(where: Self.isMark) else { return nil }
        if let group = Self.group(text) {
            self = group
        } else if let expression = Self.expression(text) {
            self = expression
        } else if let replaced = Self.replacingParameters(of: text[...]) {
            self = replaced
        } else {
            return nil
        }
    }

    private init(pattern: String?, glob: String?, isCertain: Bool = true) {
        (self.pattern, self.glob, self.isCertain) = (pattern, glob, isCertain)
    }

    /// Whether some foreign syntax contains the byte.
    package static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "$"), UInt8(ascii: "@"),
            UInt8(ascii: "*"),
            UInt8(ascii: "("), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "+"):
            true
        default: false
        }
    }

    /// Returns the segment without each `.*`, which both formats know.
    package static func withoutStars(_ segment: some StringProtocol) -> String {
        let parts = String(segment).split(separator: ".*", omittingEmptySubsequences: false)
        return parts.joined()
    }

    // MARK: Whole segments

    /// Reads `(group)`, `(a|b)` and `(:id)`.
    private static func group(_ text: String) -> ForeignSegment? {
        guard text.hasPrefix("("), text.hasSuffix(")"), text.utf8.count > 2 else { return nil }
        let inner = text.dropFirst().dropLast()
        guard !inner.contains(where: { "()".contains($0) }) else { return nil }
        if inner.contains("|") {
            let values = inner.split(separator: "|")
            return ForeignSegment(pattern: "{name(\(values.joined(separator: ",")))}", glob: "?*")
        }
        if let optional = ForeignSegment(inner) { return optional }
        guard isName(inner) else { return nil }
        return ForeignSegment(pattern: nil, glob: nil, isCertain: false)
    }

    private static let expressions = [
        "[0-9", "[a-z", "[A-Z", "[^", ".*", ".+", "\\d", "\\w", "(?:", "(?P", "(?<", "(?=", "(?!", "[:",
    ]

    private static func expression(_ text: String) -> ForeignSegment? {
        guard text.hasPrefix("^") || expressions.contains(where: text.contains) else { return nil }
        // A parameter with an expression, such as `:id(\d+)` or `<id:[0-9]+>`, keeps its name.
        if text.contains(":") || text.contains("<"), let named = replacingParameters(of: text[...]) { return named }
        let isNumber = ["[0-9]", "\\d"].contains { text.contains($0) } && !text.contains("[a-z")
        return ForeignSegment(pattern: isNumber ? "{name:int}" : "{name}", glob: text.contains("*") ? "*" : "?*")
    }

    // MARK: Parameters in a segment

    /// Replaces each parameter in the text; nil without one.
    private static func replacingParameters(of text: Substring) -> ForeignSegment? {
        var result = ForeignSegment(pattern: "", glob: "")
        var rest = text
        var isFound = false
        while let character = rest.first {
            let isStart =
                rest.startIndex == text.startIndex || !(text[..<rest.startIndex].last?.isWordCharacter ?? false)
            if isStart, let (parameter, end) = parameter(at: rest, of: text) {
                result.append(parameter)
                rest = rest[end...]
                isFound = true
            } else {
                result.append(ForeignSegment(pattern: String(character), glob: String(character)))
                rest.removeFirst()
            }
        }
        return isFound ? result : nil
    }

    private mutating func append(_ part: ForeignSegment) {
        pattern? += part.pattern ?? ""
        glob? += part.glob ?? ""
        isCertain = isCertain && part.isCertain
    }

    /// The length up to which the end of a parameter is looked for, so that a text takes linear time.
    private static let longest = 128

    /// Reads a parameter at the start of `rest`, and returns where it ends.
    private static func parameter(at rest: Substring, of text: Substring) -> (ForeignSegment, String.Index)? {
        let isWhole = rest.startIndex == text.startIndex
        switch rest.first {
        case "<": return bracketed(rest, "<", ">", allowsExpressions: true)
        case "[": return bracketed(rest, "[", "]", allowsExpressions: false)
        case ":": return colon(rest)
        case "*" where isWhole:
            let name = rest.drop { $0 == "*" }
            guard name.isEmpty ? rest.count > 1 : isName(name) else { return nil }
            return (
                ForeignSegment(pattern: "{\(name.isEmpty ? "rest" : identifier(name))...}", glob: "*"), rest.endIndex
            )
        case "$", "@":
            let name = rest.dropFirst().prefix { $0.isWordCharacter }
            let sign = rest.first == "@" ? "@" : ""
            guard isWhole, !name.isEmpty || rest == "$" else { return nil }
            guard !name.isEmpty else {
                return (ForeignSegment(pattern: "{rest...}", glob: "*", isCertain: false), rest.endIndex)
            }
            let pattern = "\(sign){\(isName(name) ? identifier(name) : "name")}"
            return (ForeignSegment(pattern: pattern, glob: "\(sign)?*", isCertain: false), name.endIndex)
        default: return nil
        }
    }

    /// Reads `:id`, `:id?`, `:id+`, `:id*` and `:id(\d+)`.
    private static func colon(_ rest: Substring) -> (ForeignSegment, String.Index)? {
        let name = rest.dropFirst().prefix { $0.isWordCharacter }
        guard isName(name) else { return nil }
        var (end, type) = (name.endIndex, "")
        if rest[end...].first == "(", let close = rest[end...].prefix(longest).lastIndex(of: ")") {
            type = Self.type(ofExpression: rest[rest.index(after: end)..<close])
            end = rest.index(after: close)
        }
        guard let sign = rest[end...].first, "?*+".contains(sign) else {
            return (ForeignSegment(pattern: "{\(identifier(name))\(type)}", glob: "?*"), end)
        }
        end = rest.index(after: end)
        let isRest = sign != "?"
        let pattern = isRest ? "{\(identifier(name))...}" : "{\(identifier(name))\(type)}"
        return (ForeignSegment(pattern: pattern, glob: isRest ? "*" : "?*"), end)
    }

    /// Reads `<id>`, `<int:id>`, `<id:int>`, `[id]`, `[...rest]`, `[[...rest]]` and `[id=int]`.
    private static func bracketed(
        _ rest: Substring,
        _ open: Character,
        _ close: Character,
        allowsExpressions: Bool
    ) -> (ForeignSegment, String.Index)? {
        guard let first = rest.prefix(longest).firstIndex(of: close) else { return nil }
        let end = rest[first...].prefix { $0 == close }.endIndex
        let inner = rest[..<first].drop { $0 == open }
        let isRest = inner.hasPrefix("...")
        let words = inner.drop { $0 == "." }.split { $0 == ":" || $0 == "=" }.map { $0.prefix { $0 != "?" } }
        guard let word = words.first, words.count <= 2 else { return nil }
        let isTyped = words.count == 2 && types[word.lowercased()] != nil
        let (name, typeName) = isTyped ? (words[1], word) : (word, words.count == 2 ? words[1] : "")
        guard isName(name), allowsExpressions || isName(typeName) || typeName.isEmpty else { return nil }
        let known = types[typeName.lowercased()]
        guard !isRest, known != "..." else {
            return (ForeignSegment(pattern: "{\(identifier(name))...}", glob: "*"), end)
        }
        let type = known ?? type(ofExpression: typeName)
        return (ForeignSegment(pattern: "{\(identifier(name))\(type)}", glob: "?*"), end)
    }

    /// The types of other routers, as a pattern of a table writes them after the name.
    private static let types = [
        "int": ":int", "integer": ":int", "number": ":int", "digits": ":int", "uuid": ":uuid", "path": "...",
        "string": "",
        "str": "", "slug": "", "any": "", "default": "",
    ]

    private static func type(ofExpression expression: Substring) -> String {
        if expression.contains("\\d") || expression.contains("[0-9]") { return ":int" }
        let values = expression.split(separator: "|")
        return values.count > 1 && values.allSatisfy(isName) ? "(\(values.joined(separator: ",")))" : ""
    }

    private static func isName(_ text: some StringProtocol) -> Bool { isParameterName(identifier(text)) }

    private static func identifier(_ name: some StringProtocol) -> String { String(name.map { $0 == "-" ? "_" : $0 }) }
}

extension Character {
    fileprivate var isWordCharacter: Bool { isASCII && (isLetter || isNumber || self == "_") }
}
