/// The features of a pattern whose handling Apple does not document.
struct PatternInspection {
    private(set) var codes: [AppleDecision.Note.Code] = []
    /// Whether the pattern uses the built-in `$(lang)` or `$(region)`.
    private(set) var namesLocaleCodes = false
    /// The names of the variables that the pattern uses.
    private(set) var names: Set<String> = []

    /// The maximum nesting depth. Each wildcard and variable is one level. Devices are reported to reject a deeper
    /// pattern.
    private static let maximumDepth = 64

    init(_ pattern: String, _ variables: PatternVariables) {
        var depth = 0
        var rest = pattern.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"): add(.backslash)
            case UInt8(ascii: "*"): depth += 1
            case UInt8(ascii: "$") where rest.first == UInt8(ascii: "("):
                guard let end = rest.firstIndex(of: UInt8(ascii: ")")) else {
                    add(.unterminatedVariable)
                    rest = rest[rest.endIndex...]
                    continue
                }
                depth += 1
                inspect(String(Substring(rest[rest.index(after: rest.startIndex)..<end])), variables)
                rest = rest[rest.index(after: end)...]
            default: break
            }
        }
        if depth > Self.maximumDepth { add(.complexity) }
    }

    private mutating func add(_ code: AppleDecision.Note.Code) {
        if !codes.contains(code) { codes.append(code) }
    }

    private mutating func inspect(_ name: String, _ variables: PatternVariables) {
        names.insert(name)
        if variables.custom[name] != nil {
            if PatternVariables.isBuiltIn(name) { add(.shadowedVariable) }
        } else if name == "lang" || name == "region" {
            namesLocaleCodes = true
        } else if !PatternVariables.isBuiltIn(name) {
            add(.unknownVariable)
        }
    }
}
