/// An error at one path of a document, with advice on what to write instead.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the value, such as `table.routes[3].path`.
    public let path: String
    public let position: JSONNode.Position
    public let message: String

    public init(path: String, position: JSONNode.Position, message: String) {
        self.path = path
        self.position = position
        self.message = message
    }

    public var description: String {
        let line = position.line > 0 ? "line \(position.line), column \(position.column): " : ""
        return path.isEmpty ? line + message : "\(line)\(path): \(message)"
    }
}

/// One value of a document with its path, and typed accessors that throw `DocumentError`.
public struct DocumentField: Sendable {
    public let node: JSONNode
    /// The location of the value: that of its object or list, and the last step. It becomes a text only when an error
    /// needs the path.
    private let parent: Location
    private let step: Step

    /// Maximum number of entries of a list.
    static let maximumEntries = 1_000

    public init(_ node: JSONNode, path: String) { self.init(node, in: .document(path), .none) }

    fileprivate init(_ node: JSONNode, in parent: Location, _ step: Step) {
        self.node = node
        self.parent = parent
        self.step = step
    }

    /// A member of an object.
    ///
    /// - Parameter parent: Path of the object.
    package init(_ node: JSONNode, _ key: String, of parent: String) {
        self.init(node, in: .document(parent), .key(key))
    }

    /// An element of a list.
    ///
    /// - Parameter list: Path of the list.
    init(_ node: JSONNode, at index: Int, of list: String) {
        self.init(node, in: .document(list), .index(index))
    }

    fileprivate enum Step: Sendable {
        case none
        case key(String)
        case index(Int)

        func path(in parent: String) -> String {
            switch self {
            case .none: parent
            case .key(let key): parent.isEmpty ? key : "\(parent).\(key)"
            case .index(let index): "\(parent)[\(index)]"
            }
        }
    }

    /// A location in a document. Its text is built for errors only: to build it for every object would take longer than to
    /// read the object.
    fileprivate enum Location: Sendable {
        case document(String)
        indirect case inside(Location, Step)

        var path: String {
            // Not recursive; the depth of a document is bounded, and so are the steps.
            var (location, steps) = (self, [Step]())
            while case .inside(let outer, let step) = location { (location, steps) = (outer, steps + [step]) }
            guard case .document(let path) = location else { return "" }
            return steps.reversed().reduce(path) { $1.path(in: $0) }
        }
    }

    private var location: Location {
        if case .none = step { return parent }
        return .inside(parent, step)
    }

    /// The path of the value, such as `table.routes[3].path`.
    public var path: String { step.path(in: parent.path) }

    public func error(_ message: String) -> DocumentError {
        DocumentError(path: path, position: node.position, message: message)
    }

    /// The value as JSON, shortened for messages.
    public var shown: String {
        let text = node.json()
        return text.utf8.count <= 80 ? text : "\(text.prefix(60))…"
    }

    /// The value and its type, for messages about a wrong type.
    package var shownKind: String { node.value == .null ? "the value is null" : "\(shown) is \(node.kind)" }

    public func text() throws(DocumentError) -> String {
        guard let text = node.text else { throw error("\(shownKind); write a string.") }
        return text
    }

    /// Returns a text, or a number as written: YAML reads an unquoted 2.0 as a number.
    public func textOrNumber() throws(DocumentError) -> String {
        if case .number(let lexeme) = node.value { return lexeme }
        return try text()
    }

    public func int(in range: ClosedRange<Int64>) throws(DocumentError) -> Int64 {
        guard let int = node.int, range.contains(int) else {
            let quotes = node.text.flatMap(Int64.init) == nil ? "" : " Remove the quotes."
            throw error("\(shown) is not a whole number from \(range.lowerBound) to \(range.upperBound).\(quotes)")
        }
        return int
    }

    public func bool() throws(DocumentError) -> Bool {
        guard let bool = node.bool else { throw error("\(shownKind); write true or false.") }
        return bool
    }

