import LinkEvents
import LinkRouting
import Testing

struct RetentionRuleTests {
    private let today = CivilDay(daysSince1970: 20_000)

    private func rows(_ age: Int64, edge: Int64? = nil, last: Int64 = 100, pending: Bool = false) throws -> RetainedRows
    {
        RetainedRows(
            day: CivilDay(daysSince1970: today.daysSince1970 - age),
            tenant: try #require(TenantID("shop")),
            count: 10,
            lastSequence: last,
            exportEdge: edge,
            hasPendingWindow: pending
        )
    }

    @Test func rowsAreKeptForWholeDays() throws {
        let rule = RetentionRule(days: 30, isExported: false)
        #expect(rule.verdict(on: try rows(0), today: today) == .keep)
        #expect(rule.verdict(on: try rows(30), today: today) == .keep)
        #expect(rule.verdict(on: try rows(31), today: today) == .drop)
    }

    @Test(arguments: [
        (edge: Int64(0), pending: false, RetentionRule.Verdict.wait), (99, false, .wait), (100, true, .wait),
        (100, false, .drop), (500, false, .drop),
    ]) func scheduledRowsWaitForTheirWindow(_ edge: Int64, _ pending: Bool, _ verdict: RetentionRule.Verdict) throws {
        let rule = RetentionRule(days: 30, isExported: true)
        #expect(rule.verdict(on: try rows(31, edge: edge, pending: pending), today: today) == verdict)
        #expect(rule.verdict(on: try rows(30, edge: edge, pending: pending), today: today) == .keep)
    }

    @Test func manualExportsDelayRetention() throws {
        let rule = RetentionRule(days: 30, isExported: false)
        #expect(rule.verdict(on: try rows(31, edge: nil), today: today) == .drop)
        // Exported while the log was empty.
        #expect(rule.verdict(on: try rows(31, edge: 0), today: today) == .wait)
        #expect(rule.verdict(on: try rows(31, edge: 5), today: today) == .wait)
        #expect(rule.verdict(on: try rows(31, edge: 100), today: today) == .drop)
    }

    /// A wrong clock created a file of a future day. It is kept until that day has passed.
    @Test func rowsOfTheFutureAreKept() throws {
        #expect(RetentionRule(days: 1, isExported: false).verdict(on: try rows(-400), today: today) == .keep)
    }
}
