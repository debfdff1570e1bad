/// Escapes outside of character classes and inside.
extension RegexParser {
    /// Reads an escape; its backslash is consumed.
    mutating func escape() throws(RegularExpression.SyntaxError) -> RegexNode {
        guard let scalar = raw(at: index) else {
            throw error("the pattern ends with '\\'; write \\\\ for the character.", at: index - 1)
        }
        if let operations = try classEscape(scalar) { return set(operations) }
        let assertion: RegexAssertion? =
            switch scalar {
            case "A": .start
            case "z": .end
            case "Z": flags.contains(.unixLines) ? .endOrLastNewline : .endOrLastLineBreak
            case "b": .wordBoundary
            case "B": .noWordBoundary
            case "G": .searchStart
            default: nil
            }
        if let assertion {
            index += 1
            if scalar == "b", raw(at: index) == "{", raw(at: index + 1) == "g" {
                throw error("\\b{g} is not supported; write \\b, or \\b\\{ for the character.")
            }
            return .assertion(assertion)
        }
        switch scalar {
        case "1"..."9": return numberedBackReference()
        case "k":
            index += 1
            guard raw(at: index) == "<" else { throw error("\\k is followed by a group's name, as in \\k<name>.") }
            index += 1
            let start = index
            let name = try groupName(closing: ">")
            guard let group = groupNames[name] else {
                throw error("there is no group '\(name)' before this; name one with (?<\(name)>…).", at: start)
            }
            return .backReference(group: group, folding)
        case "R":
            index += 1
            let pair = RegexNode.sequence([.scalar(0x0D, .exact), .scalar(0x0A, .exact)])
            return .atomic(.alternatives([pair, set([.ranges(ScalarRanges.verticalSpaces, .exact)])]))
        default:
            return .scalar(try scalarEscape(scalar), folding)
        }
    }

    /// Reads the number of a group. As in Java, further digits belong to the number only while such a group exists.
    private mutating func numberedBackReference() -> RegexNode {
        var number = 0
        while let scalar = raw(at: index), scalar.value.isASCIIDigit {
            let longer = number * 10 + Int(scalar.value - 0x30)
            guard number == 0 || longer <= groupCount else { break }
            number = longer
            index += 1
        }
        return .backReference(group: number, folding)
    }

    /// Reads an escape of a set, such as `\d` or `\p{L}`. Nil for other escapes.
    mutating func classEscape(_ scalar: Unicode.Scalar) throws(RegularExpression.SyntaxError) -> [ScalarSet.Operation]?
    {
        let usesUnicode = flags.contains(.unicodeClasses)
        let operation: ScalarSet.Operation
        switch scalar {
        case "d", "D":
            operation = usesUnicode ? .property(.category([.decimalNumber])) : .ranges(ScalarRanges.digits, .exact)
        case "w", "W": operation = usesUnicode ? .property(.word) : .ranges(ScalarRanges.words, .exact)
        case "s", "S": operation = usesUnicode ? .property(.whiteSpace) : .ranges(ScalarRanges.spaces, .exact)
        case "h", "H": operation = .ranges(ScalarRanges.horizontalSpaces, .exact)
        case "v", "V": operation = .ranges(ScalarRanges.verticalSpaces, .exact)
        case "p", "P":
            index += 1
            let operations = try property()
            return scalar == "P" ? operations + [.complement] : operations
        default: return nil
        }
        index += 1
        return "DWSHV".unicodeScalars.contains(scalar) ? [operation, .complement] : [operation]
    }

    /// Reads an escape of one scalar.
    mutating func scalarEscape(_ scalar: Unicode.Scalar) throws(RegularExpression.SyntaxError) -> UInt32 {
        let start = index - 1
        index += 1
        switch scalar {
        case "t": return 0x09
        case "n": return 0x0A
        case "r": return 0x0D
        case "f": return 0x0C
        case "a": return 0x07
        case "e": return 0x1B
        case "0": return try octal(from: start)
        case "x": return try hexadecimal(from: start)
        case "u": return try utf16(from: start)
        case "c":
            guard let control = raw(at: index) else {
                throw error("\\c is followed by a character, as in \\cA.", at: start)
            }
            index += 1
            return control.value ^ 64
        default:
            guard scalar.value.isASCIILetter || scalar.value.isASCIIDigit else { return scalar.value }
        }
        throw error("'\\\(scalar)' is not an escape here; remove the backslash.", at: start)
    }

    private mutating func octal(from start: Int) throws(RegularExpression.SyntaxError) -> UInt32 {
        var (value, digits) = (UInt32(0), 0)
        while digits < 3, let digit = raw(at: index)?.value, (0x30...0x37).contains(digit) {
            let longer = value * 8 + (digit - 0x30)
            guard longer <= 0xFF else { break }
            value = longer
            digits += 1
            index += 1
        }
        guard digits > 0 else { throw error("\\0 is followed by one to three octal digits, as in \\011.", at: start) }
        return value
    }

