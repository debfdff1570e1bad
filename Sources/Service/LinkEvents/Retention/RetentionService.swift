package import LinkRouting
package import Logging
import Metrics
import ServiceLifecycle

/// Bounds the size of the log: closes finished days and drops expired rows, but no row before its window is exported.
package actor RetentionService: Service {
    private let days: any EventDays
    private let rules: @Sendable () -> [TenantID: RetentionRule]
    private let removeElsewhere: @Sendable (_ now: Timestamp) async throws -> Void
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    /// The longest sleep, so that a changed setting or a clock jump is noticed.
    private static let longestSleep = Duration.seconds(600)

    /// The number of days after its own day in which a reported event is recognised if its app sends it again.
    package static let reportDays: Int64 = 30

    private static let blocked = Gauge(label: "fingerpost_retention_blocked_days")
    private static let clockJumped = Gauge(label: "fingerpost_retention_clock_jumped")
    private static let dropped = Counter(label: "fingerpost_retention_dropped_rows_total")

    /// - Parameters:
    ///   - rules: The rule of each tenant. Rows of a tenant without a rule are kept.
    ///   - removeElsewhere: Removes what is too old outside of the log; called in each pass, unless the clock has jumped.
    package init(
        days: any EventDays,
        rules: @escaping @Sendable () -> [TenantID: RetentionRule],
        removeElsewhere: @escaping @Sendable (_ now: Timestamp) async throws -> Void = { _ in },
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        logger: Logger
    ) {
        self.days = days
        self.rules = rules
        self.removeElsewhere = removeElsewhere
        self.now = now
        self.sleep = sleep
        self.logger = logger
    }

    /// Runs a pass at once and after every UTC midnight until shutdown. Failures are logged and retried.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    _ = try await self.applyRetention()
                } catch is CancellationError {
                    return
                } catch {
                    self.logger.error(
                        "retention failed and will be retried",
                        metadata: ["error": "\(error)"]
                    )
                }
                do {
                    try await self.sleep(self.pause())
                } catch {
                    return
                }
            }
        }
    }

    private func pause() -> Duration {
        let day = Timestamp.millisecondsPerDay
        let sinceMidnight = (now().milliseconds % day + day) % day
        return min(Self.longestSleep, .milliseconds(day - sinceMidnight + 1))
    }

    /// The result of a retention pass.
    package struct Report: Sendable, Hashable {
        package var kept: [RetainedRows] = []
        package var dropped: [RetainedRows] = []
        /// Expired rows that are kept because their windows are not exported yet, or because the clock has jumped.
        package var waiting: [RetainedRows] = []
    }

    /// Returns what a pass would do with the rows of closed days. Changes nothing.
    package func state(forcing forced: TenantID? = nil) async throws -> Report {
        let (held, today, rules) = (try await days.retainedRows(), now().day, rules())
        let isWaiting = try await clock().jumpedAt != nil
        var report = Report()
        for rows in held {
            let rule = rows.tenant == .none ? .unowned : rules[rows.tenant]
            switch rule?.verdict(on: rows, today: today) ?? .keep {
            case .keep: report.kept.append(rows)
            case .wait where rows.tenant != forced: report.waiting.append(rows)
            case .drop where isWaiting && rows.tenant != forced: report.waiting.append(rows)
            case .wait, .drop: report.dropped.append(rows)
            }
        }
        return report
    }

    /// Returns the clock as a pass at this moment would see it.
    private func clock() async throws -> RetentionClock {
        let now = now()
        var clock = try await days.retentionClock() ?? RetentionClock(lastPass: now)
        clock.pass(at: now)
        return clock
    }

    /// Closes finished days, then drops expired rows.
    ///
    /// - Parameter forced: A tenant whose expired rows are dropped without waiting for their export; later exports lack
    ///   them.
    package func applyRetention(forcing forced: TenantID? = nil) async throws -> Report {
        try await days.closeFinishedDays()
        let clock = try await clock()
        try await days.note(clock)
        Self.clockJumped.record(clock.jumpedAt == nil ? 0 : 1)
        if let instant = clock.jumpedAt {
            logger.error(
                "the clock jumped ahead; retention drops nothing for three days",
                metadata: ["clock": "\(instant)"]
            )
        }
        if clock.jumpedAt == nil {
            let today = now().day.daysSince1970
            try await days.forgetReports(before: CivilDay(daysSince1970: today - Self.reportDays))
            try await removeElsewhere(now())
        }
        let report = try await state(forcing: forced)
        if !report.dropped.isEmpty {
            try await days.drop(report.dropped, at: now())
            Self.dropped.increment(by: report.dropped.reduce(0) { $0 + Int($1.count) })
            for rows in report.dropped {
                logger.info(
                    "rows dropped by retention",
                    metadata: ["day": "\(rows.day)", "tenant": "\(rows.tenant)", "rows": "\(rows.count)"]
                )
            }
        }
        let blocked = Set(report.waiting.map(\.day))
        Self.blocked.record(blocked.count)
        if let oldest = blocked.min() {
            logger.warning(
                "retention is waiting for exports",
                metadata: [
                    "days": "\(blocked.count)", "oldest": "\(oldest)",
                    "tenants": "\(Set(report.waiting.map(\.tenant.rawValue)).sorted())",
                ]
            )
        }
        return report
    }
}
