/// A language of generated code.
package enum SourceLanguage: String, Sendable, CaseIterable {
    case swift, kotlin

    /// The name as an identifier of the language: a keyword gets backticks, and a name that cannot be declared even
    /// with them gets an underscore.
    package func identifier(_ name: String) -> String {
        if undeclarable.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Names that are reserved in every position, or that inherit a conflicting declaration. `class` is a getter of
    /// every Java object.
    private var undeclarable: Set<String> {
        switch self {
        case .swift: ["self", "Self", "Type", "Protocol", "_"]
        case .kotlin: ["class", "_"]
        }
    }

    private var keywords: Set<String> {
        switch self {
        case .swift:
            [
                "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
                "inout", "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public",
                "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue",
                "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return",
                "throw", "switch", "where", "while", "Any", "as", "await", "false", "is", "nil", "super", "throws",
                "true", "try",
            ]
        case .kotlin:
            [
                "as", "break", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
                "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val",
                "var", "when", "while",
            ]
        }
    }

    /// Types that generated code uses. A generated type of the same name would hide them.
    package func hides(_ type: String) -> Bool {
        switch self {
        case .swift:
            [
                "Any", "Array", "Bool", "Bundle", "Codable", "CodingKey", "CodingKeys", "Data", "Decodable", "Decoder",
                "Dictionary", "Double", "Encodable", "Encoder", "Equatable", "Fixture", "Fixtures", "Int",
                "JSONDecoder",
                "JSONValue", "Never", "Optional", "Protocol", "Self", "Sendable", "String", "Type", "URL", "Void",
            ].contains(type)
        case .kotlin:
            [
                "Any", "Boolean", "Double", "Enum", "Fixture", "Fixtures", "Int", "JSONArray", "JSONObject",
                "JSONTokener", "List", "Long", "Map", "Nothing", "Number", "Object", "String", "Unit",
            ].contains(type)
        }
    }
}
