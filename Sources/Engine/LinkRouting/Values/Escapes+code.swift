// Untrusted text in generated code: comments, string literals and names. Each of them has one function for each language.

extension String {
    // MARK: Comments

    /// The lines of a comment, without `///`, `*` or `#` before them. A text of several lines stays in its comment.
    package var commentLines: [String] {
        unicodeScalars.split(whereSeparator: \.endsLine).map { String($0).escapedForComment }
    }

    /// Escaped as a part of one line in a comment of Swift, Kotlin, TypeScript, YAML or a shell.
    ///
    /// No scalar ends the line or changes the direction of its text. `*/` does not end a block comment, and `/*` does
    /// not begin one: block comments of Swift and Kotlin nest.
    package var escapedForComment: String {
        var previous: Unicode.Scalar = " "
        return escaped { scalar in
            defer { previous = scalar }
            switch (previous, scalar) {
            case ("*", "/"), ("/", "*"): return " \(scalar)"
            default: return scalar == "\t" ? nil : scalar.escapeForTerminal
            }
        }
    }

    // MARK: Literals

    /// A string literal of Swift, in double quotes. Swift refuses escapes of some noncharacters, but accepts themselves.
    package var quotedForSwift: String {
        quoted { (0xFDD0...0xFDEF).contains($0.value) ? String($0) : "\\u{\($0.hexadecimal(width: 1))}" }
    }

    /// A string literal of Kotlin, in double quotes, without templates.
    package var quotedForKotlin: String { quoted(and: "$") { $0 == "$" ? "\\$" : $0.utf16Escapes } }

    /// A string literal of JavaScript and TypeScript, in double quotes. It cannot end a `<script>` element either.
    package var quotedForJavaScript: String { quoted(and: "<") { $0.utf16Escapes } }

    /// A scalar of YAML, in double quotes.
    package var quotedForYAML: String { quoted(\.escapeForYAML) }

    /// Equivalent YAML without control or format characters outside of ASCII, all of which must be in double quotes.
    package var yamlEscapedForDisplay: String {
        escaped { $0.isASCII || !$0.isUnsafeToDisplay ? nil : $0.escapeForYAML }
    }

    /// The text in double quotes, on one line that reads in the order in which it is compared. No scalar that is written
    /// as it is joins a quote into one `Character`.
    ///
    /// - Parameters:
    ///   - special: A printable scalar that the language does not take literally.
    ///   - escape: Returns the escape of a scalar.
    private func quoted(and special: Unicode.Scalar? = nil, _ escape: (Unicode.Scalar) -> String) -> String {
        "\""
            + escaped { scalar in
                switch scalar {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                case "\r": "\\r"
                case "\t": "\\t"
                default: scalar == special || scalar.isUnsafeToDisplay || scalar.joinsQuotes ? escape(scalar) : nil
                }
            } + "\""
    }

    // MARK: Names

    /// The text, which consists of letters, digits and `_`, as a name of Swift: a keyword gets backticks.
    package var nameInSwift: String { Self.swiftKeywords.contains(self) ? "`\(self)`" : self }

    /// The text, which consists of letters, digits and `_`, as a name of Kotlin: a keyword gets backticks.
    package var nameInKotlin: String { Self.kotlinKeywords.contains(self) ? "`\(self)`" : self }

    /// A package such as `com.example.in` as Kotlin names it.
    package var packageInKotlin: String {
        unicodeScalars.split(separator: ".").map { String($0).nameInKotlin }.joined(separator: ".")
    }

    /// The text in upper case. A letter whose upper case is no part of a name, such as one with a combining mark, stays.
    package var uppercasedInNames: String { mappedInNames(\.uppercaseMapping) }

    /// The text in lower case. A letter whose lower case is no part of a name stays.
    package var lowercasedInNames: String { mappedInNames(\.lowercaseMapping) }

    private func mappedInNames(_ mapping: (Unicode.Scalar.Properties) -> String) -> String {
        escaped { scalar in
            let mapped = mapping(scalar.properties)
            return mapped.unicodeScalars.allSatisfy(\.isPartOfNames) ? mapped : nil
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
}

extension Unicode.Scalar {
    /// Whether Swift, Kotlin and Android accept the scalar in a name. Kotlin accepts only these categories, and its older
    /// compilers only letters of Unicode 9.
    package var isPartOfNames: Bool {
        if !isASCII { guard let age = properties.age, age.major <= 9 else { return false } }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber: true
        default: false
        }
    }

    /// Whether the scalar and a quote beside it are one `Character`: a combining, prepended or half-width mark.
    fileprivate var joinsQuotes: Bool { !isASCII && "\"\(self)\"".count != 3 }

    fileprivate var escapeForYAML: String {
        value > 0xFFFF ? "\\U\(hexadecimal(width: 8))" : "\\u\(hexadecimal(width: 4))"
    }
}
