import LinkRouting

/// Helpers that read data from texts, and set variables.
let dataHelpers: [String: TemplateHelper] = [
    "assign": { call, rendering in
        guard let block = call.block, let name = call.arguments.first?.text else {
            throw call.failure("write a name and a block, such as '{{#assign 'name'}}text{{/assign}}'")
        }
        rendering.set(name, to: .text(trimmedText(try rendering.text(of: block.body))))
        return .null
    },
    "jsonPath": { call, rendering in try found(call, &rendering) },
    "parseJson": { call, rendering in
        let text: String
        var name: String?
        if let block = call.block {
            text = try rendering.text(of: block.body)
            name = call.arguments.first?.text
        } else {
            text = try call.text(call.subject, &rendering)
            name = call.arguments.count > 1 ? call[1].text : nil
        }
        guard
            let node = try document(text, &rendering)
                ?? (trimmedText(text).isEmpty ? JSONNode.object([JSONNode.Member]()) : nil)
        else { throw call.failure("the text is not JSON, or it nests too deep") }
        guard let name else { return TemplateValue(node) }
        rendering.set(name, to: TemplateValue(node))
        return .null
    },
    "toJson": { call, _ in .text(call.subject.json.json()) },
    "formData": { call, rendering in
        let text = try call.text(call.subject, &rendering)
        let decodes = call.options["urlDecode"] == .bool(true)
        let fields = decodes ? queryParameters(text[...]) : undecodedFields(text)
        let value = TemplateValue.object(TemplateObject(fields.map { ($0.name, .values($0.values)) }))
        guard call.arguments.count > 1 else { return value }
        rendering.set(call[1].text, to: value)
        return .null
    },
    "regexExtract": { call, rendering in
        let expression = try regularExpression(call, &rendering)
        guard
            let match = try expression.firstMatch(
                in: try call.text(call.subject, &rendering),
                spending: &rendering.matchingSteps
            )
        else {
            return call.options["default"] ?? .text("[ERROR: Nothing matched \(expression.pattern)]")
        }
        guard call.arguments.count > 2 else { return .text(match.text) }
        rendering.set(call[2].text, to: .values(match.groups.dropFirst().map { $0 ?? "" }))
        return .null
    },
    "hostname": { _, rendering in .text(rendering.environment.hostName) },
    "systemValue": { call, _ in
        .text("[ERROR: Access to \((call.options["key"] ?? .null).text) is denied]")
    },
]

/// The expression of the second argument.
func regularExpression(
    _ call: TemplateInvocation,
    _ rendering: inout TemplateRendering
) throws -> RegularExpression {
    if case .expression(let expression) = call.compiled { return expression }
    let pattern = try call.text(call[1], &rendering)
    do {
        return try RegularExpression(pattern, dot: .anyButLineBreaks)
    } catch {
        throw call.failure("the regular expression is wrong: \(error)")
    }
}

private func trimmedText(_ text: String) -> String {
    let bytes = text.utf8.drop { $0 <= 0x20 }
    guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(Substring(bytes[...last]))
}

private func document(_ text: String, _ rendering: inout TemplateRendering) throws(Template.Failure) -> JSONNode? {
    try rendering.spend(text.utf8.count / 8)
    return try? JSONReader.parse(text, limits: .stubs, duplicateKeys: .keep)
}

private func undecodedFields(_ text: String) -> [NamedValues] {
    var fields: [NamedValues] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: maximumNamedValues).prefix(maximumNamedValues)
    {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
        fields.add(String(Substring(pair[pair.index(after: equals)...])), to: String(Substring(pair[..<equals])))
    }
    return fields
}

// MARK: JSONPath

private func found(_ call: TemplateInvocation, _ rendering: inout TemplateRendering) throws -> TemplateValue {
    let path: JSONPath
    if case .jsonPath(let compiled) = call.compiled {
        path = compiled
    } else {
        let text = try call.text(call[1], &rendering)
        guard !text.isEmpty else { return .text("[ERROR: The JSONPath cannot be empty]") }
        do {
            path = try JSONPath(text)
        } catch {
            return .text("[ERROR: \(text) is not a valid JSONPath expression]")
        }
    }
    let absent = call.options["default"] ?? .null
    let node: JSONNode?
    if case .text(let text) = call.subject {
        node = try document(text, &rendering)
    } else {
        node = call.subject == .null ? nil : call.subject.json
    }
    guard let node else { return absent }
    let result: JSONPath.Result
    do {
        result = try path.evaluate(node, spending: &rendering.matchingSteps)
    } catch {
        guard case .notApplicable = error else { throw error }
        return absent
    }
    guard let value = result.node, value != .null else { return absent }
    return shown(value)
}

/// A value with the text that WireMock shows: a list as JSON in one line, an object as JSON in several.
private func shown(_ node: JSONNode) -> TemplateValue {
    switch node.value {
    case .array:
        let text = TextPieces(node.withJavaNumbers.json(), separator: "/").joined(by: "\\/")
        return .presented(TemplateValue(node), as: text)
    case .object: return .presented(TemplateValue(node), as: jacksonText(node.withJavaNumbers))
    case .number(let lexeme): return .number(DecimalNumber.javaText(of: lexeme))
    default: return TemplateValue(node)
    }
}
