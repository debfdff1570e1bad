package import HTTPTypes

/// The header fields that all responses of a port have. They are kept apart from the fields of a response, which cached
/// responses share: one added field would copy them all.
package struct CommonHeaders: Sendable {
    private let requestID: String
    /// The value of `traceresponse`; nil if the request has no `traceparent`.
    private let trace: String?
    /// The value of `Date`; nil if the sender adds it.
    private let date: String?

    package init(requestID: String, trace: String?, date: String?) {
        (self.requestID, self.trace, self.date) = (requestID, trace, date)
    }

    package var fields: [HTTPField] {
        var fields: [HTTPField] = []
        forEach { fields.append(HTTPField(name: $0, value: $1)) }
        return fields
    }

    /// Calls `body` for each field, in the order in which they are sent.
    func forEach(_ body: (_ name: HTTPField.Name, _ value: String) -> Void) {
        body(.requestID, requestID)
        body(.contentTypeOptions, "nosniff")
        if let trace { body(.traceResponse, trace) }
        if let date { body(.date, date) }
    }
}
