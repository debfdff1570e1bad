extension ParameterType {
    /// The reason why a text is not a type.
    public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Parses a type such as `int`, `int(1..999999)`, `alnum(6)` or `(list,detail)`.
    public init(_ text: some StringProtocol) throws(SyntaxError) {
        let text = String(text)
        guard let open = text.firstIndex(of: "(") else {
            self = try Self.named(text, bounds: nil)
            return
        }
        guard text.hasSuffix(")") else {
            throw SyntaxError(description: "'\(text)' is not closed; write '\(text))'.")
        }
        let inside = text[text.index(after: open)...].dropLast()
        if open == text.startIndex {
            let values = inside.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let listed = ListedValues(values)
            guard !values.contains(""), !listed.hasDuplicates else {
                throw SyntaxError(description: "'\(text)' has an empty or duplicate value; write (list,detail).")
            }
            self = .oneOf(listed)
        } else {
            self = try Self.named(String(text[..<open]), bounds: String(inside))
        }
    }

    private static func named(_ name: String, bounds: String?) throws(SyntaxError) -> ParameterType {
        switch name {
        case "string": return .string(length: try length(bounds, of: name))
        case "slug": return .slug(length: try length(bounds, of: name))
        case "alpha": return .alpha(length: try length(bounds, of: name))
        case "alnum": return .alnum(length: try length(bounds, of: name))
        case "hex": return .hex(length: try length(bounds, of: name))
        case "int":
            return .int(try range(bounds, of: name) { text in parseInt(Array(text.utf8)[...]) })
        case "number":
            return .number(try range(bounds, of: name) { text in isNumber(Array(text.utf8)[...]) ? Double(text) : nil })
        case "bool", "uuid", "date":
            guard bounds == nil else { throw SyntaxError(description: "\(name) takes no range; write \(name).") }
            return name == "bool" ? .bool : name == "uuid" ? .uuid : .date
        default:
            throw SyntaxError(
                description:
                    "'\(name)' is not a type; use string, int, number, bool, uuid, slug, alpha, alnum, hex, date or a set (a,b)."
            )
        }
    }

    /// Parses `6`, `3..10`, `3..` or `..10`.
    private static func length(_ text: String?, of name: String) throws(SyntaxError) -> Bounds<Int>? {
        guard let text else { return nil }
        func count(_ text: String) -> Int? {
            parseInt(Array(text.utf8)[...]).flatMap { $0 < 0 ? nil : Int(exactly: $0) }
        }
        if let exact = count(text), exact > 0 { return Bounds(lower: exact, upper: exact) }
        return try range(text, of: name, count)
    }

    private static func range<Value>(
        _ text: String?,
        of name: String,
        _ value: (String) -> Value?
    ) throws(SyntaxError) -> Bounds<Value>? {
        guard let text else { return nil }
        let wrong = SyntaxError(
            description: "'\(name)(\(text))' is not a range; write \(name)(1..9), \(name)(1..) or \(name)(..9)."
        )
        guard let dots = text.utf8.firstRange(of: "..".utf8) else { throw wrong }
        let ends = [String(text[..<dots.lowerBound]), String(text[dots.upperBound...])]
        var values: [Value?] = []
        for end in ends {
            guard !end.isEmpty else {
                values.append(nil)
                continue
            }
            guard let parsed = value(end) else { throw wrong }
            values.append(parsed)
        }
        if let lower = values[0], let upper = values[1], lower > upper {
            throw SyntaxError(description: "'\(name)(\(text))' is an empty range; put the smaller bound first.")
        }
        guard values[0] != nil || values[1] != nil else { throw wrong }
        return Bounds(lower: values[0], upper: values[1])
    }
}

extension ParameterType: CustomStringConvertible {
    /// The type as written in a pattern, for traces and findings.
    public var description: String {
        func bounded<Value>(_ name: String, _ bounds: Bounds<Value>?) -> String {
            guard let bounds else { return name }
            if let lower = bounds.lower, bounds.lower == bounds.upper { return "\(name)(\(lower))" }
            return "\(name)(\(bounds.lower.map { "\($0)" } ?? "")..\(bounds.upper.map { "\($0)" } ?? ""))"
        }
        return switch self {
        case .string(let length): bounded("string", length)
        case .int(let range):
            range.map { "int(\($0.lower.map { "\($0)" } ?? "")..\($0.upper.map { "\($0)" } ?? ""))" } ?? "int"
        case .number(let range): bounded("number", range)
        case .bool: "bool"
        case .uuid: "uuid"
        case .slug(let length): bounded("slug", length)
        case .alpha(let length): bounded("alpha", length)
        case .alnum(let length): bounded("alnum", length)
        case .hex(let length): bounded("hex", length)
        case .date: "date"
        case .oneOf(let values): "(\(values.joined(separator: ",")))"
        }
    }
}
