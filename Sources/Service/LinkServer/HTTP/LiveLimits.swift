import Synchronization

/// The current limits. Each request reads a limit where it needs it, so a change applies from the next use on.
@dynamicMemberLookup
package final class LiveLimits: Sendable {
    private let limits: Mutex<ServerLimits>

    package init(_ limits: ServerLimits) { self.limits = Mutex(limits) }

    package var current: ServerLimits { limits.withLock { $0 } }

    // Without the attribute, each read creates a key path.
    @inline(__always)
    package subscript(dynamicMember limit: KeyPath<ServerLimits, Int>) -> Int { current[keyPath: limit] }

    /// Replaces all limits.
    package func replace(by limits: ServerLimits) { self.limits.withLock { $0 = limits } }
}
