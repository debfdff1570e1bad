package import HTTPTypes

extension HTTPFields {
    /// The same as the subscript, without the sequence and the joined copy that the subscript makes of a single field.
    package func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }
}
