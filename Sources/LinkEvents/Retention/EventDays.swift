package import LinkRouting

/// The log by its days, for what takes rows out again.
package protocol EventDays: Sendable {
    /// Closes every day that is over: nothing is added to it any more, and its counts are copied to those of all days, once.
    func closeFinishedDays() async throws

    /// Who has rows in closed days, oldest day first, without what was dropped.
    func heldRows() async throws -> [RetainedRows]

    /// When retention last looked at the clock; nil for a log that it never looked at.
    func retentionClock() async throws -> RetentionClock?
    func note(_ clock: RetentionClock) async throws

    /// Takes rows out for good. A day of which all rows go is removed as a file, whatever its size; else rows are deleted in
    /// small transactions. What was begun before a crash is ended by the next call.
    func drop(_ rows: [RetainedRows], at now: Timestamp) async throws

    /// Notes an erasure, which holds for rows up to the log's end, before it is begun.
    func beginErasure(of install: String, tenant: TenantID, requestID: String, at now: Timestamp) async throws
        -> Erasure

    /// Deletes the rows of an erasure and keeps their sequences; how many they are, also those deleted before a crash.
    func deleteRows(of erasure: Erasure) async throws -> Int

    func finish(_ erasure: Erasure, at now: Timestamp) async throws

    /// A tenant's erasures, newest first; nil for those of all tenants.
    func erasures(of tenant: TenantID?) async throws -> [Erasure]
}

/// A tenant's rows of one closed day.
package struct RetainedRows: Sendable, Hashable {
    package let day: CivilDay
    package let tenant: TenantID
    /// As many as were committed; some may have been erased.
    package let count: Int64
    package let lastSequence: Int64
    /// How far the tenant's windows have come; nil when it never had one.
    package let exportEdge: Int64?
    /// Whether a window with rows of this day is cut and not yet exported.
    package let hasPendingWindow: Bool

    package init(
        day: CivilDay,
        tenant: TenantID,
        count: Int64,
        lastSequence: Int64,
        exportEdge: Int64?,
        hasPendingWindow: Bool
    ) {
        self.day = day
        self.tenant = tenant
        self.count = count
        self.lastSequence = lastSequence
        self.exportEdge = exportEdge
        self.hasPendingWindow = hasPendingWindow
    }
}

/// A wish that the rows of one install be erased.
package struct Erasure: Sendable, Hashable {
    package let id: Int64
    package let tenant: TenantID
    /// As in ``Event/install``.
    package let install: String
    package let requestedAt: Timestamp
    package let requestID: String
    /// Of the log when it was asked for.
    package let lastSequence: Int64
    /// Nil until it is done.
    package var finishedAt: Timestamp?
    /// How many rows it has deleted so far.
    package var rows: Int

    package init(
        id: Int64,
        tenant: TenantID,
        install: String,
        requestedAt: Timestamp,
        requestID: String,
        lastSequence: Int64,
        finishedAt: Timestamp?,
        rows: Int
    ) {
        self.id = id
        self.tenant = tenant
        self.install = install
        self.requestedAt = requestedAt
        self.requestID = requestID
        self.lastSequence = lastSequence
        self.finishedAt = finishedAt
        self.rows = rows
    }
}
