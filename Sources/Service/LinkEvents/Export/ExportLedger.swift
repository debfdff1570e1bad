package import LinkRouting

/// Stores the export windows and cursors beside the log.
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
        level: Int,
        software: String
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
    /// The program that cut the window, with its version.
    package let software: String

    package init(
        tenant: TenantID,
        start: Timestamp,
        end: Timestamp,
        firstSequence: Int64,
        lastSequence: Int64,
        format: String,
        level: Int,
        software: String
    ) {
        self.tenant = tenant
        self.start = start
        self.end = end
        self.firstSequence = firstSequence
        self.lastSequence = lastSequence
        self.format = format
        self.level = level
        self.software = software
    }
}
