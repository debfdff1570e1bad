/// The route that a recorded path of unmatched links suggests.
struct SuggestedRoute: Hashable {
    /// As in a table, such as `/item/{id:int}`.
    let pattern: String
    let id: String

    /// How much of such paths is recorded: the setting `privacy.unmatchedPath`.
    enum Recording: String { case full, shape, firstSegment, none }

    /// The parameter for each type of a recorded segment. A recorded `slug` may have capital letters and dots, which
    /// the type `slug` of a parameter does not match.
    private static let parameters: [String: (name: String, type: String)] = [
        "int": ("id", ":int"), "uuid": ("id", ":uuid"), "hex": ("id", ":hex"), "date": ("date", ":date"),
        "slug": ("name", ""), "text": ("text", ""), "rest": ("rest", "..."),
    ]

    /// - Parameter path: As in `stats/unmatched`.
    init(_ path: String, recorded: Recording) {
        var names: Set<String> = []
        var words: [String] = []
        var segments = path.split(separator: "/").map { (segment: Substring) in
            guard let type = Self.type(of: segment, recorded) else {
                words.append(segment.lowercased())
                return Self.literal(segment)
            }
            let parameter = Self.parameters[type] ?? (Self.isName(type) ? type : "value", "")
            var (name, number) = (parameter.name, 1)
            while !names.insert(name).inserted {
                number += 1
                name = "\(parameter.name)\(number)"
            }
            return "{\(name)\(parameter.type)}"
        }
        if recorded == .firstSegment, !segments.isEmpty { segments.append("{rest...}") }
        pattern = "/" + segments.joined(separator: "/")
        id = segments.isEmpty ? "home" : Self.id(of: words.isEmpty ? names.sorted() : words)
    }

    /// The type of a recorded segment that is not literal, or the name in its place; nil for a literal one.
    private static func type(of segment: Substring, _ recorded: Recording) -> String? {
        if segment.hasPrefix("{"), segment.hasSuffix("}") { return String(segment.dropFirst().dropLast()) }
        guard recorded == .full, segment.allSatisfy({ $0.isASCII && $0.isHexDigit || $0 == "-" }) else { return nil }
        if Int64(segment).map(String.init) == String(segment) { return "int" }
        let lengths = segment.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
        switch lengths {
        case [4, 2, 2]: return segment.contains(where: \.isLetter) ? nil : "date"
        case [8, 4, 4, 4, 12]: return "uuid"
        default: return lengths.count == 1 && segment.count >= 16 ? "hex" : nil
        }
    }

    /// The recorded path has `%7B` for a brace; a star needs a backslash.
    private static func literal(_ segment: Substring) -> String {
        segment.map { $0 == "*" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }

    private static func isName(_ text: String) -> Bool {
        text.first?.isLetter == true && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The parts of the words that an identifier can have.
    private static func id(of words: [String]) -> String {
        let parts = words.map { $0.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) } }
        let text = parts.filter { !$0.isEmpty }.joined(separator: "-")
        let id = text.drop { !$0.isLetter && !$0.isNumber }.prefix(64)
        return id.isEmpty ? "route" : String(id)
    }
}
