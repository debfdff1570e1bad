package import LinkEvents
package import LinkRouting
package import LinkStorage

/// The days of a node's log, as one of several: an erasure covers the logs of all nodes.
package struct NodeDays: EventDays {
    private let log: EventLog
    private let copy: LogCopy
    private let node: String
    private let shipped: @Sendable () -> Int64?
    private let keptDays: Int

    /// - Parameters:
    ///   - shipped: Returns the last sequence in PostgreSQL; nil while that is unknown.
    ///   - keptDays: How many whole days shipped rows stay on this node.
    package init(
        _ log: EventLog,
        _ copy: LogCopy,
        node: String,
        shipped: @escaping @Sendable () -> Int64?,
        keptDays: Int
    ) {
        self.log = log
        self.copy = copy
        self.node = node
        self.shipped = shipped
        self.keptDays = keptDays
    }

    package func beginErasure(
        of install: InstallID,
        tenant: TenantID,
        through last: Int64 = .max,
        requestID: String,
        at now: Timestamp
    ) async throws -> Erasure {
        // First, so that nothing was begun if PostgreSQL is away.
        try await copy.order(install, of: tenant, requestID: requestID, at: now)
        return try await log.beginErasure(
            of: install,
            tenant: tenant,
            through: last,
            requestID: requestID,
            at: now
        )
    }

    package func finish(_ erasure: Erasure, at now: Timestamp) async throws -> Timestamp? {
        // First, since the log then forgets the install.
        do {
            try await copy.deleteOrdered(at: now)
            _ = try await copy.confirm(erasure, by: node, at: now)
        } catch is LogCopy.MissingOrder {
            guard let install = erasure.install else { throw LogCopy.MissingOrder() }
            try await copy.order(install, of: erasure.tenant, requestID: erasure.requestID, at: erasure.requestedAt)
            try await copy.deleteOrdered(at: now)
            _ = try await copy.confirm(erasure, by: node, at: now)
        }
        _ = try await log.finish(erasure, at: now)
        return try await copy.confirm(erasure, by: node, at: now)
    }

    /// A tenant's erasures of all nodes; those of this node for a nil tenant.
    package func erasures(of tenant: TenantID?) async throws -> [Erasure] {
        if let tenant { try await copy.erasures(of: tenant) } else { try await log.erasures(of: nil) }
    }

    package func erasureCount(of tenant: TenantID, since instant: Timestamp) async throws -> Int {
        try await copy.erasureCount(of: tenant, since: instant)
    }

    package func deleteRows(of erasure: Erasure) async throws -> Int { try await log.deleteRows(of: erasure) }
    package func closeFinishedDays() async throws { try await log.closeFinishedDays() }

    package func retainedRows() async throws -> [RetainedRows] {
        let shipped = shipped() ?? 0
        return try await log.retainedRows().map { rows in
            var rows = rows
            if rows.lastSequence <= shipped { rows.keptDays = keptDays }
            return rows
        }
    }

    package func retentionClock() async throws -> RetentionClock? { try await log.retentionClock() }
    package func note(_ clock: RetentionClock) async throws { try await log.note(clock) }
    package func drop(_ rows: [RetainedRows], at now: Timestamp) async throws { try await log.drop(rows, at: now) }
    package func forgetReports(before day: CivilDay) async throws { try await log.forgetReports(before: day) }
}
