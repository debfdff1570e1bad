public import LinkRouting

/// Something about an association file, or about how it is served, that a device takes otherwise than its author meant.
///
/// *Error*: a rule or the file cannot work as written, or takes more than written. *Warning*: it works, but likely not as
/// intended, or not on every system. *Info*: advice.
public struct AssociationFinding: Sendable, Hashable {
    public var code: Code
    public var severity: Finding.Severity
    /// RFC 6901 JSON pointer to the key or value in the file; empty for the file as a whole.
    public var pointer: String
    /// Of what `pointer` names; line 1, column 1 for the file as a whole.
    public var position: JSONNode.Position
    /// What is wrong, and what happens on a device.
    public var message: String
    /// What to write or do instead.
    public var fix: String

    /// A stable name: `AASA-…` for Apple's file, `DAL-…` for Android's. See ``AssociationFinding/catalogue``.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }
    }

    /// What a code stands for; the text of documentation and of rule help in reports.
    public struct Definition: Sendable, Hashable {
        public let code: Code
        /// Unless a finding says otherwise.
        public let severity: Finding.Severity
        /// One line without a full stop.
        public let title: String

        public init(_ code: Code, _ severity: Finding.Severity, _ title: String) {
            self.code = code
            self.severity = severity
            self.title = title
        }
    }

    public static let wholeFile = JSONNode.Position(line: 1, column: 1)

    public init(
        _ code: Code,
        _ severity: Finding.Severity,
        pointer: String = "",
        position: JSONNode.Position = wholeFile,
        message: String,
        fix: String
    ) {
        self.code = code
        self.severity = severity
        self.pointer = pointer
        self.position = position
        self.message = message
        self.fix = fix
    }

    /// In the order in which a reader meets them: by place, at one place the gravest first.
    public static func precedes(_ left: AssociationFinding, _ right: AssociationFinding) -> Bool {
        let places = (left.position, right.position)
        if places.0.line != places.1.line { return places.0.line < places.1.line }
        if places.0.column != places.1.column { return places.0.column < places.1.column }
        if left.severity != right.severity { return left.severity > right.severity }
        return left.code.rawValue < right.code.rawValue
    }
}
