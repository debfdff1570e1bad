import Foundation
import TestSupport
import Testing

/// 30 histories; `LINK_HISTORIES=2000`, which `./dev check --full ShortLinks` sets, runs 2,000, and `LINK_HISTORY=17` only
/// that one.
@Suite(.timeLimit(.minutes(60)))
struct ShortLinkHistoriesTests {
    private static let workers = 2

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["LINK_HISTORY"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(1...UInt64(max(1, environment["LINK_HISTORIES"].flatMap { Int($0) } ?? 30)))
    }

    @Test func shortLinksAnswerAsTheModelSays() async throws {
        let seeds = Self.seeds
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
