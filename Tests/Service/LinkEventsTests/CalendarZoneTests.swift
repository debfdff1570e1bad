import LinkEvents
import LinkRouting
import TestSupport
import Testing

/// The start of days and hours in a time zone.
@Suite(.timeLimit(.minutes(15)))
struct CalendarZoneTests {
    private func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }

    @Test(arguments: [
        ("UTC", "2026-11-21", "2026-11-21T00:00:00Z"),
        ("Europe/Paris", "2026-03-29", "2026-03-28T23:00:00Z"),
        ("Europe/Paris", "2026-03-30", "2026-03-29T22:00:00Z"),
        ("Pacific/Kiritimati", "2026-11-21", "2026-11-20T10:00:00Z"),
        ("Pacific/Pago_Pago", "2026-11-21", "2026-11-21T11:00:00Z"),
        // The clocks changed at midnight: forward to 01:00, or back to 23:00.
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
        ("America/Sao_Paulo", "2019-02-17", "2019-02-17T03:00:00Z"),
        // A day that the zone skipped.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
    ])
    func dayBeginsAtItsFirstInstant(zone: String, day: String, start: String) throws {
        let zone = try #require(CalendarZone(zone))
        #expect(zone.start(of: try self.day(day)) == instant(start))
    }

    @Test func dayIsTheOneThatTheCalendarShows() throws {
        let zone = try #require(CalendarZone("America/New_York"))
        #expect(zone.day(of: instant("2026-11-21T04:59:59.999Z")) == (try day("2026-11-20")))
        #expect(zone.day(of: instant("2026-11-21T05:00:00Z")) == (try day("2026-11-21")))
    }

    @Test func hoursFollowTheClockAlsoWhereItChangesByHalfAnHour() throws {
        let zone = try #require(CalendarZone("Australia/Lord_Howe"))
        let edges = zone.edges(
            every: .hour,
            from: instant("2026-04-04T13:00:00Z"),
            until: instant("2026-04-04T17:00:00Z"),
            limit: 10
        )
        #expect(
            edges?.map { $0.description.dropFirst(11).prefix(5) }
                == ["13:00", "14:00", "15:00", "15:30", "16:30", "17:00"]
        )
    }

    @Test func edgesAreBounded() throws {
        let zone = CalendarZone.utc
        let (from, until) = (instant("2026-11-01T06:00:00Z"), instant("2026-11-04T00:00:00Z"))
        #expect(zone.edges(every: .day, from: from, until: until, limit: 2) == nil)
        #expect(
            zone.edges(every: .day, from: from, until: until, limit: 3)
                == [from, instant("2026-11-02T00:00:00Z"), instant("2026-11-03T00:00:00Z"), until]
        )
    }

    @Test func unknownZoneIsRejected() { #expect(CalendarZone("Mars/Olympus") == nil) }
}
