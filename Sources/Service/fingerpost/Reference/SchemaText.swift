import LinkCatalog
import LinkRouting

/// The type, the default and the limits of a schema as text for people.
struct SchemaText {
    private let schema: JSONNode

    init(_ schema: JSONNode) { self.schema = schema }

    /// The type, such as `integer` or `list of [Route](#route)`.
    var type: String {
        if let reference = definition {
            let title = ReferencePage.title(reference)
            return "[\(title)](#\(Self.anchor(title)))"
        }
        if let value = schema["const"] { return "`\(Self.shown(value))`" }
        if let values = schema["enum"]?.elements { return Self.joined(values.map { "`\(Self.shown($0))`" }) }
        if let choices = schema["anyOf"]?.elements {
            let types = choices.map { SchemaText($0).type }.filter { !$0.isEmpty }
            if !types.isEmpty { return Self.joined(types) }
        }
        let names = schema["type"]?.text.map { [$0] } ?? (schema["type"]?.elements ?? []).compactMap(\.text)
        return names.isEmpty ? "any" : Self.joined(names.map(named))
    }

    /// The default; empty if there is none.
    var standard: String { schema["default"].map { "`\(Self.shown($0))`" } ?? "" }

    /// The limits; empty if there are none. The limits of a referenced definition are stated there.
    var limits: String {
        var limits: [String] = []
        add(range("minimum", "maximum", { "\($0) to \($1)" }, { "at least \($0)" }, { "at most \($0)" }), &limits)
        add(range("minLength", "maxLength", lengths, least, { "at most \($0) characters" }), &limits)
        add(range("minItems", "maxItems", { "\($0) to \($1) entries" }, least, { "at most \($0) entries" }), &limits)
        add(
            range("minProperties", "maxProperties", { "\($0) to \($1) keys" }, least, { "at most \($0) keys" }),
            &limits
        )
        if let pattern = schema["pattern"]?.text { limits.append("`\(pattern)`") }
        for choice in schema["anyOf"]?.elements ?? [] {
            for limit in [SchemaText(choice).limits] where !limit.isEmpty && !limits.contains(limit) {
                limits.append(limit)
            }
        }
        if let items = schema["items"] {
            let limit = SchemaText(items).limits
            if !limit.isEmpty { limits.append("each \(limit)") }
        }
        return limits.joined(separator: "; ")
    }

    private var definition: DocumentSchema.Definition? {
        schema["$ref"]?.text.flatMap {
            DocumentSchema.definition(String($0.dropFirst(DocumentSchema.referencePrefix.count)))
        }
    }

    private func named(_ type: String) -> String {
        switch type {
        case "string" where schema["format"]?.text == "date-time": return "RFC 3339 time"
        case "array": return "list of \(schema["items"].map { SchemaText($0).type } ?? "values")"
        case "object":
            guard let values = schema["additionalProperties"], values.bool == nil else { return "object" }
            return "object of \(SchemaText(values).type)"
        default: return type
        }
    }

    private func range(
        _ lower: String,
        _ upper: String,
        _ both: (Int64, Int64) -> String,
        _ least: (Int64) -> String,
        _ most: (Int64) -> String
    ) -> String? {
        switch (schema[lower]?.int, schema[upper]?.int) {
        case (let lower?, let upper?): both(lower, upper)
        case (let lower?, nil): least(lower)
        case (nil, let upper?): most(upper)
        case (nil, nil): nil
        }
    }

    private func least(_ count: Int64) -> String { count == 1 ? "not empty" : "at least \(count)" }
    private func lengths(_ lower: Int64, _ upper: Int64) -> String { "\(lower) to \(upper) characters" }

    private func add(_ limit: String?, _ limits: inout [String]) {
        if let limit { limits.append(limit) }
    }

    private static func shown(_ value: JSONNode) -> String { value.text ?? value.json() }

    private static func joined(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The anchor that GitHub makes from a heading.
    private static func anchor(_ title: String) -> String {
        String(
            title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
                .map { $0 == " " ? "-" : $0 }
        )
    }
}
