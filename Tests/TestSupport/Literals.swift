package import LinkRouting

/// The instant that an RFC 3339 text names; traps where the test's text names none.
package func instant(_ text: String) -> Timestamp {
    guard let instant = Timestamp(text) else { preconditionFailure("'\(text)' is not RFC 3339") }
    return instant
}

/// The tenant of that name; traps where the test's text cannot name one.
package func tenant(_ text: String) -> TenantID {
    guard let tenant = TenantID(text) else { preconditionFailure("'\(text)' is no tenant") }
    return tenant
}
