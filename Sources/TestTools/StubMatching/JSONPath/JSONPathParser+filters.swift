import LinkRouting

/// Filters, such as `@.price < 10 && @.name =~ /a.*/i`.
extension JSONPathParser {
    mutating func condition() throws(JSONPath.SyntaxError) -> JSONPathFilter {
        try nested { parser throws(JSONPath.SyntaxError) in
            var alternatives = [try parser.conjunction()]
            while parser.takeBoth("|") { alternatives.append(try parser.conjunction()) }
            return alternatives.count == 1 ? alternatives[0] : .any(alternatives)
        }
    }

    private mutating func conjunction() throws(JSONPath.SyntaxError) -> JSONPathFilter {
        var conditions = [try term()]
        while takeBoth("&") { conditions.append(try term()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func takeBoth(_ scalar: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard peek() == scalar, peek(1) == scalar else { return false }
        index += 2
        return true
    }

    private mutating func term() throws(JSONPath.SyntaxError) -> JSONPathFilter {
        skipSpaces()
        if take("!") {
            return .not(try nested { parser throws(JSONPath.SyntaxError) in try parser.term() })
        }
        if take("(") {
            let inner = try condition()
            skipSpaces()
            guard take(")") else { throw error("the parenthesis is not closed; add ')'.") }
            return inner
        }
        let start = index
        let left = try operand()
        skipSpaces()
        guard let comparison = try comparisonOperator() else {
            guard case .path(let path) = left else {
                throw error("a filter compares, as in @.name == 'x', or names a path that must exist.", at: start)
            }
            return .exists(path, true)
        }
        skipSpaces()
        return .comparison(left, comparison, try operand())
    }

    private mutating func comparisonOperator() throws(JSONPath.SyntaxError) -> JSONPathFilter.Operator? {
        let start = index
        var word = ""
        let symbols = "=!<>~".unicodeScalars
        if let scalar = peek(), symbols.contains(scalar) {
            while let scalar = peek(), symbols.contains(scalar) {
                word.unicodeScalars.append(scalar)
                index += 1
            }
        } else {
            while let scalar = peek(), scalar.value.isASCIILetter {
                word.unicodeScalars.append(scalar)
                index += 1
            }
        }
        if word.isEmpty { return nil }
        guard let found = JSONPathFilter.Operator(rawValue: word.uppercased()) else {
            throw error(
                "there is no operator '\(word)'; use ==, !=, <, <=, >, >=, =~, in, nin, contains, all, size, empty, "
                    + "subsetof, anyof, noneof or type.",
                at: start
            )
        }
        return found
    }

    private mutating func operand() throws(JSONPath.SyntaxError) -> JSONPathFilter.Operand {
        switch peek() {
        case "$", "@":
            return .path(try path { " )<>=!~&|,".unicodeScalars.contains($0) })
        case "/": return .pattern(try pattern())
        default: return .literal(try literal())
        }
    }

    /// Reads a regular expression such as `/a.*/i`.
    private mutating func pattern() throws(JSONPath.SyntaxError) -> RegularExpression {
        let start = index
        index += 1
        var text = ""
        while let scalar = peek(), scalar != "/" {
            index += 1
            text.unicodeScalars.append(scalar)
            if scalar == "\\", let escaped = peek() {
                index += 1
                // A slash needs an escape only here.
                if escaped == "/" { text.unicodeScalars.removeLast() }
                text.unicodeScalars.append(escaped)
            }
        }
        guard take("/") else { throw error("the regular expression is not closed; add '/'.", at: start) }
        var flags = ""
        while let flag = peek(), "dixmsuU".unicodeScalars.contains(flag) {
            flags.unicodeScalars.append(flag)
            index += 1
        }
        do throws(RegularExpression.SyntaxError) {
            return try RegularExpression(flags.isEmpty ? text : "(?\(flags))" + text, dot: .anyButLineBreaks)
        } catch {
            throw self.error("the regular expression is wrong \(error.description)", at: start)
        }
    }

    /// Reads a text in either quote, a number, `true`, `false`, `null`, or JSON.
    mutating func literal() throws(JSONPath.SyntaxError) -> JSONNode {
        let start = index
        switch peek() {
        case "'", "\"": return .string(try quoted())
        case "[", "{": return try json()
        default: break
        }
        var word = ""
        while let scalar = peek(),
            scalar.value.isASCIILetter || scalar.value.isASCIIDigit || "+-.".unicodeScalars.contains(scalar)
        {
            word.unicodeScalars.append(scalar)
            index += 1
        }
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: break
        }
        guard word.first != "+", word.first != ".", DecimalNumber(word) != nil else {
            throw error(
                "a value is expected here: a path, a number, true, false, null, a text in quotes, or JSON.",
                at: start
            )
        }
        return JSONNode(.number(word))
    }

    /// Reads a list or object up to its closing bracket. Texts may have single quotes.
    private mutating func json() throws(JSONPath.SyntaxError) -> JSONNode {
        let start = index
        var text = ""
        var brackets = 0
        while let scalar = peek() {
            if scalar == "'" || scalar == "\"" {
                text += JSONNode.string(try quoted()).json()
                continue
            }
            index += 1
            text.unicodeScalars.append(scalar)
            if scalar == "[" || scalar == "{" { brackets += 1 }
            if scalar == "]" || scalar == "}" { brackets -= 1 }
            if brackets == 0 { break }
        }
        let limits = JSONReader.Limits(maximumBytes: JSONPath.maximumLength * 6, maximumDepth: 32)
        do throws(JSONSyntaxError) {
            return try JSONReader.parse(text, limits: limits, duplicateKeys: .keep)
        } catch {
            throw self.error("the value is not JSON: \(error.message)", at: start)
        }
    }
}
