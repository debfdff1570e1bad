import LinkRouting

extension ValueMatcher {
    /// Matchers that are rejected, with the feature's name.
    private static let unsupported = [
        "equalToXml": "XML matching", "matchesXPath": "XPath", "matchesJsonSchema": "JSON schema matching",
    ]

    private static let companions: [String: Set<String>] = [
        "equalTo": ["caseInsensitive"],
        "equalToJson": ["ignoreArrayOrder", "ignoreExtraElements"],
        "before": DateMatcher.options, "after": DateMatcher.options, "equalToDateTime": DateMatcher.options,
    ]

    private static let names = [
        "equalTo", "equalToJson", "matchesJsonPath", "contains", "doesNotContain", "matches", "doesNotMatch", "before",
        "after", "equalToDateTime", "binaryEqualTo", "absent", "anything", "and", "or", "not",
    ]

    /// Decodes a matcher. `depth` bounds the nesting of `and`, `or`, `not` and sub-matchers.
    package init(_ field: MappingField, depth: Int = 0) throws(MappingError) {
        guard field.node.members != nil, depth < 16 else {
            throw field.error("\(field.node.json().prefix(80)) is not a valid match operation; write {\"equalTo\": …}.")
        }
        for member in try field.members() {
            if let feature = Self.unsupported[member.key] {
                throw field.error("\(feature) is not supported (\(member.key)).")
            }
        }
        guard let name = Self.names.first(where: { field[$0] != nil || ($0 == "absent" && field.has($0)) }) else {
            throw field.error("\(field.node.json().prefix(80)) is not a valid match operation.")
        }
        do throws(MappingError) {
            try field.requireKeys((Self.companions[name] ?? []).union([name]))
        } catch {
            throw field.error(error.detail ?? error.title)
        }
        let operand = field[name] ?? MappingField(.null, pointer: field.pointer)
        let kind = try Self.kind(name, operand, of: field, depth: depth)
        self.init(kind, json: Self.json(kind, field.node))
    }

    /// The kind named `name`. Errors point at the matcher, not at its operand, as WireMock's do.
    private static func kind(
        _ name: String,
        _ operand: MappingField,
        of field: MappingField,
        depth: Int
    ) throws(MappingError) -> Kind {
        switch name {
        case "equalTo":
            let ignoresCase = try field["caseInsensitive"]?.bool() ?? false
            return .equalTo(try text(operand, name, field), ignoresCase ? .ignored : .exact)
        case "contains": return .contains(try text(operand, name, field))
        case "doesNotContain": return .doesNotContain(try text(operand, name, field))
        case "matches":
            let pattern = try text(operand, name, field)
            return .matches(try regularExpression(pattern, field), pattern)
        case "doesNotMatch":
            let pattern = try text(operand, name, field)
            return .doesNotMatch(try regularExpression(pattern, field), pattern)
        case "absent": return .absent
        case "anything": return .anything
        case "binaryEqualTo":
            guard let bytes = Base64.decode(try text(operand, name, field)) else {
                throw field.error("binaryEqualTo must be base64.")
            }
            return .binaryEqualTo(bytes)
        case "equalToJson": return try equality(operand, field)
        case "matchesJsonPath": return try jsonPath(operand, field, depth: depth)
        case "and", "or":
            let matchers = try operands(operand, name, of: field, depth: depth)
            return name == "and" ? .and(matchers) : .or(matchers)
        case "not": return .not(try ValueMatcher(operand, depth: depth + 1))
        default: return .date(try DateMatcher(name, operand, of: field))
        }
    }

    private static func text(
        _ operand: MappingField,
        _ name: String,
        _ field: MappingField
    ) throws(MappingError) -> String {
        guard let text = operand.node.text else { throw field.error("the operand of \(name) must be a string.") }
        return text
    }

    private static func equality(_ operand: MappingField, _ field: MappingField) throws(MappingError) -> Kind {
        var expected = operand.node
        if let text = operand.node.text {
            do throws(JSONSyntaxError) {
                expected = try JSONReader.parse(text, limits: .stubs, duplicateKeys: .keep)
            } catch {
                throw field.error("equalToJson is no JSON: \(error)")
            }
        }
        var options: JSONEquality.Options = []
        if try field["ignoreArrayOrder"]?.bool() == true { options.insert(.ignoresArrayOrder) }
        if try field["ignoreExtraElements"]?.bool() == true { options.insert(.ignoresExtraElements) }
        do {
            return .equalToJson(try JSONEquality(expected: expected, options: options), expected: expected)
        } catch {
            throw field.error("equalToJson: \(error)")
        }
    }

    private static func jsonPath(
        _ operand: MappingField,
        _ field: MappingField,
        depth: Int
    ) throws(MappingError) -> Kind {
        if let expression = operand.node.text {
            return .matchesJsonPath(try path(expression, field), expression: expression, nil)
        }
        guard let members = operand.node.members, let expression = operand["expression"]?.node.text else {
            throw field.error("matchesJsonPath must be a string, or an object with expression and a matcher.")
        }
        let rest = members.filter { $0.key != "expression" }
        guard !rest.isEmpty else { throw field.error("matchesJsonPath has an expression and no matcher; add one.") }
        let matcher = try ValueMatcher(
            MappingField(JSONNode(.object(rest), at: operand.node.position), pointer: operand.pointer),
            depth: depth + 1
        )
        return .matchesJsonPath(try path(expression, field), expression: expression, matcher)
    }

    private static func operands(
        _ operand: MappingField,
        _ name: String,
        of field: MappingField,
        depth: Int
    ) throws(MappingError) -> [ValueMatcher] {
        guard let elements = operand.node.elements else { throw field.error("\(name) must be a list of matchers.") }
        let matchers = try elements.enumerated().map { entry throws(MappingError) in
            try ValueMatcher(MappingField(entry.element, pointer: "\(field.pointer)/\(entry.offset)"), depth: depth + 1)
        }
        guard !matchers.isEmpty else { throw field.error("\(name) needs at least one matcher.") }
        return matchers
    }

    static func regularExpression(_ pattern: String, _ field: MappingField) throws(MappingError) -> RegularExpression {
        do {
            return try RegularExpression(pattern)
        } catch {
            throw field.error("the regular expression '\(pattern.prefix(80))' is wrong: \(error)")
        }
    }

    private static func path(_ expression: String, _ field: MappingField) throws(MappingError) -> JSONPath {
        do {
            return try JSONPath(expression)
        } catch {
            throw field.error("the JSONPath '\(expression.prefix(80))' is wrong: \(error)")
        }
    }

    /// The matcher as WireMock writes it back: absent and anything have fixed operands.
    private static func json(_ kind: Kind, _ node: JSONNode) -> JSONNode {
        switch kind {
        case .absent: .object(["absent": .bool(true)])
        case .anything: .object(["anything": .string("anything")])
        case .and(let matchers): .object(["and": .array(matchers.map(\.json))])
        case .or(let matchers): .object(["or": .array(matchers.map(\.json))])
        case .date(let matcher): matcher.json
        default: node
        }
    }
}

extension MappingField {
    func has(_ key: String) -> Bool { node.members?.contains { $0.key.isExactly(key) } == true }
}
