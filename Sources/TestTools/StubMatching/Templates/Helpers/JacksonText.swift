import LinkRouting

/// Returns JSON in the layout that WireMock prints: `"a" : 1`, lists in one line, objects in several. A repeated key has
/// the place of its first value and the last value.
func jacksonText(_ node: JSONNode) -> String {
    var text = ""
    append(node, indent: 0, to: &text)
    return text
}

// The reader bounds the depth of documents, so the recursion is bounded too.
private func append(_ node: JSONNode, indent: Int, to text: inout String) {
    switch node.value {
    case .array(let elements):
        guard !elements.isEmpty else { return text += "[ ]" }
        text += "[ "
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            append(element, indent: indent, to: &text)
        }
        text += " ]"
    case .object(let members):
        let members = withoutRepetition(members)
        guard !members.isEmpty else { return text += "{ }" }
        text += "{\n"
        let inner = String(repeating: " ", count: indent + 2)
        for (index, member) in members.enumerated() {
            text += "\(inner)\(JSONNode.string(member.key).json()) : "
            append(member.value, indent: indent + 2, to: &text)
            text += index < members.count - 1 ? ",\n" : "\n"
        }
        text += String(repeating: " ", count: indent) + "}"
    default: text += node.json()
    }
}

private func withoutRepetition(_ members: [JSONNode.Member]) -> [JSONNode.Member] {
    var indices: [ExactText: Int] = [:]
    var result: [JSONNode.Member] = []
    for member in members {
        if let index = indices[ExactText(member.key)] {
            result[index] = member
        } else {
            indices[ExactText(member.key)] = result.count
            result.append(member)
        }
    }
    return result
}
