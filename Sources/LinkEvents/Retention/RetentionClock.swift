package import LinkRouting

/// Tells a clock that jumped far ahead from time that went by. A wrong clock must not drop years of rows at once: after a
/// jump retention waits for some days, in which somebody can set the clock right or take a backup.
package struct RetentionClock: Sendable, Hashable {
    package private(set) var lastPass: Timestamp
    /// The time that it showed after the jump; nil when there was none, or it was long enough ago.
    package private(set) var jumpedAt: Timestamp?

    /// Between one look and the next. A service that was stopped for as long waits, too.
    package static let longestStep: Int64 = 31 * Timestamp.millisecondsPerDay
    package static let wait: Int64 = 3 * Timestamp.millisecondsPerDay

    package init(lastPass: Timestamp, jumpedAt: Timestamp? = nil) {
        self.lastPass = lastPass
        self.jumpedAt = jumpedAt
    }

    /// Looks at the clock. Every pass does, so that time that goes by is never taken for a jump.
    package mutating func pass(at now: Timestamp) {
        if let start = jumpedAt {
            let waited = now.milliseconds - start.milliseconds
            // It was set back, or all has been waited for.
            if waited < 0 || waited >= Self.wait { jumpedAt = nil }
        }
        if now.milliseconds - lastPass.milliseconds > Self.longestStep { jumpedAt = now }
        lastPass = now
    }
}
