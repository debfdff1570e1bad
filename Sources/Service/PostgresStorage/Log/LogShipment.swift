import LinkEvents
package import LinkRouting
package import LinkStorage
import Synchronization

/// Ships the log of a data directory, range by range in its order. PostgreSQL decides where the next range begins.
package final class LogShipment: Sendable {
    private let log: EventLog
    private let copy: LogCopy
    private let node: String?
    private let makeNonce: @Sendable () -> String
    private let state = Mutex(State())

    private struct State {
        var identity: LogIdentity?
        /// Nil until PostgreSQL has said it, and after each failure: a commit may have been answered or not.
        var position: LogPosition? {
            didSet { if let position { lastKnown = position } }
        }
        var lastKnown: LogPosition?
        var until: Timestamp?
        var lost = 0
        var exports: (told: [TenantID: ExportCursor], at: Timestamp)?
    }

    /// Of a range.
    private static let limit = (rows: 1_024, bytes: 1 << 20)
    /// How often PostgreSQL is told that everything is shipped, in milliseconds.
    private static let confirmation: Int64 = 5_000

    /// - Parameters:
    ///   - node: The name of its node; nil to leave that of a log that was shipped before.
    ///   - makeNonce: Makes a random text, once for a process.
    package init(of log: EventLog, to copy: LogCopy, node: String?, makeNonce: @escaping @Sendable () -> String) {
        self.log = log
        self.copy = copy
        self.node = node
        self.makeNonce = makeNonce
    }

    /// Where the copy ends; nil while that is unknown.
    package var position: LogPosition? { state.withLock { $0.position } }
    /// The last sequence that was in PostgreSQL when that was known last.
    package var lastShipped: Int64? { state.withLock { $0.lastKnown?.sequence } }
    /// Events that were recorded until then are in PostgreSQL; nil before anything was shipped.
    package var until: Timestamp? { state.withLock { $0.until } }
    /// The events that retention dropped before this process could ship them.
    package var lost: Int { state.withLock { $0.lost } }

    /// Ships the next range. Returns false if there is nothing after it yet: a few rows at a time would cost more than they
    /// would come earlier.
    ///
    /// - Throws: ``LogCopy/Refusal/foreign(log:)`` if another process ships this log, `StorageError` if it cannot be read,
    ///   and what the store throws. Call it again later.
    package func next(at now: Timestamp) async throws -> Bool {
        do {
            return try await ship(at: now)
        } catch LogCopy.Refusal.moved {
            // A failover has taken ranges back, or a commit was stored and not answered.
            state.withLock { state in
                state.position = nil
                state.exports = nil
            }
            return true
        } catch {
            state.withLock { state in
                state.position = nil
                state.exports = nil
            }
            throw error
        }
    }

    private func ship(at now: Timestamp) async throws -> Bool {
        let identity = try await identify()
        let position = try await position(of: identity)
        try await tellExports(of: identity, at: now)
        let range = try await log.range(after: position.sequence, limit: Self.limit.rows, bytes: Self.limit.bytes)
        guard let range else {
            if (until?.milliseconds ?? 0) + Self.confirmation <= now.milliseconds {
                try await copy.confirm(identity, at: position, now: now)
                state.withLock { $0.until = now }
            }
            return false
        }
        try await copy.ship(range, of: identity, after: position)
        state.withLock { state in
            state.position = range.end
            state.until = range.events.last?.event.recordedAt
            // A log that joins several nodes has had no one to ship to before.
            if position != .start { state.lost += range.dropped.reduce(0) { $0 + $1.count } }
        }
        return range.hasMore
    }

    /// Tells how far the node's exports are, at most as often as everything is confirmed.
    private func tellExports(of identity: LogIdentity, at now: Timestamp) async throws {
        let told = state.withLock { $0.exports }
        if let told, told.at.milliseconds + Self.confirmation > now.milliseconds { return }
        let exports = try await log.exportLedger.exported()
        if exports != told?.told { try await copy.note(exports, of: identity) }
        state.withLock { $0.exports = (exports, now) }
    }

    private func identify() async throws -> LogIdentity {
        if let known = state.withLock({ $0.identity }) { return known }
        let identity = try await log.identify(nonce: makeNonce())
        state.withLock { $0.identity = identity }
        return identity
    }

    private func position(of identity: LogIdentity) async throws -> LogPosition {
        if let known = position { return known }
        if !identity.earlier.isEmpty, try await copy.end(of: identity) == nil {
            // PostgreSQL was set back to before the log got its id.
            for (earlier, next) in zip(identity.earlier, identity.earlier.dropFirst() + [identity]) {
                try await complete(earlier, through: next.begun.sequence)
            }
        }
        let end = try await copy.claim(identity, node: node) { try await log.has($0) }
        state.withLock { $0.position = end }
        return end
    }

    /// Gives the log another id, for a disk that was copied or set back. What the copy has of the old log before they differ
    /// is not shipped again. Returns the last sequence that they have in common.
    package func rejoin() async throws -> Int64 {
        let before = try await identify()
        try await complete(before, through: .max)
        let common = try await copy.lastCommon(of: before, with: log)
        let identity = try await log.identify(nonce: makeNonce(), asNewAfter: common)
        state.withLock { $0 = State(identity: identity) }
        let position = try await position(of: identity)
        if let node { try await copy.repeatErasures(of: node) }
        return position.sequence
    }

    /// Ships what the log had under an id, if its copy can be continued exactly. The disks that have the id in common may have
    /// this too, and whichever comes first ships it. The one that has other events there has to rejoin.
    private func complete(_ identity: LogIdentity, through last: Int64) async throws {
        if try await copy.end(of: identity) == nil {
            // All disks that have the id in common know its first nonce.
            let first = LogIdentity(log: identity.log, nonces: Array(identity.nonces.prefix(1)), begun: identity.begun)
            _ = try await copy.claim(first, node: node) { try await log.has($0) }
        }
        while let (end, nonce) = try await copy.end(of: identity), try await log.has(end),
            let range = try await log.range(
                after: end.sequence,
                through: last,
                limit: Self.limit.rows,
                bytes: Self.limit.bytes
            )
        {
            do {
                try await copy.ship(range, of: LogIdentity(log: identity.log, nonces: [nonce]), after: end)
            } catch is LogCopy.Refusal {
                // Another one was first.
            }
        }
    }
}

