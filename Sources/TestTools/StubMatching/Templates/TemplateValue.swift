package import LinkRouting

/// A value that a template shows or passes to a helper.
package indirect enum TemplateValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number as text, as JSON or Java writes it.
    case number(String)
    case text(String)
    case date(TemplateDate)
    case list([TemplateValue])
    case object(TemplateObject)
    /// A value with a separate text: a repeated query parameter is a list that shows its first value, a path is a list
    /// of segments that shows the path.
    case presented(TemplateValue, as: String)

    /// A repeated field, such as a query parameter or a header.
    package static func values(_ texts: [String]) -> TemplateValue {
        .presented(.list(texts.map { .text($0) }), as: texts.first ?? "")
    }

    package static func members(_ members: KeyValuePairs<String, TemplateValue>) -> TemplateValue {
        .object(TemplateObject(members.map { ($0, $1) }))
    }

    /// A path and its segments.
    package static func path(_ path: String) -> TemplateValue {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        return .presented(.list(segments.map { .text(String($0)) }), as: path)
    }

    package init(_ node: JSONNode) {
        switch node.value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let lexeme): self = .number(lexeme)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map { TemplateValue($0) })
        case .object(let members): self = .object(TemplateObject(members.map { ($0.key, TemplateValue($0.value)) }))
        }
    }

    /// The value as Java writes it: `[a, b]` for a list, `{k=v}` for an object.
    var text: String {
        switch self {
        case .null: ""
        case .bool(let bool): bool ? "true" : "false"
        case .number(let text), .text(let text), .presented(_, let text): text
        case .date(let date): date.text
        case .list(let elements): "[" + elements.map(\.nestedText).joined(separator: ", ") + "]"
        case .object(let object):
            "{" + object.members.map { "\($0.key)=\($0.value.nestedText)" }.joined(separator: ", ") + "}"
        }
    }

    private var nestedText: String { self == .null ? "null" : text }

    /// The value without its separate text.
    var plain: TemplateValue {
        guard case .presented(let value, _) = self else { return self }
        return value
    }

    /// Whether `#if` takes the value as true: not null, false, 0, an empty text or an empty list.
    var isTruthy: Bool {
        switch self {
        case .null: false
        case .bool(let bool): bool
        case .number(let text): DecimalNumber(text) != DecimalNumber("0")
        case .text(let text): !text.isEmpty
        case .list(let elements): !elements.isEmpty
        case .date, .object: true
        case .presented(let value, _): value.isTruthy
        }
    }

    var elements: [TemplateValue]? {
        guard case .list(let elements) = plain else { return nil }
        return elements
    }

    /// The value of a name or index; nil if there is none.
    func member(_ name: String) -> TemplateValue? {
        switch plain {
        case .object(let object):
            return object[name] ?? (name == "size" ? .number("\(object.members.count)") : nil)
        case .list(let elements):
            switch name {
            case "size", "length": return .number("\(elements.count)")
            case "first": if self != plain { return elements.first }
            case "last": if self != plain { return elements.last }
            default: break
            }
            guard let index = Int(name), elements.indices.contains(index) else { return nil }
            return elements[index]
        case .text(let text): return name == "length" ? .number("\(text.utf16.count)") : nil
        default: return nil
        }
    }

    /// The value as JSON. A date and a value with a separate text become texts, unless that value is JSON itself.
    var json: JSONNode {
        switch self {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .number(let text): DecimalNumber(text) == nil ? .string(text) : JSONNode(.number(text))
        case .text(let text): .string(text)
        case .date(let date): .string(date.text)
        case .list(let elements): .array(elements.map(\.json))
        case .object(let object): JSONNode(.object(object.members.map { JSONNode.Member($0.key, $0.value.json) }))
        case .presented(let value, _): value.json
        }
    }
}

/// The members of an object in order, with a lookup by name.
package struct TemplateObject: Sendable, Hashable {
    package let members: [Member]
    private let indices: [ExactText: Int]
    private let ignoresCase: Bool

    package struct Member: Sendable, Hashable {
        package let key: String
        package let value: TemplateValue
    }

    /// - Parameter ignoresCase: Whether names are found in any case of the letters A to Z, as those of headers are.
    package init(_ members: [(String, TemplateValue)], ignoresCase: Bool = false) {
        self.members = members.map { Member(key: $0, value: $1) }
        self.ignoresCase = ignoresCase
        var indices: [ExactText: Int] = [:]
        for (index, member) in members.enumerated() {
            indices[ExactText(ignoresCase ? member.0.lowercased() : member.0)] = index
        }
        self.indices = indices
    }

    subscript(name: String) -> TemplateValue? {
        indices[ExactText(ignoresCase ? name.lowercased() : name)].map { members[$0].value }
    }
}
