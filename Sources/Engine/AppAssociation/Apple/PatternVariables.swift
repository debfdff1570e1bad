/// The meaning of `$(name)` in the patterns of one file.
struct PatternVariables {
    enum Meaning {
        case values([String])
        /// One character of a class.
        case character(ByteSet)
        /// Matches nothing.
        case unknown
    }

    let custom: AppleAppSiteAssociation.SubstitutionVariables
    /// Whether `$(lang)` and `$(region)` also match the codes in their other case, as devices are reported to do.
    var localeCodesInBothCases = false

    /// The meaning of a variable. A variable of the file hides a built-in one of the same name.
    subscript(name: String) -> Meaning {
        if let values = custom[name] { return .values(values) }
        return switch name {
        case "lang" where localeCodesInBothCases: .values(LocaleCodes.languagesInBothCases)
        case "region" where localeCodesInBothCases: .values(LocaleCodes.regionsInBothCases)
        default: Self.builtIn(name)
        }
    }

    static func isBuiltIn(_ name: String) -> Bool {
        if case .unknown = builtIn(name) { false } else { true }
    }

    private static func builtIn(_ name: String) -> Meaning {
        switch name {
        case "alpha": .character(.letters)
        case "upper": .character(.upper)
        case "lower": .character(.lower)
        case "alnum": .character(.letters.union(.digits))
        case "digit": .character(.digits)
        case "xdigit": .character(.hexDigits)
        case "lang": .values(LocaleCodes.languages)
        case "region": .values(LocaleCodes.regions)
        default: .unknown
        }
    }
}
