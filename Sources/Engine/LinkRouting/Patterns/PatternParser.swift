/// Parses path and host patterns in one pass, left to right. Every error says what to write instead.
struct PatternParser {
    private let bytes: [UInt8]
    private var index = 0
    private var names: [String] = []
    /// In 64 segments with eight each.
    private static let maximumParameters = 512

    init(_ text: String) { self.init(utf8: Array(text.utf8)) }

    /// - Parameter bytes: Valid UTF-8.
    init(utf8 bytes: [UInt8]) { self.bytes = bytes }

    private var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func path() throws(RoutePattern.SyntaxError) -> (segments: [RoutePattern.Segment], hasTrailingSlash: Bool)
    {
        guard bytes.first == UInt8(ascii: "/") else { throw problem(Self.problem(ofStart: text)) }
        var segments: [RoutePattern.Segment] = []
        segments.reserveCapacity(bytes.count { $0 == UInt8(ascii: "/") })
        while index < bytes.count {
            index += 1
            if index == bytes.count { return (segments, !segments.isEmpty) }
            if case .rest(let name)? = segments.last {
                throw problem("a rest parameter must be the last segment; move '{\(name)...}' to the end.")
            }
            segments.append(try segment())
            guard segments.count <= RoutePattern.maximumSegments else {
                throw problem(
                    "a pattern can have at most \(RoutePattern.maximumSegments) segments; end it with a rest parameter."
                )
            }
        }
        return (segments, false)
    }

    mutating func host() throws(RoutePattern.SyntaxError) -> HostPattern {
        guard let first = bytes.first else {
            throw problem("a host pattern cannot be empty; leave 'host' out instead.")
        }
        if first == UInt8(ascii: "*") {
            index = 1
            return .label(nil, suffix: try hostSuffix())
        }
        if first == UInt8(ascii: "{") {
            guard case .parameter(let parameter) = try parameter() else {
                throw problem("a parameter in a host pattern takes exactly one label; '{name...}' is not allowed.")
            }
            return .label(parameter, suffix: try hostSuffix())
        }
        return .exact(try hostName(text))
    }

    private func hostSuffix() throws(RoutePattern.SyntaxError) -> HostName {
        guard index < bytes.count, bytes[index] == UInt8(ascii: ".") else {
            throw problem("the parameter must be a whole label; write '{shop}.example.com'.")
        }
        return try hostName(String(decoding: bytes[(index + 1)...], as: UTF8.self))
    }

    private func hostName(_ name: String) throws(RoutePattern.SyntaxError) -> HostName {
        do {
            return try HostName(name)
        } catch {
            throw problem("'\(name)': \(error.message)")
        }
    }

