/// A text with placeholders, such as `Hello {name}`. Literal braces are escaped as `\{` and `\}`.
public struct Template: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    public let parts: [Part]

    /// The maximum number of placeholders of a template.
    static let maximumPlaceholders = 64

    public enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
    }

    /// The reason why a text is not a template.
    public struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        public let template: String
        public let problem: String
        public var description: String { "Template '\(template)': \(problem)" }
    }

    public init(_ text: some StringProtocol) throws(SyntaxError) {
        description = String(text)
        parts = try Self.parse(description)
    }

    /// Creates a template of parts that are equivalent to the text but spelled differently.
    init(_ description: String, parts: [Part]) {
        self.description = description
        self.parts = parts
    }

    /// The parts follow from the text, so they need not be hashed.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }

    /// The names of the used parameters, each once, in order of first use.
    public var parameterNames: [String] {
        var seen: Set<String> = []
        return parts.compactMap { part in
            guard case .parameter(let name) = part, seen.insert(name).inserted else { return nil }
            return name
        }
    }

    /// The name of the parameter if the template consists of exactly one parameter; else nil.
    public var soleParameter: String? {
        guard parts.count == 1, case .parameter(let name) = parts[0] else { return nil }
        return name
    }

    /// Returns what to write instead of the text between braces: a template has only the name of a parameter.
    private static func advice(on inner: String) -> String {
        var name = inner.drop { "{*.".contains($0) }.prefix { $0 != ":" && $0 != "(" && $0 != "?" }
        if name.hasSuffix("...") { name.removeLast(3) }
        let word = String(name.map { $0 == "-" ? "_" : $0 })
        return isParameterName(word) ? "write {\(word)}." : "a name is a letter followed by letters, digits or _."
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"): true
        default: false
        }
    }

    private static func parse(_ text: String) throws(SyntaxError) -> [Part] {
        // Most templates are constants. The part then shares the memory of the text.
        guard text.utf8.contains(where: isSpecial) else { return text.isEmpty ? [] : [.literal(text)] }
        var parts: [Part] = []
        var literal: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0
        func problem(_ text: String, in template: String) -> SyntaxError {
            SyntaxError(template: template, problem: text)
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                guard index + 1 < bytes.count,
                    [UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\")].contains(bytes[index + 1])
                else { throw problem("a backslash can escape only {, } and \\; write \\\\ for a backslash.", in: text) }
                literal.append(bytes[index + 1])
                index += 2
            case UInt8(ascii: "{"):
                guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else {
                    throw problem("'{' has no '}'; write \\{ for a literal brace.", in: text)
                }
                let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
                guard isParameterName(name) else {
                    throw problem("'{\(name)}' is not a parameter; \(advice(on: name))", in: text)
                }
                if !literal.isEmpty {
                    parts.append(.literal(String(decoding: literal, as: UTF8.self)))
                    literal.removeAll()
                }
                parts.append(.parameter(name))
                index = end + 1
            case UInt8(ascii: "}"):
                throw problem("'}' has no '{'; write \\} for a literal brace.", in: text)
            default:
                literal.append(bytes[index])
                index += 1
            }
        }
        if !literal.isEmpty { parts.append(.literal(String(decoding: literal, as: UTF8.self))) }
        return parts
    }
}

extension Template {
    /// Returns the filled text and takes its bytes from `room`; nil if a parameter that it uses was not captured, or if it
    /// does not fit.
    func text(filledWith parameters: [CapturedParameter], _ room: inout Int) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .parameter(let name):
                guard let parameter = parameters.firstIndex(where: { $0.name == name }) else { return nil }
                text += parameters[parameter].text
            }
            guard text.utf8.count <= room else { return nil }
        }
        room -= text.utf8.count
        return text
    }
}

/// Whether `text` matches `[A-Za-z][A-Za-z0-9_]*`. Dotted names are reserved.
func isParameterName(_ text: some StringProtocol) -> Bool {
    var isFirst = true
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            guard !isFirst else { return false }
        default: return false
        }
        isFirst = false
    }
    return !isFirst
}
