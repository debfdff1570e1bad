import Synchronization

/// The limits that hold now. Whoever serves a request reads each where it is needed, so a change holds from the next one on.
@dynamicMemberLookup
package final class LiveLimits: Sendable {
    private let limits: Mutex<ServerLimits>

    package init(_ limits: ServerLimits) { self.limits = Mutex(limits) }

    package var current: ServerLimits { limits.withLock { $0 } }

    package subscript(dynamicMember limit: KeyPath<ServerLimits, Int>) -> Int { current[keyPath: limit] }

    package func replace(by limits: ServerLimits) { self.limits.withLock { $0 = limits } }
}
