package import LinkRouting

/// The log's operations on whole days, for retention and erasures.
package protocol EventDays: Sendable {
    /// Closes every finished day: no events are added to it any more, and its rollups are copied to the ledger exactly
    /// once.
    func closeFinishedDays() async throws

    /// Returns the rows in closed days by tenant, oldest day first, without dropped rows.
    func retainedRows() async throws -> [RetainedRows]

    /// Returns the clock of the last retention pass; nil if there never was one.
    func retentionClock() async throws -> RetentionClock?
    func note(_ clock: RetentionClock) async throws

    /// Drops rows for good. A day without remaining rows is removed as a file, whatever its size; other rows are
    /// deleted in small transactions. The next call completes what a crash interrupted.
    func drop(_ rows: [RetainedRows], at now: Timestamp) async throws

    /// Forgets the reported events of closed days before `day`: one that is sent again is then stored again.
    func forgetReports(before day: CivilDay) async throws

    /// Records an erasure before it begins. It covers rows up to the log's current end, or to `last` if that is earlier.
    func beginErasure(
        of install: InstallID,
        tenant: TenantID,
        through last: Int64,
        requestID: String,
        at now: Timestamp
    ) async throws -> Erasure

    /// Deletes the rows of an erasure and keeps their sequences. Returns the number of rows deleted, including those
    /// deleted before a crash.
    func deleteRows(of erasure: Erasure) async throws -> Int

    /// Returns when the erasure was finished; nil while other nodes have to carry it out.
    func finish(_ erasure: Erasure, at now: Timestamp) async throws -> Timestamp?

    /// Returns a tenant's erasures, newest first. A nil tenant means all tenants.
    func erasures(of tenant: TenantID?) async throws -> [Erasure]
    /// Returns the number of a tenant's erasures that were requested at an instant or later.
    func erasureCount(of tenant: TenantID, since instant: Timestamp) async throws -> Int
}

/// A tenant's rows of one closed day.
package struct RetainedRows: Sendable, Hashable {
    package let day: CivilDay
    package let tenant: TenantID
    /// The number of committed rows; some may have been erased.
    package let count: Int64
    package let lastSequence: Int64
    /// The last sequence covered by the tenant's export windows; nil if it never had one.
    package let exportEdge: Int64?
    /// Whether a window with rows of this day has been cut but not exported yet.
    package let hasPendingWindow: Bool
    /// The number of whole days that this node keeps the rows, because they are in PostgreSQL; nil if they are not.
    package var keptDays: Int?

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

/// A request to erase the rows of one install.
package struct Erasure: Sendable, Hashable {
    package let id: Int64
    package let tenant: TenantID
    /// Nil once the erasure is finished, because nobody needs it any more.
    package let install: InstallID?
    package let requestedAt: Timestamp
    package let requestID: String
    /// The log's last sequence at the time of the request.
    package let lastSequence: Int64
    /// Nil until the erasure is finished.
    package var finishedAt: Timestamp?
    /// The number of rows deleted so far.
    package var rows: Int

    package init(
        id: Int64,
        tenant: TenantID,
        install: InstallID?,
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
