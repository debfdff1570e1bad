import LinkCatalog
import Metrics

/// Counts the results of publications, rollbacks and promotions.
enum Publications {
    private enum Result: String, CaseIterable {
        case published
        /// The table was live already.
        case unchanged
        /// Refused by a check, a suite, a conflict or a limit of the key: nothing was changed.
        case refused
        case failed
    }

    private static let counters = Dictionary(
        uniqueKeysWithValues: Result.allCases.map {
            ($0, Counter(label: "fingerpost_publish_total", dimensions: [("result", $0.rawValue)]))
        }
    )

    /// Exports the counters at 0: `rate()` does not see the first increment of a counter that was not there.
    static func begin() { _ = counters }

    static func counted(
        _ publish: () async throws -> PublishingService.Published
    ) async throws -> PublishingService.Published {
        try await counted(publish) { $0.outcome.new == nil ? .unchanged : .published }
    }

    static func counted(
        _ apply: () async throws -> PublishingService.Applied
    ) async throws -> PublishingService.Applied {
        try await counted(apply) { _ in .published }
    }

    private static func counted<Value>(
        _ change: () async throws -> Value,
        as result: (Value) -> Result
    ) async throws -> Value {
        do {
            let value = try await change()
            counters[result(value)]?.increment()
            return value
        } catch {
            let isRefusal =
                error is PublishingService.Failure || error is StaleWrite || error is OwnershipConflict
                || error is TooManyRevisions || error is DailyQuotaReached
            counters[isRefusal ? .refused : .failed]?.increment()
            throw error
        }
    }
}
