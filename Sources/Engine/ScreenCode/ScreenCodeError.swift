/// The reasons why a table's screens cannot be generated, one sentence each.
public struct ScreenCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    public let problems: [String]
    public var description: String { problems.joined(separator: "\n") }
}

/// Gives names to the parts of one scope, and finds those that get the same name.
struct NameScope {
    /// Names that the generated code uses itself. A part with such a name gets a trailing underscore.
    private let reserved: Set<String>
    private var taken: [String: String] = [:]
    private(set) var problems: [String] = []

    init(reserved: Set<String> = []) { self.reserved = reserved }

    /// - Parameters:
    ///   - text: The name in the table.
    ///   - what: Such as `screen`, for messages.
    mutating func name(_ text: String, _ what: String, _ convert: (String) -> String) -> String {
        var name = convert(text)
        if reserved.contains(name) { name += "_" }
        // Two names that differ only in case would be one file of compiled classes on some systems.
        if let other = taken.updateValue(text, forKey: name.lowercased()) {
            problems.append(
                "The \(what)s '\(other)' and '\(text)' would both be named '\(name)' in the generated code; rename one."
            )
        }
        return name
    }
}
