import LinkRouting

/// An expected JSON value, with its placeholders parsed.
struct ExpectedJSON: Sendable {
    let value: Value
    /// ``JSONNode/deepSize`` of the value.
    let size: Int
    /// Whether the value contains a placeholder, so that it may equal different values.
    let hasPlaceholder: Bool

    indirect enum Value: Sendable {
        case placeholder(Placeholder)
        /// A text, a boolean or null.
        case scalar(JSONNode)
        case number(lexeme: String, DecimalNumber)
        case array([ExpectedJSON])
        case object([ExactText: ExpectedJSON])
    }

    enum Placeholder: Sendable {
        /// Anything that exists.
        case anything
        /// Anything, also a missing member of an object.
        case anythingOrMissing
        case anyString, anyNumber, anyBoolean
        case pattern(RegularExpression)
    }

    init(_ node: JSONNode) throws(JSONEquality.PlaceholderError) {
        size = node.deepSize
        switch node.value {
        case .string(let text):
            let placeholder = try Self.placeholder(text, at: node.position)
            value = placeholder.map { .placeholder($0) } ?? .scalar(node)
            hasPlaceholder = placeholder != nil
        case .number(let lexeme):
            value = DecimalNumber(lexeme).map { .number(lexeme: lexeme, $0) } ?? .scalar(node)
            hasPlaceholder = false
        case .null, .bool:
            value = .scalar(node)
            hasPlaceholder = false
        case .array(let nodes):
            var elements: [ExpectedJSON] = []
            for node in nodes { elements.append(try ExpectedJSON(node)) }
            value = .array(elements)
            hasPlaceholder = elements.contains(where: \.hasPlaceholder)
        case .object(let nodes):
            var members: [ExactText: ExpectedJSON] = [:]
            for node in nodes { members[ExactText(node.key)] = try ExpectedJSON(node.value) }
            value = .object(members)
            hasPlaceholder = members.values.contains(where: \.hasPlaceholder)
        }
    }

    /// Parses a placeholder; nil for other texts.
    private static func placeholder(
        _ text: String,
        at position: JSONNode.Position
    ) throws(JSONEquality.PlaceholderError) -> Placeholder? {
        let start = text.utf8.first
        guard start == UInt8(ascii: "$") || start == UInt8(ascii: "#"), text.dropFirst().hasPrefix("{json-unit."),
            let end = text.firstIndex(of: "}")
        else { return nil }
        let name = text.dropFirst("${json-unit.".count)[..<end]
        let rest = String(text[text.index(after: end)...])
        if name == "regex" {
            do throws(RegularExpression.SyntaxError) {
                return .pattern(try RegularExpression(rest, dot: .anyButLineBreaks))
            } catch {
                throw JSONEquality.PlaceholderError(
                    position: position,
                    description: "the regular expression is wrong \(error)"
                )
            }
        }
        if name.hasPrefix("matches:") {
            throw JSONEquality.PlaceholderError(
                position: position,
                description: "there are no custom matchers; use any-string, any-number, any-boolean, ignore or regex."
            )
        }
        guard rest.isEmpty else { return nil }
        return switch name {
        case "ignore": .anything
        case "ignore-element": .anythingOrMissing
        case "any-string": .anyString
        case "any-number": .anyNumber
        case "any-boolean": .anyBoolean
        default: nil
        }
    }
}
