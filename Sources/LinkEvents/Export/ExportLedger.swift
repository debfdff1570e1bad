package import LinkRouting

/// What has been cut into windows and exported; kept beside the log.
package protocol ExportLedger: Sendable {
    /// The tenant's cursor; the first call fixes since when its windows count.
    func cursor(of tenant: TenantID, since now: Timestamp) async throws -> ExportCursor

    /// Cuts the next window up to `edge`: from the cursor's edge + 1. Stored once; cutting the same end again changes nothing
    /// and returns what is stored. After a rewind an earlier window may have the end already: then this one ends at the next
    /// free millisecond.
    ///
    /// - Parameter start: Where it lies before the last end, the window starts there.
    func cut(
        _ tenant: TenantID,
        start: Timestamp?,
        end: Timestamp,
        edge: Int64,
        format: String,
        level: Int
    ) async throws -> ExportWindow

    /// Whether a window of the tenant was ever cut.
    func hasWindows(_ tenant: TenantID) async throws -> Bool

    /// Lets windows count from an instant before the cursor's last end; its edge stays.
    func rewind(_ tenant: TenantID, to instant: Timestamp) async throws -> ExportCursor

    /// Windows that are cut but not yet marked as exported, oldest first.
    func pending(_ tenant: TenantID) async throws -> [ExportWindow]
    func markExported(_ window: ExportWindow, at now: Timestamp) async throws

    /// The window that ends at an instant, and those that end after one, oldest first.
    func window(of tenant: TenantID, ending end: Timestamp) async throws -> ExportWindow?
    func windows(of tenant: TenantID, endingAfter instant: Timestamp) async throws -> [ExportWindow]

    /// When a window was last exported, of any tenant.
    func lastExport() async throws -> Timestamp?

    /// Whether retention has dropped rows of the window, so that it cannot be exported again.
    func isGone(_ window: ExportWindow) async throws -> Bool

    /// Keeps what is to be told about an export until it is settled. One that is kept already changes nothing.
    func add(_ notice: WebhookDelivery) async throws
    /// Notices that are held back, at most `limit`.
    func heldNotices(limit: Int) async throws -> [WebhookDelivery]
    /// Lets a notice be told from an instant on, unless it is not held back.
    func release(_ id: String, at now: Timestamp) async throws
    /// Notices whose time has come, the earliest first, at most `limit`.
    func notices(dueAt now: Timestamp, limit: Int) async throws -> [WebhookDelivery]
    /// When the earliest notice is due that is not held back.
    func nextNotice() async throws -> Timestamp?
    /// Counts an attempt and sets when the next is due.
    func postpone(_ notice: WebhookDelivery, to instant: Timestamp) async throws
    /// Removes a notice: it was told, or given up.
    func settle(_ notice: WebhookDelivery) async throws
}

/// How far a tenant's exports have come.
package struct ExportCursor: Sendable, Hashable {
    /// The end of the last window, or since when windows count.
    package let lastEnd: Timestamp
    /// The last sequence that belongs to a window.
    package let edge: Int64

    package init(lastEnd: Timestamp, edge: Int64) {
        self.lastEnd = lastEnd
        self.edge = edge
    }
}

/// A range of the log for one tenant: `firstSequence...lastSequence`, empty when the last is smaller.
package struct ExportWindow: Sendable, Hashable {
    package let tenant: TenantID
    package let start: Timestamp
    package let end: Timestamp
    package let firstSequence: Int64
    package let lastSequence: Int64
    package let format: String
    package let level: Int

    package init(
        tenant: TenantID,
        start: Timestamp,
        end: Timestamp,
        firstSequence: Int64,
        lastSequence: Int64,
        format: String,
        level: Int
    ) {
        self.tenant = tenant
        self.start = start
        self.end = end
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
        self.format = format
        self.level = level
    }
}