    public func list() throws(DocumentError) -> [DocumentField] {
        guard let elements = node.elements else { throw error("\(shownKind); write a list.") }
        let location = location
        return elements.enumerated().map { DocumentField($1, in: location, .index($0)) }
    }

    /// Returns the entries of a list that is not empty, or a single value as a list of one.
    public func oneOrMore() throws(DocumentError) -> [DocumentField] {
        guard node.elements != nil else { return [self] }
        let count = node.elements?.count ?? 0
        guard count <= Self.maximumEntries else {
            throw error("the list has \(count) entries; at most \(Self.maximumEntries) are allowed.")
        }
        let fields = try list()
        guard !fields.isEmpty else { throw error("the list is empty; leave it out or write a value.") }
        return fields
    }

    /// Returns the case whose raw value is the text.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) throws(DocumentError) -> Choice where Choice.RawValue == String {
        guard let text = node.text, let choice = Choice(rawValue: text), choice.rawValue.isExactly(text) else {
            let choices = Choice.allCases.map(\.rawValue)
            let text = node.text ?? ""
            let begun = choices.filter { text.utf8.count > 2 && $0.hasPrefix(text) }
            let meant = text.nearest(among: choices) ?? (begun.count == 1 ? begun[0] : nil)
            let hint = meant.map { "; did you mean '\($0)'?" } ?? "."
            throw error("\(shown) is not one of: \(choices.joined(separator: ", "))\(hint)")
        }
        return choice
    }

    public func identifier<ID: Identifier>(_ type: ID.Type) throws(DocumentError) -> ID {
        guard let id = ID(try text()) else {
            throw error(
                "\(shown) is not an id; use 1 to 64 of a-z, 0-9, '.', '_' and '-', starting with a letter or digit."
            )
        }
        return id
    }

    /// Returns an object that has no keys other than these.
    public func object(_ keys: String...) throws(DocumentError) -> ObjectField { try object(keys) }

    /// Returns an object that has no keys other than these.
    package func object(_ keys: [String]) throws(DocumentError) -> ObjectField {
        let object = try anyObject()
        try object.refuseKeys(besides: keys)
        return object
    }

    /// Returns the error for a value that must be an object.
    package func notAnObject() -> DocumentError { error("\(shownKind); write an object.") }

    /// Returns an object with arbitrary keys.
    public func anyObject() throws(DocumentError) -> ObjectField {
        guard let members = node.members else { throw notAnObject() }
        return ObjectField(field: self, location: location, members: members)
    }
}

/// An object of a document, read member by member.
public struct ObjectField: Sendable {
    public let field: DocumentField
    private let location: DocumentField.Location
    let members: [JSONNode.Member]

    fileprivate init(field: DocumentField, location: DocumentField.Location, members: [JSONNode.Member]) {
        self.field = field
        self.location = location
        self.members = members
    }

    /// The last member of this key; nil when it is missing or null.
    public subscript(key: String) -> DocumentField? {
        // A loop without closures: every route asks for some 20 keys.
        for index in members.indices.reversed() where members[index].key.isExactly(key) {
            if case .null = members[index].value.value { return nil }
            return field(of: members[index])
        }
        return nil
    }

    /// Returns the member; throws when it is missing or null.
    public func required(_ key: String) throws(DocumentError) -> DocumentField {
        guard let value = self[key] else { throw missing(key) }
        return value
    }

    /// Throws for a key without a value, where one that is missing means something else.
    package func refuseNull(_ key: String, _ advice: String) throws(DocumentError) {
        guard let found = member(key), case .null = found.value.value else { return }
        throw error(at: found, "'\(key)' is empty; \(advice)")
    }

    /// Returns an error at a key; at the object if it has no such key.
    package func error(at key: String, _ message: String) -> DocumentError {
        member(key).map { error(at: $0, message) } ?? field.error(message)
    }

    private func error(at member: JSONNode.Member, _ message: String) -> DocumentError {
        DocumentError(
            path: field.path.isEmpty ? member.key : "\(field.path).\(member.key)",
            position: member.keyPosition,
            message: message
        )
    }

