import Foundation
import TestSupport
import Testing

/// 30 histories. `LINK_HISTORIES=101-200` runs others, and `LINK_HISTORIES=17` only that one.
@Suite(.timeLimit(.minutes(60)))
struct ShortLinkHistoriesTests {
    private static let workers = 2

    private static var seeds: [UInt64] {
        let range = ProcessInfo.processInfo.environment["LINK_HISTORIES"] ?? "1-30"
        let bounds = range.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return [] }
        return Array(first...last)
    }

    @Test func shortLinksAnswerAsTheModelSays() async throws {
        let seeds = Self.seeds
        try #require(!seeds.isEmpty, "LINK_HISTORIES is a number, or FIRST-LAST.")
        let sums = try await withThrowingTaskGroup(of: (answers: Int, counts: Int).self) { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    var sums = (answers: 0, counts: 0)
                    for index in stride(from: worker, to: seeds.count, by: Self.workers) {
                        try Task.checkCancellation()
                        let history = try await withTemporaryDirectory { folder in
                            var history = ShortLinkHistory(seed: seeds[index], in: folder)
                            try await history.run()
                            return (history.answers, history.counts)
                        }
                        sums = (sums.answers + history.0, sums.counts + history.1)
                    }
                    return sums
                }
            }
            return try await group.reduce(into: (answers: 0, counts: 0)) { sums, part in
                sums = (sums.answers + part.answers, sums.counts + part.counts)
            }
        }
        print("\(seeds.count) histories: \(sums.answers) answers and \(sums.counts) counts equal the model's")
    }
}
