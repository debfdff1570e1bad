/// Parses a regular expression as Java's `Pattern` does. Its recursion is bounded by ``RegularExpression/maximumDepth``.
struct RegexParser {
    /// The scalars of the pattern after the removal of `\Q…\E`, and the offset of each in the pattern.
    private(set) var scalars: [UInt32] = []
    private var positions: [Int] = []
    /// The index of the next unread scalar.
    var index = 0
    var flags: Flags
    private var depth = 0
    private(set) var sets: [ScalarSet] = []
    private(set) var groupCount = 0
    private(set) var groupNames: [String: Int] = [:]

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let ignoreCase = Flags(rawValue: 1)
        static let multiline = Flags(rawValue: 2)
        static let dotAll = Flags(rawValue: 4)
        static let unicodeCase = Flags(rawValue: 8)
        static let comments = Flags(rawValue: 16)
        static let unixLines = Flags(rawValue: 32)
        static let unicodeClasses = Flags(rawValue: 64)
    }

    init(_ pattern: String, dot: RegularExpression.Dot) throws(RegularExpression.SyntaxError) {
        flags = dot == .anyScalar ? .dotAll : []
        guard pattern.utf8.count <= RegularExpression.maximumLength else {
            throw RegularExpression.SyntaxError(
                position: 0,
                message:
                    "the pattern has \(pattern.utf8.count) bytes; shorten it to \(RegularExpression.maximumLength)."
            )
        }
        unquote(pattern.unicodeScalars.map(\.value))
    }

    mutating func parse() throws(RegularExpression.SyntaxError) -> RegexNode {
        let node = try alternatives()
        guard index == scalars.count else { throw error("')' has no '('; remove it, or write \\).") }
        return node
    }

    var folding: LetterFolding {
        guard flags.contains(.ignoreCase) else { return .exact }
        return flags.contains(.unicodeCase) ? .unicode : .ascii
    }

    // MARK: Scalars

    /// Replaces the text between `\Q` and `\E` by escaped scalars.
    private mutating func unquote(_ pattern: [UInt32]) {
        var (offset, isQuoted) = (0, false)
        while offset < pattern.count {
            let isEscape = pattern[offset] == 0x5C && offset + 1 < pattern.count
            let next = isEscape ? pattern[offset + 1] : 0
            if isQuoted, isEscape, next == UInt32(UInt8(ascii: "E")) {
                isQuoted = false
                offset += 2
            } else if isQuoted {
                let isPlain = pattern[offset].isASCIILetter || pattern[offset].isASCIIDigit || pattern[offset] >= 0x80
                if !isPlain { append(0x5C, offset) }
                append(pattern[offset], offset)
                offset += 1
            } else if isEscape, next == UInt32(UInt8(ascii: "Q")) {
                isQuoted = true
                offset += 2
            } else if isEscape {
                append(0x5C, offset)
                append(next, offset + 1)
                offset += 2
            } else {
                append(pattern[offset], offset)
                offset += 1
            }
        }
    }

    private mutating func append(_ scalar: UInt32, _ position: Int) {
        scalars.append(scalar)
        positions.append(position)
    }

    /// The next scalar, after spaces and comments if the flag `x` ignores them. Nil at the end.
    mutating func peek() -> Unicode.Scalar? {
        if flags.contains(.comments) { skipComments() }
        return raw(at: index)
    }

    /// The scalar at an index, also a space.
    func raw(at index: Int) -> Unicode.Scalar? {
        scalars.indices.contains(index) ? Unicode.Scalar(scalars[index]) : nil
    }

    /// Consumes a scalar if it is next.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        index += 1
        return true
    }

    private mutating func skipComments() {
        while let scalar = raw(at: index) {
            if scalar == "#" {
                while let inside = raw(at: index), !endsComment(inside) { index += 1 }
            } else if scalar == " " || (0x09...0x0D).contains(scalar.value) {
                index += 1
            } else {
                return
            }
        }
    }

    private func endsComment(_ scalar: Unicode.Scalar) -> Bool {
        if flags.contains(.unixLines) { return scalar == "\n" }
        return scalar == "\n" || scalar == "\r" || scalar.value == 0x85 || (0x2028...0x2029).contains(scalar.value)
    }

    func error(_ message: String, at scalar: Int? = nil) -> RegularExpression.SyntaxError {
        let scalar = scalar ?? index
        let position = positions.indices.contains(scalar) ? positions[scalar] : (positions.last.map { $0 + 1 } ?? 0)
        return RegularExpression.SyntaxError(position: position, message: message)
    }

    // MARK: Structure

    mutating func nested<Value>(
        _ body: (inout RegexParser) throws(RegularExpression.SyntaxError) -> Value
    ) throws(RegularExpression.SyntaxError) -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RegularExpression.maximumDepth else {
            throw error("groups and classes nest deeper than \(RegularExpression.maximumDepth) levels; flatten them.")
        }
        return try body(&self)
    }

    /// Reads everything up to a closing parenthesis or the end.
    mutating func alternatives() throws(RegularExpression.SyntaxError) -> RegexNode {
        var alternatives = [try sequence()]
        while take("|") { alternatives.append(try sequence()) }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func sequence() throws(RegularExpression.SyntaxError) -> RegexNode {
        var nodes: [RegexNode] = []
        while let scalar = peek() {
            switch scalar {
            case "|", ")": return Self.joined(nodes)
            case "*", "+", "?":
                throw error("'\(scalar)' has nothing to repeat; write \\\(scalar) for the character.")
            case "(":
                if let group = try group() { nodes.append(try repeated(group)) }
            default:
                nodes.append(try repeated(try atom(scalar)))
            }
        }
        return Self.joined(nodes)
    }

    private static func joined(_ nodes: [RegexNode]) -> RegexNode {
        nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(RegularExpression.SyntaxError) -> RegexNode {
        switch scalar {
        case "{":
            // A quantifier without an atom repeats the empty text.
            return .empty
        case "[":
            let operations = try characterClass()
            return set(operations)
        case "\\":
            index += 1
            return try escape()
        case "^":
            index += 1
            guard flags.contains(.multiline) else { return .assertion(.start) }
            return .assertion(flags.contains(.unixLines) ? .unixLineStart : .lineStart)
        case "$":
            index += 1
            guard flags.contains(.multiline) else {
                return .assertion(flags.contains(.unixLines) ? .endOrLastNewline : .endOrLastLineBreak)
            }
            return .assertion(flags.contains(.unixLines) ? .unixLineEnd : .lineEnd)
        case ".":
            index += 1
            if flags.contains(.dotAll) { return .anyScalar }
            let excluded = flags.contains(.unixLines) ? ScalarRanges.newline : ScalarRanges.lineBreaks
            return set([.ranges(ScalarRanges.complement(of: excluded), .exact)])
        default:
            index += 1
            return .scalar(scalar.value, folding)
        }
    }

    mutating func set(_ operations: [ScalarSet.Operation]) -> RegexNode {
        sets.append(ScalarSet(operations))
        return .set(sets.count - 1)
    }

    /// Reads the quantifier of an atom, if there is one.
    private mutating func repeated(_ node: RegexNode) throws(RegularExpression.SyntaxError) -> RegexNode {
        var (minimum, maximum) = (0, Int.max)
        switch peek() {
        case "*": index += 1
        case "+":
            index += 1
            minimum = 1
        case "?":
            index += 1
            maximum = 1
        case "{": (minimum, maximum) = try counts()
        default: return node
        }
        var greed = RegexNode.Greed.greedy
        if take("?") { greed = .lazy } else if take("+") { greed = .possessive }
        return .repetition(node, minimum: minimum, maximum: maximum, greed)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`.
    private mutating func counts() throws(RegularExpression.SyntaxError) -> (minimum: Int, maximum: Int) {
        let start = index
        index += 1
        guard let minimum = try count() else {
            throw error("'{' starts a repetition such as {2,3}; write \\{ for the character.", at: start)
        }
        var maximum = minimum
        if take(",") { maximum = try count() ?? .max }
        guard take("}") else { throw error("the repetition is not closed; write it as {2}, {2,} or {2,3}.") }
        guard minimum <= maximum else {
            throw error("the repetition has a minimum above its maximum; exchange the numbers.", at: start)
        }
        return (minimum, maximum)
    }

    private mutating func count() throws(RegularExpression.SyntaxError) -> Int? {
        let start = index
        var number = 0
        while let scalar = raw(at: index), scalar.value.isASCIIDigit {
            number = number * 10 + Int(scalar.value - 0x30)
            guard number <= Int(Int32.max) else {
                throw error("the number is above \(Int32.max); lower it.", at: start)
            }
            index += 1
        }
        return index == start ? nil : number
    }
}

/// Groups.
extension RegexParser {
    /// Reads a group. Nil for flags such as `(?i)`, which change what follows.
    private mutating func group() throws(RegularExpression.SyntaxError) -> RegexNode? {
        try nested { parser throws(RegularExpression.SyntaxError) in try parser.unboundedGroup() }
    }

    private mutating func unboundedGroup() throws(RegularExpression.SyntaxError) -> RegexNode? {
        let start = index
        let outerFlags = flags
        index += 1
        guard take("?") else { return try capture(from: start, outerFlags) }
        let kind = raw(at: index)
        let following = raw(at: index + 1)
        switch (kind, following) {
        case (":", _): index += 1
        case ("=", _), ("!", _):
            index += 1
            let body = try body(from: start, outerFlags)
            return .look(body, .ahead, negated: kind == "!")
        case (">", _):
            index += 1
            return .atomic(try body(from: start, outerFlags))
        case ("<", "="), ("<", "!"):
            index += 2
            let body = try body(from: start, outerFlags)
            guard body.lengths.maximum != nil else {
                throw error(
                    "a look-behind needs a maximum length; replace * and + by counts such as {0,100}.",
                    at: start
                )
            }
            return .look(body, .behind, negated: following == "!")
        case ("<", _):
            index += 1
            let name = try groupName(closing: ">")
            guard groupNames[name] == nil else {
                throw error("there are two groups '\(name)'; rename one.", at: start)
            }
            groupNames[name] = groupCount + 1
            return try capture(from: start, outerFlags)
        default:
            try readFlags(from: start)
            if take(")") { return nil }
            guard take(":") else { throw error("flags end with ')' or ':', as in (?i) and (?i:…).") }
        }
        return try body(from: start, outerFlags)
    }

    private mutating func capture(from start: Int, _ outer: Flags) throws(RegularExpression.SyntaxError) -> RegexNode {
        groupCount += 1
        let group = groupCount
        return .capture(try body(from: start, outer), group: group)
    }

    /// Reads the rest of a group, after which the flags are those from before it.
    private mutating func body(from start: Int, _ outer: Flags) throws(RegularExpression.SyntaxError) -> RegexNode {
        let node = try alternatives()
        guard take(")") else { throw error("the group is not closed; add ')'.", at: start) }
        flags = outer
        return node
    }

    /// Reads a name and what closes it.
    mutating func groupName(closing bracket: Unicode.Scalar) throws(RegularExpression.SyntaxError) -> String {
        let start = index
        var name = ""
        while let scalar = raw(at: index), scalar.value.isASCIILetter || (scalar.value.isASCIIDigit && !name.isEmpty) {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard !name.isEmpty else { throw error("the name of a group starts with a letter A to Z.", at: start) }
        guard raw(at: index) == bracket else {
            throw error("the name of a group has only letters and digits, and ends with '\(bracket)'.")
        }
        index += 1
        return name
    }

    private mutating func readFlags(from start: Int) throws(RegularExpression.SyntaxError) {
        var adds = true
        while let scalar = raw(at: index) {
            let flag: Flags
            switch scalar {
            case "i": flag = .ignoreCase
            case "m": flag = .multiline
            case "s": flag = .dotAll
            case "d": flag = .unixLines
            case "u": flag = .unicodeCase
            case "x": flag = .comments
            case "U": flag = adds ? [.unicodeClasses, .unicodeCase] : .unicodeClasses
            case "-" where adds:
                adds = false
                index += 1
                continue
            case ")", ":": return
            default:
                throw error("'(?\(scalar)' is not a group; the flags are i, m, s, d, u, x and U.")
            }
            if adds { flags.formUnion(flag) } else { flags.subtract(flag) }
            index += 1
        }
        throw error("the group is not closed; add ')'.", at: start)
    }
}

extension UInt32 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    /// The value of a hexadecimal digit; nil for other scalars.
    var hexadecimalDigit: UInt32? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
