/// A named property of Unicode scalars, as `\p{…}` names it.
enum ScalarProperty: Sendable, Hashable {
    case category(Set<Unicode.GeneralCategory>)
    case alphabetic, ideographic, lowercase, uppercase, titlecase, whiteSpace, hexadecimalDigit, noncharacter
    case joinControl, word, graphic, printable, blank, alphanumeric, mirrored
    case javaIdentifierStart, javaIdentifierPart, javaWhitespace
    case any

    func holds(_ value: UInt32) -> Bool {
        // A surrogate never occurs in a text.
        guard let scalar = Unicode.Scalar(value) else { return false }
        let properties = scalar.properties
        switch self {
        case .any: return true
        case .category(let categories): return categories.contains(properties.generalCategory)
        case .alphabetic: return properties.isAlphabetic
        case .ideographic: return properties.isIdeographic
        case .lowercase: return properties.isLowercase
        case .uppercase: return properties.isUppercase
        case .titlecase: return properties.generalCategory == .titlecaseLetter
        case .whiteSpace: return properties.isWhitespace
        case .hexadecimalDigit: return properties.generalCategory == .decimalNumber || properties.isHexDigit
        case .noncharacter: return properties.isNoncharacterCodePoint
        case .joinControl: return properties.isJoinControl
        case .word: return Self.isWord(properties)
        case .graphic: return Self.isGraphic(properties)
        case .printable:
            return (Self.isGraphic(properties) || Self.isBlank(value, properties))
                && properties.generalCategory != .control
        case .blank: return Self.isBlank(value, properties)
        case .alphanumeric: return properties.isAlphabetic || properties.generalCategory == .decimalNumber
        case .mirrored: return properties.isBidiMirrored
        case .javaIdentifierStart: return Self.isIdentifierStart(properties.generalCategory)
        case .javaIdentifierPart: return Self.isIdentifierPart(value, properties.generalCategory)
        case .javaWhitespace: return Self.isJavaWhitespace(value, properties.generalCategory)
        }
    }

    private static func isWord(_ properties: Unicode.Scalar.Properties) -> Bool {
        if properties.isAlphabetic || properties.isJoinControl { return true }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
        default: false
        }
    }

    private static func isGraphic(_ properties: Unicode.Scalar.Properties) -> Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .surrogate, .unassigned: false
        default: true
        }
    }

    private static func isBlank(_ value: UInt32, _ properties: Unicode.Scalar.Properties) -> Bool {
        value == 9 || properties.generalCategory == .spaceSeparator
    }

    private static func isIdentifierStart(_ category: Unicode.GeneralCategory) -> Bool {
        letters.contains(category) || [.letterNumber, .currencySymbol, .connectorPunctuation].contains(category)
    }

    private static func isIdentifierPart(_ value: UInt32, _ category: Unicode.GeneralCategory) -> Bool {
        if isIdentifierStart(category) { return true }
        if [.decimalNumber, .spacingMark, .nonspacingMark, .format].contains(category) { return true }
        return value <= 8 || (0xE...0x1B).contains(value) || (0x7F...0x9F).contains(value)
    }

    private static func isJavaWhitespace(_ value: UInt32, _ category: Unicode.GeneralCategory) -> Bool {
        if (9...13).contains(value) || (0x1C...0x1F).contains(value) { return true }
        guard [.spaceSeparator, .lineSeparator, .paragraphSeparator].contains(category) else { return false }
        return value != 0xA0 && value != 0x2007 && value != 0x202F
    }

    static let letters: Set<Unicode.GeneralCategory> = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    ]
    static let casedLetters: Set<Unicode.GeneralCategory> = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
}

extension ScalarProperty {
    /// A property of a category, such as `Lu` or `P`.
    ///
    /// - Parameter folding: Without regard to case, `Lu`, `Ll` and `Lt` are the same.
    static func category(named name: String, _ folding: LetterFolding) -> ScalarProperty? {
        if let categories = groups[name] { return .category(categories) }
        guard let category = categories[name] else { return nil }
        if folding != .exact, casedLetters.contains(category) { return .category(casedLetters) }
        return .category([category])
    }

    private static let categories: [String: Unicode.GeneralCategory] = [
        "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter,
        "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark, "Nd": .decimalNumber,
        "Nl": .letterNumber, "No": .otherNumber, "Pc": .connectorPunctuation, "Pd": .dashPunctuation,
        "Ps": .openPunctuation, "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
        "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol,
        "So": .otherSymbol, "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator, "Cc": .control,
        "Cf": .format, "Cs": .surrogate, "Co": .privateUse, "Cn": .unassigned,
    ]

    private static let groups: [String: Set<Unicode.GeneralCategory>] = [
        "L": letters, "LC": casedLetters, "LD": letters.union([.decimalNumber]),
        "M": [.nonspacingMark, .spacingMark, .enclosingMark], "N": [.decimalNumber, .letterNumber, .otherNumber],
        "P": [
            .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation,
        ],
        "S": [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol],
        "Z": [.spaceSeparator, .lineSeparator, .paragraphSeparator],
        "C": [.control, .format, .surrogate, .privateUse, .unassigned],
    ]

    /// A property named with `Is`, such as `IsAlphabetic`. The name is in upper case and has no `Is`.
    static func binary(named name: String, _ folding: LetterFolding) -> ScalarProperty? {
        switch name {
        case "LOWERCASE", "UPPERCASE", "TITLECASE":
            if folding != .exact { return .category(casedLetters) }
            return name == "LOWERCASE" ? .lowercase : name == "UPPERCASE" ? .uppercase : .titlecase
        default: return binaries[name]
        }
    }

    private static let binaries: [String: ScalarProperty] = [
        "ALPHABETIC": .alphabetic, "LETTER": .category(letters), "IDEOGRAPHIC": .ideographic,
        "WHITE_SPACE": .whiteSpace, "WHITESPACE": .whiteSpace, "CONTROL": .category([.control]),
        "PUNCTUATION": .category(groups["P"] ?? []), "HEX_DIGIT": .hexadecimalDigit, "HEXDIGIT": .hexadecimalDigit,
        "NONCHARACTER_CODE_POINT": .noncharacter, "NONCHARACTERCODEPOINT": .noncharacter,
        "JOIN_CONTROL": .joinControl, "JOINCONTROL": .joinControl, "DIGIT": .category([.decimalNumber]),
        "ALNUM": .alphanumeric, "BLANK": .blank, "GRAPH": .graphic, "PRINT": .printable, "WORD": .word,
    ]

    /// A property of Java's class `Character`, such as `javaLowerCase`.
    static func java(named name: String, _ folding: LetterFolding) -> ScalarProperty? {
        switch name {
        case "javaLowerCase", "javaUpperCase", "javaTitleCase":
            if folding != .exact { return .category(casedLetters) }
            return name == "javaLowerCase" ? .lowercase : name == "javaUpperCase" ? .uppercase : .titlecase
        default: return javas[name]
        }
    }

    private static let javas: [String: ScalarProperty] = [
        "javaAlphabetic": .alphabetic, "javaIdeographic": .ideographic, "javaDigit": .category([.decimalNumber]),
        "javaLetter": .category(letters), "javaLetterOrDigit": .category(letters.union([.decimalNumber])),
        "javaJavaIdentifierStart": .javaIdentifierStart, "javaJavaIdentifierPart": .javaIdentifierPart,
        "javaSpaceChar": .category(groups["Z"] ?? []), "javaWhitespace": .javaWhitespace, "javaMirrored": .mirrored,
        "javaISOControl": .category([.control]),
    ]
}
