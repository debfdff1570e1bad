/// Whether the case of ASCII letters matters in literals and listed values.
public enum LetterCase: Sendable, Hashable {
    case sensitive
    /// ASCII letters of literals and listed values are compared case-insensitively.
    case ignored
}
