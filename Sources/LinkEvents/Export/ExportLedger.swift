package import LinkRouting

/// Stores the export windows, cursors and webhook deliveries beside the log.
package protocol ExportLedger: Sendable {
    /// Returns the tenant's cursor. The first call creates it with `now` as the start of the first window.
    func cursor(of tenant: TenantID, since now: Timestamp) async throws -> ExportCursor

    /// Cuts the next window, from the cursor's edge + 1 to `edge`, and stores it.
    ///
    /// Idempotent: cutting the same end again changes nothing and returns the stored window. After a rewind an earlier
    /// window may already have this end; the new window then ends at the next free millisecond.
    ///
    /// - Parameter start: The start of the window if it is before the last end; otherwise the window starts at the last
    ///   end.
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

    /// Moves the cursor's last end back to an earlier instant. Its edge stays.
    func rewind(_ tenant: TenantID, to instant: Timestamp) async throws -> ExportCursor

    /// Returns windows that are cut but not marked as exported, oldest first.
    func pending(_ tenant: TenantID) async throws -> [ExportWindow]
    func markExported(_ window: ExportWindow, at now: Timestamp) async throws

    /// Returns the window that ends at an instant; nil if there is none.
    func window(of tenant: TenantID, ending end: Timestamp) async throws -> ExportWindow?
    /// Returns the windows that end after an instant, oldest first.
    func windows(of tenant: TenantID, endingAfter instant: Timestamp) async throws -> [ExportWindow]

    /// Returns when a window of each tenant was last exported. Tenants without an export are missing.
    func lastExports() async throws -> [TenantID: Timestamp]

    /// Returns whether retention has dropped rows of the window, so that it cannot be exported again.
    func isGone(_ window: ExportWindow) async throws -> Bool

    /// Stores a delivery until it is settled. Does nothing if its id is already stored.
    func add(_ delivery: WebhookDelivery) async throws
    /// Returns held deliveries, at most `limit`.
    func heldDeliveries(limit: Int) async throws -> [WebhookDelivery]
    /// Makes a held delivery due at `now`. Does nothing if it is not held.
    func release(_ id: String, at now: Timestamp) async throws
    /// Returns deliveries that are due, the earliest first, at most `limit`.
    func deliveries(dueAt now: Timestamp, limit: Int) async throws -> [WebhookDelivery]
    /// Returns when the earliest delivery that is not held is due; nil if there is none.
    func nextDelivery() async throws -> Timestamp?
    /// Counts an attempt and sets the time of the next one.
    func postpone(_ delivery: WebhookDelivery, to instant: Timestamp) async throws
    /// Removes a delivery that succeeded or was given up.
    func complete(_ delivery: WebhookDelivery) async throws
}

/// The progress of a tenant's exports.
package struct ExportCursor: Sendable, Hashable {
    /// The end of the last window, or the start of the first one.
    package let lastEnd: Timestamp
    /// The last sequence that belongs to a window.
    package let edge: Int64

    package init(lastEnd: Timestamp, edge: Int64) {
        self.lastEnd = lastEnd
        self.edge = edge
    }
}

/// A range of the log for one tenant: `firstSequence...lastSequence`; empty if `lastSequence` is smaller.
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
