import LinkCatalog
import Metrics

/// Counts what became of publications, rollbacks and promotions.
enum Publications {
    private enum Result: String, CaseIterable {
        case published
        /// By a check, a suite, a conflict or a limit of the key: nothing was changed.
        case refused
        case failed
    }

    private static let counters = Dictionary(
        uniqueKeysWithValues: Result.allCases.map {
            ($0, Counter(label: "fingerpost_publish_total", dimensions: [("result", $0.rawValue)]))
        }
    )

    /// Makes the counters known at 0: a rate sees the first publication only of one that was there before.
    static func begin() { _ = counters }

    static func counted<BufferedResponse>(_ publish: () async throws -> BufferedResponse) async throws
        -> BufferedResponse
    {
        do {
            let answer = try await publish()
            counters[.published]?.increment()
            return answer
        } catch {
            let isRefusal = error is PublishingService.Failure || error is StaleWrite || error is OwnershipConflict
            counters[isRefusal ? .refused : .failed]?.increment()
            throw error
        }
    }
}