    private mutating func hexadecimal(from start: Int) throws(RegularExpression.SyntaxError) -> UInt32 {
        if raw(at: index) == "{" {
            index += 1
            var (value, digits) = (UInt32(0), 0)
            while digits < 8, let digit = raw(at: index)?.value.hexadecimalDigit {
                value = value << 4 | digit
                digits += 1
                index += 1
            }
            guard digits > 0, raw(at: index) == "}", Unicode.Scalar(value) != nil else {
                throw error("\\x{…} holds the hexadecimal number of a character, as in \\x{1F600}.", at: start)
            }
            index += 1
            return value
        }
        guard let value = digits(2) else {
            throw error("\\x is followed by two hexadecimal digits, as in \\x41.", at: start)
        }
        return value
    }

    /// Reads the digits of `\uXXXX`, and a second such escape if they are the first half of a surrogate pair.
    private mutating func utf16(from start: Int) throws(RegularExpression.SyntaxError) -> UInt32 {
        guard let value = digits(4) else {
            throw error("\\u is followed by four hexadecimal digits, as in \\u00E9.", at: start)
        }
        guard (0xD800..<0xE000).contains(value) else { return value }
        if value < 0xDC00, raw(at: index) == "\\", raw(at: index + 1) == "u" {
            index += 2
            if let low = digits(4), (0xDC00..<0xE000).contains(low) {
                return 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
            }
        }
        throw error("half of a surrogate pair is not a character; write both halves, as in \\uD83D\\uDE00.", at: start)
    }

    private mutating func digits(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for offset in index..<(index + count) {
            guard let digit = raw(at: offset)?.value.hexadecimalDigit else { return nil }
            value = value << 4 | digit
        }
        index += count
        return value
    }

    // MARK: Properties

    /// Reads the name after `\p`.
    private mutating func property() throws(RegularExpression.SyntaxError) -> [ScalarSet.Operation] {
        let start = index - 2
        guard let first = raw(at: index) else { throw error("\\p is followed by a property, as in \\p{L}.", at: start) }
        index += 1
        var name = String(first)
        if first == "{" {
            name = ""
            while let scalar = raw(at: index), scalar != "}" {
                name.unicodeScalars.append(scalar)
                index += 1
            }
            guard raw(at: index) == "}", !name.isEmpty else {
                throw error("the property is not closed; write it as \\p{Alpha}.", at: start)
            }
            index += 1
        }
        guard let operation = operation(property: name) else {
            throw error(
                "there is no property '\(name)' here; use a category (L, Lu, Nd …), a POSIX class (Alpha, Digit, Punct …), "
                    + "or a name such as IsAlphabetic, IsLatin or InGreek.",
                at: start
            )
        }
        return [operation]
    }

    private func operation(property name: String) -> ScalarSet.Operation? {
        if let equals = name.firstIndex(of: "=") {
            let value = String(name[name.index(after: equals)...])
            switch name[..<equals].lowercased() {
            case "sc", "script": return script(value)
            case "blk", "block": return block(value)
            case "gc", "general_category": return ScalarProperty.category(named: value, folding).map { .property($0) }
            default: return nil
            }
        }
        if name.hasPrefix("In") { return block(String(name.dropFirst(2))) }
        if name.hasPrefix("Is") {
            let rest = String(name.dropFirst(2))
            if let binary = ScalarProperty.binary(named: rest.uppercased(), folding) { return .property(binary) }
            if let category = ScalarProperty.category(named: rest, folding) { return .property(category) }
            return script(rest)
        }
        if flags.contains(.unicodeClasses), let unicode = Self.unicodeClass(name, folding) { return .property(unicode) }
        if let ranges = ScalarRanges.posix[name] {
            let ignoresCase = folding != .exact && (name == "Lower" || name == "Upper")
            return .ranges(ignoresCase ? ScalarRanges.posix["Alpha"] ?? ranges : ranges, .exact)
        }
        switch name {
        case "all", "ALL": return .property(.any)
        case "L1": return .ranges([0...0xFF], .exact)
        default: break
        }
        return (ScalarProperty.category(named: name, folding) ?? ScalarProperty.java(named: name, folding)).map {
            .property($0)
        }
    }

    /// A POSIX class with the flag `U`.
    private static func unicodeClass(_ name: String, _ folding: LetterFolding) -> ScalarProperty? {
        let names = [
            "ALPHA": "ALPHABETIC", "LOWER": "LOWERCASE", "UPPER": "UPPERCASE", "SPACE": "WHITE_SPACE",
            "PUNCT": "PUNCTUATION", "XDIGIT": "HEX_DIGIT", "ALNUM": "ALNUM", "CNTRL": "CONTROL", "DIGIT": "DIGIT",
            "BLANK": "BLANK", "GRAPH": "GRAPH", "PRINT": "PRINT",
        ]
        return names[name.uppercased()].flatMap { ScalarProperty.binary(named: $0, folding) }
    }

    private func script(_ name: String) -> ScalarSet.Operation? {
        ScalarRanges.scripts[name.uppercased()].map { .ranges($0, .exact) }
    }

    private func block(_ name: String) -> ScalarSet.Operation? {
        let name = name.uppercased().filter { !" -_".contains($0) }
        return ScalarRanges.blocks[name].map { .ranges([$0], .exact) }
    }
}
