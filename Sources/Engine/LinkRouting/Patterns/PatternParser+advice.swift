/// What to write instead of texts that are no patterns: those of other routers, regular expressions, and typing errors.
extension PatternParser {
    /// Returns what is wrong with a path that does not start with a slash.
    static func problem(ofStart text: String) -> String {
        var path = text.withoutSpaceAround[...]
        if let quote = path.first, isTypographicQuote(quote) {
            path = path.drop(while: isTypographicQuote)
            while let last = path.last, isTypographicQuote(last) { path.removeLast() }
            return "replace the typographic quotes; write '\(path)'."
        }
        if path.hasPrefix("/") { return "a path must start with '/', not with white space; write '\(path)'." }
        if path.hasPrefix("^") { return problem(ofExpression: String(path)) }
        guard let scheme = path.firstRange(of: "://") else { return "a path must start with '/'; write '/\(path)'." }
        path = path[scheme.upperBound...].drop { $0 != "/" }
        return
            "a path has no scheme and no host; write '\(path.isEmpty ? "/" : path)'. 'host' limits a route to a host."
    }

    private static func isTypographicQuote(_ character: Character) -> Bool { "“”„‟‘’‚«»".contains(character) }

    /// The length up to which a regular expression is corrected, in bytes. A table may have many.
    private static let longestExpression = 1_024

    /// Returns the path that a regular expression probably means; nil for another text.
    static func correction(ofExpression text: String) -> ForeignPath? {
        text.utf8.count <= longestExpression ? ForeignPath.corrected(expression: text) : nil
    }

    static func problem(ofExpression text: String) -> String {
        let path = correction(ofExpression: text)?.text ?? ForeignPath.withoutAnchors(text)
        return "regular expressions are not supported; write '\(path.hasPrefix("/") ? path : "/\(path)")'."
    }

    /// Returns what to write instead of the text between braces, such as `*path`; nil if that is not known.
    static func problem(ofParameter inner: String) -> String? {
        let name = inner.prefix { $0 != ":" && $0 != "(" }
        let type = inner[name.endIndex...]
        var core = name.drop { "{*.".contains($0) }
        while let last = core.last, "*+".contains(last) { core.removeLast() }
        let word = String(core.map { $0 == "-" ? "_" : $0 })
        guard isParameterName(word), word != name else { return nil }
        let isRest = !core.elementsEqual(name.drop { $0 == "{" })
        return isRest ? "for the rest of the path, write {\(word)...}." : "write {\(word)\(type)}."
    }

    /// Returns what to write instead of a type; nil if that is not known.
    static func problem(ofType text: String, of name: String) -> String? {
        if text.contains(where: { "[\\^$".contains($0) }) || text.hasSuffix("+") || text.hasSuffix("*") {
            let isNumber = text.contains("\\d") || text.contains("[0-9]")
            return "regular expressions are not supported; write {\(name)\(isNumber ? ":int" : "")}."
        }
        if let brace = text.firstIndex(of: "{") {
            // The closing brace ends the parameter.
            let ends = text[text.index(after: brace)...].split(separator: ",", omittingEmptySubsequences: false)
            let type = "\(text[..<brace])(\(ends.joined(separator: "..")))"
            return (try? ParameterType(type)) == nil ? nil : "write {\(name):\(type)}."
        }
        let isSwapped = (try? ParameterType(name)) != nil && isParameterName(text) && text.nearest(among: types) == nil
        return isSwapped ? "the name comes first; write {\(text):\(name)}." : nil
    }

    private static let types = [
        "string", "int", "number", "bool", "uuid", "slug", "alpha", "alnum", "hex", "date",
    ]
}

extension String {
    var withoutSpaceAround: String {
        let text = drop(while: \.isWhitespace)
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(text[...last])
    }
}
