/// A language that screens can be generated in.
package enum ScreenLanguage: String, Sendable, CaseIterable {
    case swift, kotlin, typescript

    /// Words that need backticks as names of members.
    var keywords: Set<String> {
        switch self {
        case .swift: Self.swiftKeywords
        case .kotlin: Self.kotlinKeywords
        // TypeScript's names are properties, which are quoted.
        case .typescript: []
        }
    }

    private static let swiftKeywords: Set = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await", "borrowing", "break",
        "case", "catch", "class", "consuming", "continue", "default", "defer", "deinit", "do", "each", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "indirect",
        "init", "inout", "internal", "is", "let", "nil", "nonisolated", "open", "operator", "package",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "some", "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
        "while",
    ]

    private static let kotlinKeywords: Set = [
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
        "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var",
        "when", "while",
    ]

    /// Returns a member's name, in backticks if it is a keyword.
    func member(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns a text as a literal. Letters stay readable; all other characters outside of ASCII are escaped, so that no
    /// editor changes their bytes.
    func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "$" where self == .kotlin: literal += "\\$"
            case " "..."~": literal.unicodeScalars.append(scalar)
            case _ where scalar.value >= 0x80 && Identifier.isLetterOrDigit(scalar):
                literal.unicodeScalars.append(scalar)
            default: literal += escape(of: scalar)
            }
        }
        return literal + "\""
    }

    private func escape(of scalar: Unicode.Scalar) -> String {
        guard self != .swift else { return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" }
        return UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16, uppercase: true)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}
