/// The type of a captured parameter. A value that is not valid for its type does not match. The trace states the
/// reason.
public enum ParameterType: Sendable, Hashable {
    /// Any text; in a path, at least one byte. The bounds are in UTF-8 bytes.
    case string(length: Bounds<Int>?)
    /// `-?(0|[1-9][0-9]*)` within Int64; `-0` is not an int.
    case int(Bounds<Int64>?)
    /// Like `int`, with optional decimals; at most 15 digits.
    case number(Bounds<Double>?)
    /// `true` or `false`.
    case bool
    /// 8-4-4-4-12 hexadecimal digits, upper or lower case.
    case uuid
    /// `[a-z0-9]+(-[a-z0-9]+)*`
    case slug(length: Bounds<Int>?)
    case alpha(length: Bounds<Int>?)
    case alnum(length: Bounds<Int>?)
    case hex(length: Bounds<Int>?)
    /// A day of the Gregorian calendar, YYYY-MM-DD.
    case date
    /// One of the listed values.
    case oneOf(ListedValues)

    /// Any text without bounds.
    public static let plain = ParameterType.string(length: nil)

    /// A closed range; a nil bound is open.
    public struct Bounds<Value: Comparable & Hashable & Sendable>: Sendable, Hashable {
        public let lower: Value?
        public let upper: Value?

        public init(lower: Value?, upper: Value?) {
            self.lower = lower
            self.upper = upper
        }

        public func contains(_ value: Value) -> Bool {
            if let lower, value < lower { return false }
            if let upper, value > upper { return false }
            return true
        }
    }
}

/// A captured value with its JSON type.
public enum ParameterValue: Sendable, Hashable {
    case string(String)
    case int(Int64)
    /// The text as captured: a JSON number of at most 15 digits.
    case number(String)
    case bool(Bool)
    /// The segments of a rest parameter.
    case list([String])
}
