import LinkRouting

/// A language of generated code.
package enum SourceLanguage: String, Sendable, CaseIterable {
    case swift, kotlin

    /// The name as an identifier of the language: a keyword gets backticks, and a name that cannot be declared even
    /// with them gets an underscore.
    package func identifier(_ name: String) -> String {
        if undeclarable.contains(name) { return name + "_" }
        return switch self {
        case .swift: name.nameInSwift
        case .kotlin: name.nameInKotlin
        }
    }

    /// Names that are reserved in every position, or that inherit a conflicting declaration. `class` is a getter of
    /// every Java object.
    private var undeclarable: Set<String> {
        switch self {
        case .swift: ["self", "Self", "Type", "Protocol", "_"]
        case .kotlin: ["class", "_"]
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
