public import LinkRouting

/// A problem of an association file, or of the way it is served: a device handles it differently than its author meant.
///
/// *Error*: a rule or the file cannot work as written, or matches more than written. *Warning*: it works, but likely
/// not as intended, or not on every system. *Info*: advice.
public struct AssociationFinding: Sendable, Hashable {
    public var code: Code
    public var severity: Finding.Severity
    /// RFC 6901 JSON pointer to the key or value in the file; empty for the file as a whole.
    public var pointer: String
    /// The position of the value or key at `pointer`; line 1, column 1 for the file as a whole.
    public var position: JSONNode.Position
    /// The problem and its effect on a device.
    public var message: String
    /// The suggested correction.
    public var fix: String

    /// A stable name: `AASA-…` for Apple's file, `DAL-…` for Android's. See ``AssociationFinding/catalogue``.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }
    }

    /// The meaning of a code, for the documentation and for the rule help in reports.
    public struct Definition: Sendable, Hashable {
        public let code: Code
        /// The default severity; a finding may have another.
        public let severity: Finding.Severity
        /// One line without a full stop.
        public let title: String

        public init(_ code: Code, _ severity: Finding.Severity, _ title: String) {
            self.code = code
            self.severity = severity
            self.title = title
        }
    }

    /// The position of findings about the file as a whole.
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

    /// Returns whether `left` sorts before `right`: by position, then the most severe first, then by code.
    public static func precedes(_ left: AssociationFinding, _ right: AssociationFinding) -> Bool {
        let places = (left.position, right.position)
        if places.0.line != places.1.line { return places.0.line < places.1.line }
        if places.0.column != places.1.column { return places.0.column < places.1.column }
        if left.severity != right.severity { return left.severity > right.severity }
        return left.code.rawValue < right.code.rawValue
    }
}
