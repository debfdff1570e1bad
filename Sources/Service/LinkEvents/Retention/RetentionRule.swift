package import LinkRouting

/// The retention period of a tenant's rows.
package struct RetentionRule: Sendable, Hashable {
    /// The number of whole UTC days after the day of commit.
    package let days: Int
    /// Whether windows are exported on a schedule. Every row then waits for its window.
    package let isExported: Bool

    /// The rule for links that belong to no tenant; they are never exported.
    package static let unowned = RetentionRule(days: 7, isExported: false)

    package init(days: Int, isExported: Bool) {
        self.days = days
        self.isExported = isExported
    }

    package enum Verdict: Sendable, Hashable {
        case keep
        /// The retention period is over, but the row's window is not exported yet.
        case wait
        case drop
    }

    /// Decides about the rows of one day. Rows of a tenant that has ever exported a window wait for their export, even
    /// without a schedule. Rows of a tenant that never exported do not wait.
    package func verdict(on rows: RetainedRows, today: CivilDay) -> Verdict {
        let days = min(days, rows.keptDays ?? .max)
        guard today.daysSince1970 - rows.day.daysSince1970 > Int64(days) else { return .keep }
        guard isExported || rows.exportEdge != nil else { return .drop }
        return rows.exportEdge ?? 0 >= rows.lastSequence && !rows.hasPendingWindow ? .drop : .wait
    }
}
