import LinkRouting

extension JSONNode {
    /// The value as a literal of the generated Swift type `ProbeValue`.
    var swiftLiteral: String {
        switch value {
        case .null: "nil"
        case .bool(let bool): "\(bool)"
        case .string(let text): text.quotedForSwift
        case .number(let lexeme): numberLiteral(lexeme)
        case .array(let elements): "[" + elements.map(\.swiftLiteral).joined(separator: ", ") + "]"
        case .object(let members) where members.isEmpty: "[:]"
        case .object(let members):
            "[" + members.map { "\($0.key.quotedForSwift): \($0.value.swiftLiteral)" }.joined(separator: ", ") + "]"
        }
    }

    /// The value as an expression of Kotlin.
    var kotlinLiteral: String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .string(let text): text.quotedForKotlin
        case .number(let lexeme): Int64(lexeme) == nil ? numberLiteral(lexeme) : Self.kotlinLong(lexeme)
        case .array(let elements) where elements.isEmpty: "emptyList<Any?>()"
        case .array(let elements): "listOf(" + elements.map(\.kotlinLiteral).joined(separator: ", ") + ")"
        case .object(let members) where members.isEmpty: "emptyMap<String, Any?>()"
        case .object(let members):
            "mapOf("
                + members.map { "\($0.key.quotedForKotlin) to \($0.value.kotlinLiteral)" }.joined(separator: ", ")
                + ")"
        }
    }

    /// Kotlin reads the smallest Long as the negation of a number that is too large.
    private static func kotlinLong(_ lexeme: String) -> String {
        lexeme == "-9223372036854775808" ? "Long.MIN_VALUE" : lexeme + "L"
    }

    /// Both languages read JSON's numbers, except for exponents of integers and numbers beyond the range of doubles.
    private func numberLiteral(_ lexeme: String) -> String {
        if Int64(lexeme) != nil { return lexeme }
        guard let double else { return "0.0" }
        return "\(double)"
    }
}
