package import LinkRouting

/// Distinguishes a clock that jumped ahead from time that passed. A wrong clock must not drop years of rows at once.
/// After a jump retention waits for three days, so that an operator can correct the clock or take a backup.
package struct RetentionClock: Sendable, Hashable {
    package private(set) var lastPass: Timestamp
    /// The time after the jump; nil if there was none, or the wait is over.
    package private(set) var jumpedAt: Timestamp?

    /// The longest step between two passes that is not a jump, in milliseconds. A service that was stopped for longer
    /// waits too.
    package static let longestStep: Int64 = 31 * Timestamp.millisecondsPerDay
    package static let wait: Int64 = 3 * Timestamp.millisecondsPerDay

    package init(lastPass: Timestamp, jumpedAt: Timestamp? = nil) {
        self.lastPass = lastPass
        self.jumpedAt = jumpedAt
    }

    /// Advances the clock. Must be called by every pass, so that passed time is never taken for a jump.
    package mutating func pass(at now: Timestamp) {
        if let start = jumpedAt {
            let waited = now.milliseconds - start.milliseconds
            // The clock was set back, or the wait is over.
            if waited < 0 || waited >= Self.wait { jumpedAt = nil }
        }
        if now.milliseconds - lastPass.milliseconds > Self.longestStep { jumpedAt = now }
        lastPass = now
    }
}
