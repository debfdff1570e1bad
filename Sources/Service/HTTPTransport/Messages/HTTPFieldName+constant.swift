package import HTTPTypes

extension HTTPField.Name {
    /// Returns the header field name of a literal. Traps if the literal is not a valid name.
    package static func constant(_ name: StaticString) -> Self {
        guard let field = Self(name.description) else { preconditionFailure("'\(name)' is not a header field name") }
        return field
    }

    package static let requestID = HTTPField.Name.constant("X-Request-ID")
    package static let contentTypeOptions = HTTPField.Name.constant("X-Content-Type-Options")
    package static let traceParent = HTTPField.Name.constant("traceparent")
    package static let traceState = HTTPField.Name.constant("tracestate")
    package static let traceResponse = HTTPField.Name.constant("traceresponse")
}