    private mutating func segment() throws(RoutePattern.SyntaxError) -> RoutePattern.Segment {
        if isSegmentEnd {
            throw problem("an empty segment matches nothing; remove the doubled '/'.")
        }
        if bytes[index] == UInt8(ascii: "*") {
            index += 1
            guard isSegmentEnd else {
                let rest = bytes[index...].prefix { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "*") }
                let name = String(decoding: rest, as: UTF8.self)
                throw problem(
                    "'*' must be a whole segment; "
                        + (rest.isEmpty || isParameterName(name)
                            ? "for the rest of the path, write {\(name.isEmpty ? "rest" : name)...}."
                            : "within a segment, write a parameter such as {name}.")
                )
            }
            return .any
        }
        let prefix = try literal()
        if isSegmentEnd {
            if prefix == [UInt8(ascii: ".")] || prefix == Array("..".utf8) {
                throw problem("no link can have a segment '.' or '..'; remove it.")
            }
            return .literal(prefix)
        }
        var pieces: [RoutePattern.Mixed.Piece] = []
        while !isSegmentEnd {
            if let last = pieces.last, last.literal.isEmpty {
                throw problem(
                    "'{\(last.parameter.name)}' and the parameter after it are adjacent; put a character between them."
                )
            }
            switch try parameter() {
            case .parameter(let parameter):
                pieces.append(RoutePattern.Mixed.Piece(parameter: parameter, literal: try literal()))
            case .rest(let name):
                guard prefix.isEmpty, pieces.isEmpty, isSegmentEnd else {
                    throw problem("a rest parameter must be a whole segment; write '/{\(name)...}'.")
                }
                return .rest(name)
            }
        }
        guard pieces.count <= RoutePattern.maximumParametersInSegment else {
            throw problem("a segment can have at most \(RoutePattern.maximumParametersInSegment) parameters.")
        }
        if prefix.isEmpty, pieces.count == 1, pieces[0].literal.isEmpty { return .parameter(pieces[0].parameter) }
        try refuseLongLiterals(between: pieces)
        try refuseManyEnds(of: pieces)
        return .mixed(RoutePattern.Mixed(prefix: prefix, pieces: pieces))
    }

    /// Refuses long texts between parameters, which are compared at each end that the parameter before them may have.
    private func refuseLongLiterals(between pieces: [RoutePattern.Mixed.Piece]) throws(RoutePattern.SyntaxError) {
        let longest = RoutePattern.Mixed.longestBetween
        guard let piece = pieces.dropLast().first(where: { $0.literal.count > longest }) else { return }
        throw problem(
            "the text between '{\(piece.parameter.name)}' and the next parameter must have at most \(longest) bytes; shorten it, "
                + "or make '{\(piece.parameter.name)}' a segment."
        )
    }

    /// Refuses parameters of which too many ends would have to be tried.
    private func refuseManyEnds(of pieces: [RoutePattern.Mixed.Piece]) throws(RoutePattern.SyntaxError) {
        let open = RoutePattern.Mixed.openParameters(of: pieces)
        guard let index = open.first else { return }
        let name = pieces[index].parameter.name
        guard open.count == 1 else {
            throw problem(
                "only one parameter of a segment may contain the character after it, but '{\(name)}' and "
                    + "'{\(pieces[open[1]].parameter.name)}' may; write another one after '{\(name)}', give it one length, as in "
                    + "{\(name):alnum(4)}, or make it a segment."
            )
        }
        let longest = RoutePattern.Mixed.longestRest
        let isFollowedByText = index + 2 == pieces.count && pieces[index + 1].parameter.type.kind != nil
        guard isFollowedByText || RoutePattern.Mixed.restLength(of: pieces, behind: index) <= longest else {
            let others = pieces[(index + 1)...].map(\.parameter)
            let other = others.max { $0.type.maximumLength ?? .max < $1.type.maximumLength ?? .max } ?? others[0]
            throw problem(
                "'{\(name)}' may contain the character after it, so the text behind it must have at most \(longest) bytes; give "
                    + "'{\(other.name)}' a length, as in {\(other.name):string(..32)}, or make it a segment."
            )
        }
    }

    private var isSegmentEnd: Bool { index == bytes.count || bytes[index] == UInt8(ascii: "/") }

    /// Reads literal bytes up to a parameter or the end of the segment; decodes `%XX` and `\`.
    private mutating func literal() throws(RoutePattern.SyntaxError) -> [UInt8] {
        // Most literals are plain text from one slash to the next.
        let plainEnd = bytes[index...].firstIndex { !isPlain($0) } ?? bytes.count
        var literal = Array(bytes[index..<plainEnd])
        index = plainEnd
        while !isSegmentEnd, bytes[index] != UInt8(ascii: "{") {
            switch bytes[index] {
            case UInt8(ascii: "}"):
                throw problem("'}' has no '{'; write \\} for a literal brace.")
            case UInt8(ascii: "*"):
                throw problem(
                    "'*' must be a whole segment; write \\* for a literal star, or a parameter such as {name}."
                )
            default:
                literal.append(try literalByte(escapable: "{}*\\"))
            }
        }
        guard isUTF8(literal) else {
            throw problem("its percent-encoding is not UTF-8; write the character itself.")
        }
        return literal
    }

    private mutating func literalByte(escapable: StaticString) throws(RoutePattern.SyntaxError) -> UInt8 {
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\\"):
            guard index < bytes.count, escapable.description.utf8.contains(bytes[index]) else {
                guard Self.correction(ofExpression: text) == nil else {
                    throw problem(Self.problem(ofExpression: text))
                }
                throw problem(
                    "a backslash can escape only \(escapable.description.map { "\($0)" }.joined(separator: " "))."
                )
            }
            index += 1
            return bytes[index - 1]
        case UInt8(ascii: "%"):
            guard index + 1 < bytes.count, let high = hexValue(bytes[index]), let low = hexValue(bytes[index + 1])
            else {
                throw problem("'%' is not followed by two hexadecimal digits; write %25 for a percent sign.")
            }
            index += 2
            let decoded = high << 4 | low
            guard decoded >= 0x20, decoded != 0x7F else {
                throw problem("no link can have a control character; remove it.")
            }
            return decoded
        case ..<0x20, 0x7F:
            throw problem("no link can have a control character; remove it.")
        case UInt8(ascii: "?"), UInt8(ascii: "#"):
            let character = String(decoding: [byte], as: UTF8.self)
            guard byte == UInt8(ascii: "#") || !isSegmentEnd else {
                throw problem("a segment cannot be optional; write a route with it and one without, or %3F for a '?'.")
            }
            throw problem(
                "'\(character)' is not part of a path; use 'query' or 'fragment', or %\(byte == 0x3F ? "3F" : "23")."
            )
        default:
            return byte
        }
    }

    private enum Piece {
        case parameter(RoutePattern.Parameter)
        case rest(String)
    }

    /// Reads `{name}`, `{name:type}`, `{name(value,…)}` or `{name...}`; the opening brace is next.
    private mutating func parameter() throws(RoutePattern.SyntaxError) -> Piece {
        let opening = index
        index += 1
        let name = word()
        guard isParameterName(name) else {
            throw problem(
                foreignParameter(at: opening)
                    ?? "'{\(name)' is not a parameter; a name is a letter followed by letters, digits or _."
            )
        }
        guard names.count < Self.maximumParameters else { throw problem("a pattern can have at most 512 parameters.") }
        guard !names.contains(name) else {
            throw problem("duplicate parameter name '\(name)'; give each parameter its own.")
        }
        names.append(name)
        if bytes[index...].starts(with: "...}".utf8) {
            index += 4
            return .rest(name)
        }
        var type = ParameterType.plain
        if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
            type = .oneOf(try values(of: name))
        } else if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
            index += 1
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "}"), bytes[index] != UInt8(ascii: "/") {
                index += 1
            }
            let typeText = String(decoding: bytes[start..<index], as: UTF8.self)
            do {
                type = try ParameterType(typeText)
            } catch {
                let advice = foreignParameter(at: opening) ?? Self.problem(ofType: typeText, of: name)
                throw problem(advice ?? "parameter '\(name)': \(error.description)")
            }
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "}") else {
            throw problem("'{\(name)' is not closed; write {\(name)}, {\(name):int}, {\(name)(a,b)} or {\(name)...}.")
        }
        index += 1
        return .parameter(RoutePattern.Parameter(name: name, type: type))
    }

    /// Returns what to write instead of a parameter of another router; nil if that is not known.
    ///
    /// - Parameter opening: The index of its opening brace.
    private func foreignParameter(at opening: Int) -> String? {
        guard let end = bytes[opening...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let inner = String(decoding: bytes[(opening + 1)..<end], as: UTF8.self)
        guard inner.hasSuffix("?"), isParameterName(inner.dropLast().prefix { $0 != ":" && $0 != "(" }) else {
            return Self.problem(ofParameter: inner).map { "'{\(inner)}' is not a parameter; \($0)" }
        }
        let parameter = "{\(inner.dropLast())}"
        guard bytes.first == UInt8(ascii: "/"), bytes[opening - 1] == UInt8(ascii: "/"), end == bytes.count - 1 else {
            return "a parameter cannot be optional; write a route with \(parameter) and one without it."
        }
        let with = String(decoding: bytes[..<opening], as: UTF8.self) + parameter
        let without = String(decoding: bytes[..<max(opening - 1, 1)], as: UTF8.self)
        return "a parameter cannot be optional; write two routes, one with the path \(without) and one with \(with)."
    }

    /// Reads the values of a set, including both parentheses.
    private mutating func values(of name: String) throws(RoutePattern.SyntaxError) -> ListedValues {
        var values: [String] = []
        repeat {
            index += 1
            var value: [UInt8] = []
            while index < bytes.count,
                ![UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "/")].contains(bytes[index])
            {
                value.append(try literalByte(escapable: "{}*\\,()"))
            }
            guard let text = String(validUTF8: value), !text.isEmpty else {
                throw problem("the set of '\(name)' has an empty value; write {\(name)(list,detail)}.")
            }
            values.append(text)
        } while index < bytes.count && bytes[index] == UInt8(ascii: ",")
        guard index < bytes.count, bytes[index] == UInt8(ascii: ")") else {
            throw problem("the set of '\(name)' is not closed; write {\(name)(list,detail)}.")
        }
        index += 1
        let listed = ListedValues(values)
        guard !listed.hasDuplicates else {
            var known: Set<ExactText> = []
            let second = values.first { !known.insert(ExactText($0)).inserted } ?? ""
            throw problem("the set of '\(name)' lists '\(second)' twice.")
        }
        return listed
    }

    private mutating func word() -> String {
        let start = index
        while index < bytes.count, !isWordEnd(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private func isWordEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "("), UInt8(ascii: "}"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: "{"):
            true
        default: false
        }
    }

    private func problem(_ problem: String) -> RoutePattern.SyntaxError {
        RoutePattern.SyntaxError(pattern: text, offset: min(index, bytes.count), problem: problem)
    }
}

/// Returns the value of a hexadecimal digit of either case; nil for other bytes.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