    private func member(_ key: String) -> JSONNode.Member? { members.last { $0.key.isExactly(key) } }

    /// All members in document order, including null values.
    public var all: [(key: String, value: DocumentField)] {
        members.map { ($0.key, field(of: $0)) }
    }

    private func field(of member: JSONNode.Member) -> DocumentField {
        DocumentField(member.value, in: location, .key(member.key))
    }

    /// Throws for the first unknown key and suggests a similar known one.
    public func refuseKeys(besides known: [String]) throws(DocumentError) {
        for index in members.indices where !Self.lists(known, members[index].key) {
            if let error = unknownKeys(besides: known).first { throw error }
        }
    }

    private static func lists(_ known: [String], _ key: String) -> Bool {
        for index in known.indices where known[index].isExactly(key) { return true }
        return false
    }

    /// Returns an error for each unknown key, which suggests a similar known one.
    package func unknownKeys(besides known: [String]) -> some Collection<DocumentError> {
        members.lazy.filter { member in !Self.lists(known, member.key) }.map { member in
            error(at: member, Self.refusal(of: member.key, known))
        }
    }

    private func missing(_ key: String) -> DocumentError {
        // No object has keys that differ only in case.
        let folded = key.lowercased()
        if let other = members.first(where: { !$0.key.isExactly(key) && $0.key.lowercased() == folded }) {
            return error(at: other, "unknown key '\(other.key)'; did you mean '\(key)'?")
        }
        // YAML reads `{id a}` as the key 'id a' without a value.
        let joined = members.first { $0.value.value == .null && $0.key.hasPrefix("\(key) ") }
        guard let joined else { return field.error("'\(key)' is missing; add it.") }
        return field.error("'\(key)' is missing; write '\(key): …' instead of '\(joined.key.prefix(40))'.")
    }

    private static func refusal(of key: String, _ known: [String]) -> String {
        if let place = KeyHint.place(of: key, beside: known) { return "'\(key)' belongs \(place)" }
        let hint = KeyHint.name(for: key, in: known) ?? "allowed keys: \(known.joined(separator: ", "))."
        return "unknown key '\(key)'; \(hint)"
    }
}

extension DocumentField {
    /// Returns a text without NUL. It is stored in a column of its own, where a NUL would end it.
    package func textWithoutNUL() throws(DocumentError) -> String {
        let text = try text()
        guard !text.utf8.contains(0) else { throw error("the string contains a NUL (U+0000); remove it.") }
        return text
    }
}

extension String {
    /// Returns the known word that this is probably a misspelling of; nil when all differ by more than two edits, or by
    /// more than one in a word of less than six bytes.
    package func nearest(among known: [String]) -> String? {
        let most = utf8.count < 3 ? 0 : utf8.count < 6 ? 1 : 2
        // Each byte that one text has more than the other is a typo.
        let near = known.filter { abs($0.utf8.count - utf8.count) <= most }
            .map { (word: $0, typos: typos(between: $0, and: self)) }.min { $0.typos < $1.typos }
        return near.flatMap { $0.typos <= most ? $0.word : nil }
    }
}

/// Returns the warning about a member that a message need not have, with the known one that was probably meant.
///
/// - Parameter path: The path of the member in the message.
package func ignoredMember(_ name: String, at path: String, besides known: [String]) -> String {
    let hint = name.nearest(among: known).map { "; did you mean '\($0)'?" } ?? "."
    return "\(path) is not known and was ignored\(hint)"
}

/// Returns the Damerau-Levenshtein distance (optimal string alignment), ignoring case: the number of insertions,
/// deletions, substitutions and swaps of neighbours.
func typos(between left: String, and right: String) -> Int {
    let (left, right) = (Array(left.lowercased().utf8), Array(right.lowercased().utf8.prefix(64)))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, one) in left.enumerated() {
        var row = [i + 1]
        for (j, other) in right.enumerated() {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (one == other ? 0 : 1))
            if i > 0, j > 0, one == right[j - 1], left[i - 1] == other { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[right.count]
}
