/// Reads the syntax of Handlebars.
struct TemplateParser {
    private let bytes: [UInt8]
    var position = 0
    private var depth = 0
    /// Whether the last tag ended with `~}}`.
    private var trimsNextText = false

    private enum End {
        case end
        case close(String, position: Int)
        /// `{{else}}`, or `{{else if …}}` with its call.
        case otherwise(TemplateExpression?, parameters: [String])
    }

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func parse() throws(Template.SyntaxError) -> [TemplateNode] {
        guard bytes.count <= Template.maximumLength else {
            throw failure("the template is longer than \(Template.maximumLength) bytes; shorten it.", at: 0)
        }
        let (nodes, end) = try nodes()
        switch end {
        case .end: return nodes
        case .close(let name, let position): throw failure("no block '\(name)' is open; remove the tag.", at: position)
        case .otherwise: throw failure("'else' is not in a block; remove the tag.", at: position)
        }
    }

    func failure(_ message: String, at offset: Int) -> Template.SyntaxError {
        let before = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self)
        return Template.SyntaxError(position: before.unicodeScalars.count, message: message)
    }

    mutating func nested<Result>(
        _ work: (inout Self) throws(Template.SyntaxError) -> Result
    ) throws(Template.SyntaxError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Template.maximumDepth else {
            throw failure("blocks and calls are nested more than \(Template.maximumDepth) deep.", at: position)
        }
        return try work(&self)
    }

    // MARK: Text

    private mutating func nodes() throws(Template.SyntaxError) -> ([TemplateNode], End) {
        var nodes: [TemplateNode] = []
        while true {
            var text = self.text()
            let start = position
            guard position < bytes.count else {
                if !text.isEmpty { nodes.append(.text(String(decoding: text, as: UTF8.self))) }
                return (nodes, .end)
            }
            let braces = bytes[position...].prefix { $0 == UInt8(ascii: "{") }.count
            guard braces <= 3 else {
                throw failure("raw blocks ('{{{{') are not supported; write '\\{{' for braces as text.", at: start)
            }
            position += braces
            if take("~") { while let last = text.last, Self.isSpace(last) { text.removeLast() } }
            if !text.isEmpty { nodes.append(.text(String(decoding: text, as: UTF8.self))) }
            if braces == 3 {
                nodes.append(.output(try expression(), isEscaped: false))
                try closeTag("}}}", from: start)
            } else if let end = try tag(from: start, into: &nodes) {
                return (nodes, end)
            }
        }
    }

    /// The text before the next tag. `\{{` is `{{` as text, and `\\{{` is a backslash before a tag.
    private mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        if trimsNextText { skipSpaces() }
        trimsNextText = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\"), starts(with: "\\\\{{") {
                text.append(byte)
                position += 2
                return text
            }
            if byte == UInt8(ascii: "\\"), starts(with: "\\{{") {
                let braces = bytes[(position + 1)...].prefix { $0 == UInt8(ascii: "{") }
                text += braces
                position += 1 + braces.count
                continue
            }
            if byte == UInt8(ascii: "{"), starts(with: "{{") { return text }
            text.append(byte)
            position += 1
        }
        return text
    }

    // MARK: Tags

    private mutating func tag(
        from start: Int,
        into nodes: inout [TemplateNode]
    ) throws(Template.SyntaxError) -> End? {
        if take("!") {
            try skipComment(from: start)
        } else if take(">") {
            throw failure("partials ('{{>') are not supported.", at: start)
        } else if take("#") {
            nodes.append(try block(isInverted: false, from: start))
        } else if take("^") {
            skipSpaces()
            if bytes[position...].first == UInt8(ascii: "}") || starts(with: "~}") {
                try closeTag("}}", from: start)
                return .otherwise(nil, parameters: [])
            }
            nodes.append(try block(isInverted: true, from: start))
        } else if take("/") {
            skipSpaces()
            let name = name()
            try closeTag("}}", from: start)
            return .close(name, position: start)
        } else if take("&") {
            nodes.append(.output(try expression(), isEscaped: false))
            try closeTag("}}", from: start)
        } else {
            return try statement(from: start, into: &nodes)
        }
        return nil
    }

    private mutating func statement(
        from start: Int,
        into nodes: inout [TemplateNode]
    ) throws(Template.SyntaxError) -> End? {
        skipSpaces()
        let before = position
        if name() == "else" {
            skipSpaces()
            guard bytes[position...].first != UInt8(ascii: "}"), !starts(with: "~}") else {
                try closeTag("}}", from: start)
                return .otherwise(nil, parameters: [])
            }
            let call = try expression()
            let parameters = try blockParameters()
            try closeTag("}}", from: start)
            return .otherwise(call, parameters: parameters)
        }
        position = before
        nodes.append(.output(try expression(), isEscaped: true))
        try closeTag("}}", from: start)
        return nil
    }

    private mutating func skipComment(from start: Int) throws(Template.SyntaxError) {
        let ends = starts(with: "--") ? ["--}}", "--~}}"] : ["}}"]
        while position < bytes.count {
            for end in ends where starts(with: end) {
                position += end.utf8.count
                trimsNextText = end == "--~}}"
                return
            }
            position += 1
        }
        throw failure("the comment is not closed; add '\(ends[0])'.", at: start)
    }

    private mutating func closeTag(_ braces: String, from start: Int) throws(Template.SyntaxError) {
        skipSpaces()
        let trims = take("~")
        guard take(braces) else {
            if position >= bytes.count {
                throw failure("the tag is not closed; add '\(braces)', or write '\\{{' for braces as text.", at: start)
            }
            throw failure("expected '\(braces)' here.", at: position)
        }
        trimsNextText = trims
    }

    // MARK: Blocks

    private mutating func block(isInverted: Bool, from start: Int) throws(Template.SyntaxError) -> TemplateNode {
        skipSpaces()
        let before = position
        let name = name()
        guard !name.isEmpty else {
            throw failure("a block needs a name, such as '{{#if request.query.q}}'.", at: start)
        }
        position = before
        let subject = try expression()
        let parameters = try blockParameters()
        try closeTag("}}", from: start)
        let (block, end) = try rest(of: subject, parameters, from: start)
        guard case .close(let closed, let offset) = end else {
            throw failure("the block '\(name)' is not closed; add '{{/\(name)}}'.", at: start)
        }
        guard closed == name else {
            throw failure("'{{/\(closed)}}' closes the block '\(name)'; write '{{/\(name)}}'.", at: offset)
        }
        guard isInverted else { return .block(block) }
        return .block(
            TemplateBlock(subject: subject, parameters: parameters, body: block.inverse, inverse: block.body)
        )
    }

    /// Reads the body of a block and what follows `else`, up to the closing tag.
    private mutating func rest(
        of subject: TemplateExpression,
        _ parameters: [String],
        from start: Int
    ) throws(Template.SyntaxError) -> (TemplateBlock, End) {
        try nested { parser throws(Template.SyntaxError) in
            let (body, end) = try parser.nodes()
            guard case .otherwise(let condition, let names) = end else {
                return (TemplateBlock(subject: subject, parameters: parameters, body: body, inverse: []), end)
            }
            let inverse: [TemplateNode]
            var last: End
            if let condition {
                let (block, end) = try parser.rest(of: condition, names, from: start)
                (inverse, last) = ([.block(block)], end)
            } else {
                (inverse, last) = try parser.nodes()
                if case .otherwise = last {
                    throw parser.failure("the block has a second 'else'; remove it.", at: parser.position)
                }
            }
            return (TemplateBlock(subject: subject, parameters: parameters, body: body, inverse: inverse), last)
        }
    }

    private mutating func blockParameters() throws(Template.SyntaxError) -> [String] {
        skipSpaces()
        let start = position
        guard name() == "as" else {
            position = start
            return []
        }
        skipSpaces()
        guard take("|") else { throw failure("write the names after 'as' between '|'.", at: position) }
        var names: [String] = []
        while true {
            skipSpaces()
            if take("|") { return names }
            let name = name()
            guard !name.isEmpty, names.count < 8 else {
                throw failure("write names after 'as', such as '|item index|'.", at: position)
            }
            names.append(name)
        }
    }

    // MARK: Characters

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpaces() { while let byte = current, Self.isSpace(byte) { position += 1 } }

    func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    mutating func take(_ text: String) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Takes the bytes up to the next one with a property.
    mutating func take(until isEnd: (UInt8) -> Bool) -> String {
        let taken = bytes[position...].prefix { !isEnd($0) }
        position += taken.count
        return String(decoding: taken, as: UTF8.self)
    }

    /// A name; empty if there is none here.
    mutating func name() -> String {
        take { Self.isSpace($0) || "!\"#%&'()*+,./;<=>@[\\]^`{|}~".utf8.contains($0) }
    }
}