extension LogCopy {
    /// Returns the last position that a log and its copy have in common. They are equal until one place, and differ from there.
    fileprivate func lastCommon(of identity: LogIdentity, with log: EventLog) async throws -> LogPosition {
        let begun = try await begin(of: identity)
        guard try await log.has(begun) else { return .start }
        var (common, next, last) = (begun, begun.sequence + 1, log.knownSequence())
        while next <= last {
            let middle = next + (last - next) / 2
            guard let found = try await position(in: next...middle, of: identity) else {
                next = middle + 1
                continue
            }
            if try await log.has(found) {
                (common, next) = (found, middle + 1)
            } else {
                last = found.sequence - 1
            }
        }
        return common
    }

    /// Returns the last row of a log in a range; nil if there is none.
    private func position(in range: ClosedRange<Int64>, of identity: LogIdentity) async throws -> LogPosition? {
        try await store.read { db in
            try SQLRow.fetchOne(
                db,
                sql: """
                    SELECT seq, event.id FROM event JOIN shipped_log ON number = log
                    WHERE shipped_log.id = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1
                    """,
                arguments: [identity.log, range.lowerBound, range.upperBound]
            ).map { LogPosition(sequence: try $0["seq"], event: try $0["id"]) }
        }
    }

    /// What a log has in common with an earlier one.
    private func begin(of identity: LogIdentity) async throws -> LogPosition {
        try await store.read { db in
            try SQLRow.fetchOne(
                db,
                sql: "SELECT begun_seq, begun_event FROM shipped_log WHERE id = ?",
                arguments: [identity.log]
            ).map { LogPosition(sequence: try $0["begun_seq"], event: try $0["begun_event"]) } ?? .start
        }
    }
}
