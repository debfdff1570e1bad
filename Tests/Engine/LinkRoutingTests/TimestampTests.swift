import Foundation
import LinkRouting
import TestSupport
import Testing

struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"), ("2026-11-21T10:00:00.123Z", "2026-11-21T10:00:00.123Z"),
        ("2026-11-21t10:00:00z", "2026-11-21T10:00:00.000Z"), ("2026-11-21T10:00:00.1Z", "2026-11-21T10:00:00.100Z"),
        ("2026-11-21T10:00:00.12Z", "2026-11-21T10:00:00.120Z"),
        ("2026-11-21T10:00:00.123999999Z", "2026-11-21T10:00:00.123Z"),
        ("2026-11-21T00:30:00+01:00", "2026-11-20T23:30:00.000Z"),
        ("2026-11-21T23:30:00-01:30", "2026-11-22T01:00:00.000Z"),
        ("2026-11-21T10:00:00-00:00", "2026-11-21T10:00:00.000Z"), ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z"),
        ("2000-02-29T12:00:00Z", "2000-02-29T12:00:00.000Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        // A leap second becomes the last millisecond of its day.
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
        ("2017-01-01T00:59:60.5+01:00", "2016-12-31T23:59:59.999Z"),
        ("2015-06-30T16:59:60-07:00", "2015-06-30T23:59:59.999Z"),
    ]) func instantIsReadAndWritten(_ text: String, _ written: String) throws {
        let instant = try #require(Timestamp(text))
        #expect(instant.description == written)
        #expect(Timestamp(written) == instant)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z", "2026-11-21T10:00Z", "2026-11-21T10:00:00.Z",
        "2026-11-21T10:00:00.1234567890Z", "2026-11-21T10:00:00,5Z", "2026-11-21T10:00:00+0100",
        "2026-11-21T10:00:00+01",
        "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00+01:60", "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z",
        "2026-11-21T10:00:61Z", "2026-11-21T10:00:60Z", "2016-12-30T23:59:60Z", "2016-12-31T23:59:60+01:00",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "0000-01-01T00:00:00Z", "26-11-21T10:00:00Z", "+2026-11-21T10:00:00Z",
        "2026-11-21T10:00:00Zx",
        "2026-11-21T10:00:00 Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "２026-11-21T10:00:00Z",
    ]) func otherTextIsNotAnInstant(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func extremesAreHeldAtTheEdge() {
        #expect(Timestamp(milliseconds: .min).description == "0001-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
        #expect(CivilDay(daysSince1970: .min) == .first && CivilDay.first.description == "0001-01-01")
        #expect(CivilDay(daysSince1970: .max) == .last && CivilDay.last.description == "9999-12-31")
        #expect(CivilDay.last.next == .last)
        #expect(Timestamp(milliseconds: .max).day == .last)
    }

    @Test func foundationAgreesOnEveryDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // Foundation's Gregorian calendar is Julian before 1582.
        for days in stride(from: Int64(-140_000), through: 2_932_896, by: 373) {
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(days) * 86_400)
            )
            let day = CivilDay(daysSince1970: days)
            #expect(day.components.year == Int64(parts.year ?? 0))
            #expect(day.components.month == Int64(parts.month ?? 0))
            #expect(day.components.day == Int64(parts.day ?? 0))
        }
    }

    @Test func everyDayRoundTrips() {
        for days in stride(from: CivilDay.first.daysSince1970, through: CivilDay.last.daysSince1970, by: 97) {
            let day = CivilDay(daysSince1970: days)
            let (year, month, number) = day.components
            #expect(CivilDay(year: year, month: month, day: number) == day)
            #expect(CivilDay(day.description) == day)
            #expect(day.start.day == day)
            #expect(Timestamp(milliseconds: day.next.start.milliseconds - 1).day == day || day == .last)
        }
    }

    @Test func textSortsAsInTime() {
        var random = SeededGenerator(seed: 5)
        let instants = (0..<500).map { _ in Timestamp(milliseconds: Int64(bitPattern: random.next()) / 30_000) }
            .sorted()
        #expect(instants.map(\.description) == instants.map(\.description).sorted())
    }

    @Test(arguments: ["2026-1-1", "2026-01-011", "2026-02-30", "2026/01/01", "", "2026-01-0１", "-026-01-01"])
    func otherTextIsNotADay(_ text: String) {
        #expect(CivilDay(text) == nil)
    }
}
