import HTTPTypes

extension HTTPField.Name {
    /// The field name that a literal in our sources spells; traps where it spells none.
    static func constant(_ name: StaticString) -> Self {
        guard let field = Self(name.description) else { preconditionFailure("'\(name)' is not a header field name") }
        return field
    }
}
