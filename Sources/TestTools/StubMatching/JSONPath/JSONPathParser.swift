import LinkRouting

/// Parses paths as Jayway does. Its recursion is bounded by ``JSONPath/maximumDepth``.
struct JSONPathParser {
    let scalars: [Unicode.Scalar]
    /// The index of the next unread scalar.
    var index = 0
    private var depth = 0

    init(_ expression: String) { scalars = Array(expression.unicodeScalars) }

    mutating func parse() throws(JSONPath.SyntaxError) -> JSONPathTokens {
        guard let first = scalars.first else { throw error("the expression is empty; write a path such as $.name.") }
        // As in Jayway, a name alone is a path from the root.
        guard first == "$" || first == "@" else {
            var path = JSONPathTokens(root: .document)
            try appendToken(to: &path, afterDot: true)
            return try rest(of: path, end: { _ in false })
        }
        let path = try self.path { _ in false }
        return path
    }

    // MARK: Scalars

    func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        let position = index + offset
        return scalars.indices.contains(position) ? scalars[position] : nil
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        index += 1
        return true
    }

    mutating func skipSpaces() {
        while peek() == " " { index += 1 }
    }

    func error(_ message: String, at position: Int? = nil) -> JSONPath.SyntaxError {
        JSONPath.SyntaxError(position: position ?? index, message: message)
    }

    mutating func nested<Value>(
        _ body: (inout JSONPathParser) throws(JSONPath.SyntaxError) -> Value
    ) throws(JSONPath.SyntaxError) -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth <= JSONPath.maximumDepth else {
            throw error("filters and functions nest deeper than \(JSONPath.maximumDepth) levels; simplify the path.")
        }
        return try body(&self)
    }

    // MARK: Paths

    /// Reads a path that starts with `$` or `@`.
    ///
    /// - Parameter end: Whether the path ends before this scalar, inside a filter or an argument list.
    mutating func path(end: (Unicode.Scalar) -> Bool) throws(JSONPath.SyntaxError) -> JSONPathTokens {
        let root: JSONPathTokens.Root = peek() == "$" ? .document : .item
        index += 1
        return try rest(of: JSONPathTokens(root: root), end: end)
    }

    private mutating func rest(
        of path: JSONPathTokens,
        end: (Unicode.Scalar) -> Bool
    ) throws(JSONPath.SyntaxError) -> JSONPathTokens {
        var path = path
        while let scalar = peek(), !end(scalar) {
            switch scalar {
            case "[": try appendToken(to: &path, afterDot: false)
            case ".":
                index += 1
                if take(".") { path.tokens.append(.scan) }
                guard let next = peek(), !end(next) else {
                    throw error("the path ends with '.'; remove it, or add a name.")
                }
                guard next != "." else { throw error("'...' is not a step; write '.' or '..'.") }
                try appendToken(to: &path, afterDot: true)
            default: throw error("'.' or '[' is expected here; write $.name or $['name'].")
            }
            guard path.tokens.count <= JSONPath.maximumTokens else {
                throw error("the path has more than \(JSONPath.maximumTokens) steps; shorten it.")
            }
        }
        return Self.aggregating(path)
    }

    /// A function after `..` applies to all found values, not to each: `$..price.sum()` is one sum.
    private static func aggregating(_ path: JSONPathTokens) -> JSONPathTokens {
        guard case .scan = path.tokens.first,
            let position = path.tokens.firstIndex(where: { if case .function = $0 { true } else { false } }),
            case .function(let function, _) = path.tokens[position]
        else { return path }
        let source = JSONPathTokens(root: path.root, tokens: Array(path.tokens[..<position]))
        let call = JSONPathTokens.Token.function(function, [.path(source)])
        return JSONPathTokens(root: path.root, tokens: [call] + path.tokens[(position + 1)...])
    }

    private mutating func appendToken(to path: inout JSONPathTokens, afterDot: Bool) throws(JSONPath.SyntaxError) {
        switch peek() {
        case "[": path.tokens.append(try nested { parser throws(JSONPath.SyntaxError) in try parser.bracket() })
        case "*":
            index += 1
            path.tokens.append(.wildcard)
        default: path.tokens.append(try name())
        }
    }

    /// Reads `name` or `name(…)`.
    private mutating func name() throws(JSONPath.SyntaxError) -> JSONPathTokens.Token {
        let start = index
        var name = ""
        while let scalar = peek(), !".[()<>=~!&|, ".unicodeScalars.contains(scalar) {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        if peek() == " ", !name.isEmpty, depth == 0 {
            throw error("a name with a space needs brackets; write ['my name'].")
        }
        guard !name.isEmpty else { throw error("a name is missing here; add one.", at: start) }
        guard peek() == "(" else { return .properties([name]) }
        guard let function = JSONPathFunction(rawValue: name) else {
            throw error(
                "there is no function '\(name)'; the functions are length, size, keys, sum, avg, min, max, stddev, concat "
                    + "and append.",
                at: start
            )
        }
        index += 1
        return .function(function, try nested { parser throws(JSONPath.SyntaxError) in try parser.parameters() })
    }

    private mutating func parameters() throws(JSONPath.SyntaxError) -> [JSONPathTokens.Parameter] {
        var parameters: [JSONPathTokens.Parameter] = []
        skipSpaces()
        if take(")") { return parameters }
        while true {
            skipSpaces()
            if peek() == "$" || peek() == "@" {
                parameters.append(.path(try path { $0 == "," || $0 == ")" || $0 == " " }))
            } else {
                parameters.append(.literal(try literal()))
            }
            skipSpaces()
            if take(")") { return parameters }
            guard take(",") else { throw error("arguments are separated by ',' and end with ')'.") }
        }
    }

    // MARK: Brackets

    private mutating func bracket() throws(JSONPath.SyntaxError) -> JSONPathTokens.Token {
        let start = index
        index += 1
        skipSpaces()
        switch peek() {
        case "'", "\"": return .properties(try quotedNames())
        case "*":
            index += 1
            try close(start)
            return .wildcard
        case "?":
            index += 1
            skipSpaces()
            guard take("(") else { throw error("a filter is written as [?(@.name == 'x')].") }
            let filter = try condition()
            skipSpaces()
            guard take(")") else { throw error("')' is expected here; a filter is written as [?(@.name == 'x')].") }
            try close(start)
            return .filter(filter)
        default: return try numbers(from: start)
        }
    }

    private mutating func close(_ start: Int) throws(JSONPath.SyntaxError) {
        skipSpaces()
        guard take("]") else { throw error("the bracket is not closed; add ']'.", at: start) }
    }

    private mutating func quotedNames() throws(JSONPath.SyntaxError) -> [String] {
        let start = index
        var names: [String] = []
        while true {
            skipSpaces()
            guard peek() == "'" || peek() == "\"" else {
                throw error("a name in quotes is expected here, as in ['name'].")
            }
            names.append(try quoted())
            skipSpaces()
            if take("]") { return names }
            guard take(",") else { throw error("the bracket is not closed; add ']'.", at: start) }
        }
    }

    /// Reads a text in quotes with JSON's escapes, besides `\'`.
    mutating func quoted() throws(JSONPath.SyntaxError) -> String {
        let start = index
        let quote = peek()
        index += 1
        var text = ""
        while let scalar = peek() {
            index += 1
            if scalar == quote { return text }
            guard scalar == "\\" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            guard let escaped = peek() else { break }
            index += 1
            switch escaped {
            case "n": text += "\n"
            case "r": text += "\r"
            case "t": text += "\t"
            case "b": text += "\u{8}"
            case "f": text += "\u{C}"
            case "u":
                guard let scalar = Unicode.Scalar(try hexadecimal()) else {
                    throw error("half of a surrogate pair is not a character; write the character itself.")
                }
                text.unicodeScalars.append(scalar)
            default: text.unicodeScalars.append(escaped)
            }
        }
        throw error("the text is not closed; add the quote.", at: start)
    }

    private mutating func hexadecimal() throws(JSONPath.SyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.value.hexadecimalDigit else {
                throw error("\\u is followed by four hexadecimal digits.")
            }
            value = value << 4 | digit
            index += 1
        }
        return value
    }

    /// Reads indexes such as `0`, `-1` or `0,2`, or a slice such as `1:3`.
    private mutating func numbers(from start: Int) throws(JSONPath.SyntaxError) -> JSONPathTokens.Token {
        var content = ""
        while let scalar = peek(), scalar != "]" {
            guard scalar.value.isASCIIDigit || "-,: ".unicodeScalars.contains(scalar) else {
                throw error("a bracket holds an index, a slice, '*', a name in quotes or a filter [?(…)].")
            }
            if scalar != " " { content.unicodeScalars.append(scalar) }
            index += 1
        }
        try close(start)
        guard content.contains(":") else {
            let parts = content.split(separator: ",", omittingEmptySubsequences: false)
            let indexes = parts.compactMap { Int32($0) }.map(Int.init)
            guard indexes.count == parts.count else {
                throw error("the indexes are numbers, as in [0] or [0,2].", at: start)
            }
            return .indexes(indexes)
        }
        let parts = content.split(separator: ":", omittingEmptySubsequences: false).prefix(2)
        let bounds = parts.map { $0.isEmpty ? nil : Int32($0).map(Int.init) }
        guard bounds.contains(where: { $0 != nil }), zip(parts, bounds).allSatisfy({ $0.isEmpty || $1 != nil }) else {
            throw error("a slice has a start or an end, as in [1:], [:2] or [1:3].", at: start)
        }
        return .slice(from: bounds[0], to: bounds[1])
    }
}
