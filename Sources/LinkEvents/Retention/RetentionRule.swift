package import LinkRouting

/// How long a tenant's rows are kept.
package struct RetentionRule: Sendable, Hashable {
    /// Whole UTC days after the one that a row was committed on.
    package let days: Int
    /// Whether windows are exported on a schedule; then every row waits for its own.
    package let isExported: Bool

    /// Of links that belong to no tenant; they are never exported.
    package static let unowned = RetentionRule(days: 7, isExported: false)

    package init(days: Int, isExported: Bool) {
        self.days = days
        self.isExported = isExported
    }

    package enum Verdict: Sendable, Hashable {
        case keep
        /// Its time has passed, but its window is not exported yet.
        case wait
        case drop
    }

    /// A tenant that exports by hand has had a window, and its rows wait as those of a schedule do; one that never asked for an
    /// export has nothing to wait for.
    package func verdict(on rows: RetainedRows, today: CivilDay) -> Verdict {
        guard today.daysSince1970 - rows.day.daysSince1970 > Int64(days) else { return .keep }
        guard isExported || rows.exportEdge != nil else { return .drop }
        return rows.exportEdge ?? 0 >= rows.lastSequence && !rows.hasPendingWindow ? .drop : .wait
    }
}
