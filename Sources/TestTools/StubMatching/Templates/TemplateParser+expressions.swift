extension TemplateParser {
    /// Reads a path, or a call with its arguments.
    mutating func expression() throws(Template.SyntaxError) -> TemplateExpression {
        skipSpaces()
        let start = position
        if let byte = current, "\"'".utf8.contains(byte) || byte == UInt8(ascii: "}") {
            throw failure("write a name or a helper here, such as 'request.url'.", at: start)
        }
        let path = try path()
        var arguments: [TemplateExpression] = []
        var options: [TemplateCall.Option] = []
        while try argument(&arguments, &options) {
            guard arguments.count + options.count <= 256 else {
                throw failure("a call has more than 256 arguments.", at: start)
            }
        }
        if path.kind == .name, path.ups == 0, path.segments.count == 1,
            let name = path.segments.first, let helper = templateHelpers[name]
        {
            let call = TemplateCall(
                name: name,
                helper: helper,
                arguments: arguments,
                options: options,
                compiled: try compiled(name, arguments, at: start)
            )
            return .call(call)
        }
        guard arguments.isEmpty, options.isEmpty else {
            throw failure("there is no helper '\(path.segments.joined(separator: "."))'.", at: start)
        }
        return .path(path)
    }

    /// Compiles a literal JSONPath or regular expression, so that a wrong one is an error of the template.
    private func compiled(
        _ name: String,
        _ arguments: [TemplateExpression],
        at start: Int
    ) throws(Template.SyntaxError) -> TemplateCall.Compiled? {
        guard arguments.count > 1, case .literal(.text(let text)) = arguments[1] else { return nil }
        switch name {
        case "jsonPath":
            do {
                return .jsonPath(try JSONPath(text))
            } catch {
                throw failure("the JSONPath '\(text)' is wrong: \(error)", at: start)
            }
        case "regexExtract", "matches":
            do {
                return .expression(try RegularExpression(text, dot: .anyButLineBreaks))
            } catch {
                throw failure("the regular expression '\(text)' is wrong: \(error)", at: start)
            }
        default: return nil
        }
    }

    /// Reads the next argument or option. Returns false before the end of the tag, of the call, or before `as |`.
    private mutating func argument(
        _ arguments: inout [TemplateExpression],
        _ options: inout [TemplateCall.Option]
    ) throws(Template.SyntaxError) -> Bool {
        skipSpaces()
        guard let byte = current, !"})~|".utf8.contains(byte) else { return false }
        let start = position
        let name = name()
        if name == "as" {
            skipSpaces()
            if starts(with: "|") {
                position = start
                return false
            }
        } else if !name.isEmpty, take("=") {
            skipSpaces()
            options.append(TemplateCall.Option(name: name, value: try operand()))
            return true
        }
        position = start
        guard options.isEmpty else {
            throw failure("an argument follows an option; write '=' after the option's name.", at: start)
        }
        arguments.append(try operand())
        return true
    }

    private mutating func operand() throws(Template.SyntaxError) -> TemplateExpression {
        let start = position
        if take("(") {
            let call = try nested { parser throws(Template.SyntaxError) in try parser.expression() }
            skipSpaces()
            guard take(")") else { throw failure("the call is not closed; add ')'.", at: start) }
            return call
        }
        if let quote = current, "\"'".utf8.contains(quote) { return .literal(.text(try string(quote))) }
        let word = take { Self.isSpace($0) || "}()=|~'\"".utf8.contains($0) }
        switch word {
        case "true": return .literal(.bool(true))
        case "false": return .literal(.bool(false))
        case _ where word.utf8.first.map { ($0 == UInt8(ascii: "-") || (0x30...0x39).contains($0)) } == true:
            if DecimalNumber(word) != nil { return .literal(.number(word)) }
        default: break
        }
        position = start
        return .path(try path())
    }

    /// Reads a text in quotes. A backslash before the quote makes it a part of the text.
    private mutating func string(_ quote: UInt8) throws(Template.SyntaxError) -> String {
        let start = position
        let mark = String(UnicodeScalar(quote))
        _ = take(mark)
        var text = ""
        while true {
            text += take { $0 == quote || $0 == UInt8(ascii: "\\") }
            if take(mark) { return text }
            if take("\\" + mark) {
                text += mark
            } else if take("\\") {
                text += "\\"
            } else {
                throw failure("the text is not closed; add \(mark).", at: start)
            }
        }
    }

    private mutating func path() throws(Template.SyntaxError) -> TemplatePath {
        let start = position
        var isData = take("@")
        var ups = 0
        while take("../") { ups += 1 }
        if take("@") { isData = true }
        if !isData, take("..") { return TemplatePath(ups: ups + 1, kind: .context, segments: []) }
        var kind: TemplatePath.Kind = isData ? .data : .name
        if !isData, take("./") {
            kind = .context
        } else if !isData, take(".") || (ups > 0 && isAtEndOfPath) {
            return TemplatePath(ups: ups, kind: .context, segments: [])
        }
        var segments = [try segment(start)]
        while take(".") || take("/") {
            guard segments.count < 64 else { throw failure("the path has more than 64 names.", at: start) }
            segments.append(try segment(start))
        }
        if isData, segments.first == "root" { (kind, segments) = (.root, Array(segments.dropFirst())) }
        if !isData, segments.first == "this" { (kind, segments) = (.context, Array(segments.dropFirst())) }
        return TemplatePath(ups: ups, kind: kind, segments: segments)
    }

    private var isAtEndOfPath: Bool { current.map { Self.isSpace($0) || "}()=|~".utf8.contains($0) } ?? true }

    private mutating func segment(_ start: Int) throws(Template.SyntaxError) -> String {
        guard take("[") else {
            let name = name()
            guard !name.isEmpty else {
                throw failure("a name is missing; write a path such as 'request.query.q'.", at: position)
            }
            return name
        }
        let name = take { $0 == UInt8(ascii: "]") }
        guard take("]") else { throw failure("the name in brackets is not closed; add ']'.", at: start) }
        return name
    }
}
