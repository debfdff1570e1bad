package import LinkRouting

/// The instant of an RFC 3339 text; traps if the text is invalid.
package func instant(_ text: String) -> Timestamp {
    guard let instant = Timestamp(text) else { preconditionFailure("'\(text)' is not RFC 3339") }
    return instant
}

/// The tenant with that name; traps if the name is invalid.
package func tenant(_ text: String) -> TenantID {
    guard let tenant = TenantID(text) else { preconditionFailure("'\(text)' is no tenant") }
    return tenant
}
