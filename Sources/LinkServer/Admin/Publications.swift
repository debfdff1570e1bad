import LinkCatalog
import Metrics

/// Counts the results of publications, rollbacks and promotions.
enum Publications {
    private enum Result: String, CaseIterable {
        case published
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

    static func counted<Value>(_ publish: () async throws -> Value) async throws -> Value {
        do {
            let value = try await publish()
            counters[.published]?.increment()
            return value
        } catch {
            let isRefusal = error is PublishingService.Failure || error is StaleWrite || error is OwnershipConflict
            counters[isRefusal ? .refused : .failed]?.increment()
            throw error
        }
    }
}
