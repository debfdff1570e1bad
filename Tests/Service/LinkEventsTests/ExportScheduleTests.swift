import LinkEvents
import LinkRouting
import TestSupport
import Testing

struct ExportScheduleTests {
    struct Case: Sendable {
        let zone: String
        let hour: Int
        let minute: Int
        let after: String
        let next: String
    }

    static let cases = [
        Case(zone: "UTC", hour: 2, minute: 0, after: "2026-11-21T01:59:59.999Z", next: "2026-11-21T02:00:00Z"),
        Case(zone: "UTC", hour: 2, minute: 0, after: "2026-11-21T02:00:00Z", next: "2026-11-22T02:00:00Z"),
        Case(zone: "Europe/Paris", hour: 2, minute: 0, after: "2026-01-10T12:00:00Z", next: "2026-01-11T01:00:00Z"),
        Case(zone: "Europe/Paris", hour: 2, minute: 0, after: "2026-07-10T12:00:00Z", next: "2026-07-11T00:00:00Z"),
        // 2026-03-29: 02:00 becomes 03:00, so 02:30 does not exist; the first instant after the gap is 01:00 UTC.
        Case(zone: "Europe/Paris", hour: 2, minute: 30, after: "2026-03-28T12:00:00Z", next: "2026-03-29T01:00:00Z"),
        Case(zone: "Europe/Paris", hour: 2, minute: 30, after: "2026-03-29T01:00:00Z", next: "2026-03-30T00:30:00Z"),
        // 2026-10-25: 03:00 becomes 02:00, so 02:30 occurs twice; only the earlier one counts.
        Case(zone: "Europe/Paris", hour: 2, minute: 30, after: "2026-10-24T12:00:00Z", next: "2026-10-25T00:30:00Z"),
        Case(zone: "Europe/Paris", hour: 2, minute: 30, after: "2026-10-25T00:30:00Z", next: "2026-10-26T01:30:00Z"),
        Case(
            zone: "America/New_York",
            hour: 2,
            minute: 30,
            after: "2026-03-07T12:00:00Z",
            next: "2026-03-08T07:00:00Z"
        ),
        Case(
            zone: "America/New_York",
            hour: 1,
            minute: 30,
            after: "2026-10-31T12:00:00Z",
            next: "2026-11-01T05:30:00Z"
        ),
        // Lord Howe shifts by half an hour: 02:00 becomes 02:30 on 2026-10-04, at 15:30 UTC of the previous day.
        Case(
            zone: "Australia/Lord_Howe",
            hour: 2,
            minute: 15,
            after: "2026-10-03T02:00:00Z",
            next: "2026-10-03T15:30:00Z"
        ),
        // Apia skipped 2011-12-30: the first instant after the gap is the following midnight, 10:00 UTC.
        Case(zone: "Pacific/Apia", hour: 2, minute: 0, after: "2011-12-29T13:00:00Z", next: "2011-12-30T10:00:00Z"),
        Case(zone: "Pacific/Apia", hour: 2, minute: 0, after: "2011-12-30T10:00:00Z", next: "2011-12-30T12:00:00Z"),
    ]

    @Test(arguments: cases)
    func dailyWindowEndsAtTheWallTimeOfItsZone(_ one: Case) throws {
        let time = try #require(ExportSchedule.DailyTime(hour: one.hour, minute: one.minute, zone: one.zone))
        #expect(ExportSchedule.daily(time).next(after: instant(one.after)) == instant(one.next))
    }

    @Test func hourlyWindowEndsAtTheFullHour() {
        #expect(
            ExportSchedule.hourly.next(after: instant("2026-11-21T10:59:59.999Z")) == instant("2026-11-21T11:00:00Z")
        )
        #expect(ExportSchedule.hourly.next(after: instant("2026-11-21T11:00:00Z")) == instant("2026-11-21T12:00:00Z"))
    }

    @Test func everyMissedEndIsNamedOnce() {
        let ends = ExportSchedule.hourly.ends(
            after: instant("2026-11-21T10:30:00Z"),
            upTo: instant("2026-11-21T13:00:00Z")
        )
        #expect(ends.map(\.description) == ["11", "12", "13"].map { "2026-11-21T\($0):00:00.000Z" })
    }

    @Test(arguments: [true, false])
    func moreEndsThanCanBeMissedAreOne(_ isHourly: Bool) throws {
        let two = try #require(ExportSchedule.DailyTime(hour: 2, minute: 0, zone: "Europe/Paris"))
        let schedule = isHourly ? ExportSchedule.hourly : .daily(two)
        let ends = schedule.ends(after: instant("1970-01-01T00:00:00Z"), upTo: instant("2026-11-21T13:30:00Z"))

        #expect(ends == [instant(isHourly ? "2026-11-21T13:00:00Z" : "2026-11-21T01:00:00Z")])
    }

    @Test func upToAThousandMissedEndsAreListedIndividually() {
        let start = instant("2026-11-21T10:30:00Z")
        let limit = Timestamp(milliseconds: start.milliseconds + 1_000 * 3_600_000)
        #expect(ExportSchedule.hourly.ends(after: start, upTo: limit).count == 1_000)
        let later = Timestamp(milliseconds: limit.milliseconds + 3_600_000)
        #expect(ExportSchedule.hourly.ends(after: start, upTo: later).count == 1)
    }

    @Test func unknownZonesAndTimesAreRejected() {
        #expect(ExportSchedule.DailyTime(hour: 2, minute: 0, zone: "Mars/Olympus") == nil)
        #expect(ExportSchedule.DailyTime(hour: 24, minute: 0, zone: "UTC") == nil)
    }
}
