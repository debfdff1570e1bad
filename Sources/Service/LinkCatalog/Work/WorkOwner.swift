package import LinkRouting

/// Whose work it is. All keys of a tenant share the limits of the tenant, because an editor may create keys.
package enum WorkOwner: Sendable, Hashable {
    case tenant(TenantID)
    /// The id of a key that is not bound to a tenant.
    case key(KeyID)
    /// The server itself.
    case server
}

/// The reason why work is refused.
package enum WorkRefusal: Error, Hashable {
    /// The owner has reached its own limit.
    case tooMuchOfOwner
    /// All owners together have reached the limit.
    case tooMuch
}

/// The current load of a queue, and the totals since its start.
package struct WorkCounts: Sendable, Hashable {
    package var running = 0
    package var waiting = 0
    /// Includes work that was cancelled while it ran.
    package var done: Int64 = 0
    package var refused: Int64 = 0
    package var cancelled: Int64 = 0

    package init() {}
}
