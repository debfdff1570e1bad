import LinkEvents
import Testing

@testable import LinkServer

/// Totals as they are returned: the largest groups, and the sum of all others.
struct TotalsGroupsTests {
    private func count(_ route: String, _ bucket: Int, _ count: Int64) -> TotalsCount {
        TotalsCount(bucket: bucket, columns: TotalsColumns(route: route), count: count)
    }

    @Test func largestGroupsComeFirstAndTheRestIsTogether() {
        let counts = [count("b", 0, 2), count("a", 1, 2), count("c", 2, 1), count("d", 2, 5), count("c", 0, 1)]
        let groups = counts.groups(buckets: 3, limit: 2)
        #expect(groups.count == 11)
        #expect(groups.largest.map(\.columns.route) == ["d", "a"])
        #expect(groups.largest.map(\.buckets) == [[0, 0, 5], [0, 2, 0]])
        #expect(groups.others == 2 && groups.rest == [3, 0, 1])
        let all = counts.groups(buckets: 3)
        #expect(all.largest.map(\.columns.route) == ["d", "a", "b", "c"])
        #expect(all.others == 0 && all.rest.isEmpty)
        #expect([TotalsCount]().groups(buckets: 3, limit: 2).largest.isEmpty)
    }

    /// A separate array of buckets for each group would take 4 GB.
    @Test func manyGroupsOfManyBucketsTakeTheMemoryOfTheLargest() {
        let counts = (0..<200_000).map { count("r\($0)", $0 % 2_500, 1) }
        let groups = counts.groups(buckets: 2_500, limit: 1)
        #expect(groups.largest.count == 1 && groups.others == 199_999)
        #expect(groups.rest.count == 2_500 && groups.rest.reduce(0, +) == 199_999)
    }
}
