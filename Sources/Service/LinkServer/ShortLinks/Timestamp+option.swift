package import LinkRouting

extension Timestamp {
    /// A time that a person writes: an RFC 3339 time, or a date such as `2030-01-31`, which is its start in UTC.
    package init?(option text: String) {
        guard let instant = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") else { return nil }
        self = instant
    }
}
