import LinkCatalog
import LinkRouting

/// Validates documents with the keywords that the schemas of this project use. An unknown keyword is an error, so that
/// no keyword of a schema is ignored.
struct SchemaValidator {
    struct UnknownKeyword: Error { let name: String }

    private let definitions: JSONNode

    init(_ schema: DocumentSchema) { definitions = schema.node["$defs"] ?? .null }

    /// Returns the paths of the values that are not valid, each with the keyword.
    func faults(of document: JSONNode, in schema: JSONNode, at path: String = "$") throws -> [String] {
        if let isAllowed = schema.bool { return isAllowed ? [] : ["\(path): not allowed"] }
        return try (schema.members ?? []).flatMap { keyword in
            try faults(of: document, keyword.key, keyword.value, in: schema, at: path)
        }
    }

    private func faults(
        of document: JSONNode,
        _ keyword: String,
        _ value: JSONNode,
        in schema: JSONNode,
        at path: String
    ) throws -> [String] {
        func fault(unless holds: Bool) -> [String] { holds ? [] : ["\(path): \(keyword)"] }
        func isValid(_ schema: JSONNode) throws -> Bool { try faults(of: document, in: schema).isEmpty }
        func keys(_ list: JSONNode) -> [String] { (list.elements ?? []).compactMap(\.text) }
        switch keyword {
        case "$schema", "$defs", "title", "description", "default", "deprecated", "examples", "format", "then", "else":
            return []
        case "$ref":
            let name = (value.text ?? "").dropFirst(DocumentSchema.referencePrefix.count)
            guard let definition = definitions[String(name)] else { return ["\(path): no definition \(name)"] }
            return try faults(of: document, in: definition, at: path)
        case "type":
            let types = value.text.map { [$0] } ?? keys(value)
            return fault(unless: types.contains { Self.has(document, type: $0) })
        case "const": return fault(unless: document == value)
        case "enum": return fault(unless: (value.elements ?? []).contains(document))
        case "pattern":
            guard let text = document.text, let pattern = value.text else { return [] }
            return fault(unless: try Regex(pattern).firstMatch(in: text) != nil)
        case "minLength": return fault(unless: document.text.map { $0.unicodeScalars.count >= value.int ?? 0 } ?? true)
        case "maxLength": return fault(unless: document.text.map { $0.unicodeScalars.count <= value.int ?? 0 } ?? true)
        case "minimum": return fault(unless: document.double.map { $0 >= value.double ?? 0 } ?? true)
        case "maximum": return fault(unless: document.double.map { $0 <= value.double ?? 0 } ?? true)
        case "minItems": return fault(unless: document.elements.map { $0.count >= value.int ?? 0 } ?? true)
        case "maxItems": return fault(unless: document.elements.map { $0.count <= value.int ?? 0 } ?? true)
        case "minProperties": return fault(unless: document.members.map { $0.count >= value.int ?? 0 } ?? true)
        case "maxProperties": return fault(unless: document.members.map { $0.count <= value.int ?? 0 } ?? true)
        case "items":
            return try (document.elements ?? []).enumerated().flatMap {
                try faults(of: $1, in: value, at: "\(path)[\($0)]")
            }
        case "required":
            return keys(value).flatMap { key in fault(unless: document.members == nil || document[key] != nil) }
        case "properties":
            return try (document.members ?? []).flatMap { member in
                try value[member.key].map { try faults(of: member.value, in: $0, at: "\(path).\(member.key)") } ?? []
            }
        case "additionalProperties":
            return try (document.members ?? []).filter { schema["properties"]?[$0.key] == nil }.flatMap { member in
                try faults(of: member.value, in: value, at: "\(path).\(member.key)")
            }
        case "propertyNames":
            return try (document.members ?? []).flatMap { member in
                try faults(of: .string(member.key), in: value, at: "\(path).\(member.key)")
            }
        case "anyOf": return fault(unless: try (value.elements ?? []).contains(where: isValid))
        case "if":
            let branch = schema[try isValid(value) ? "then" : "else"]
            return try branch.map { try faults(of: document, in: $0, at: path) } ?? []
        default: throw UnknownKeyword(name: keyword)
        }
    }

    private static func has(_ node: JSONNode, type: String) -> Bool {
        switch (type, node.value) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number): node.int != nil
        default: false
        }
    }
}
