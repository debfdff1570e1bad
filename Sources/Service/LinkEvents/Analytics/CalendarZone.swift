import Foundation
package import LinkRouting

/// The calendar of an IANA time zone: the start of its days and hours.
package struct CalendarZone: Sendable, Hashable {
    package let name: String
    private let zone: TimeZone
    private let midnights: ExportSchedule

    package static let utc = CalendarZone(name: "UTC", zone: .gmt, midnights: .daily(.utcMidnight))

    /// Returns nil if the system does not know the zone.
    package init?(_ name: String) {
        guard let zone = TimeZone(identifier: name),
            let midnight = ExportSchedule.DailyTime(hour: 0, minute: 0, zone: name)
        else { return nil }
        self.init(name: name, zone: zone, midnights: .daily(midnight))
    }

    private init(name: String, zone: TimeZone, midnights: ExportSchedule) {
        self.name = name
        self.zone = zone
        self.midnights = midnights
    }

    /// Returns the calendar day in the zone.
    package func day(of instant: Timestamp) -> CivilDay {
        Timestamp(milliseconds: instant.milliseconds + offset(at: instant)).day
    }

    /// Returns the first instant of a day. If the zone skipped the day, returns the start of the next one.
    package func start(of day: CivilDay) -> Timestamp {
        // No zone differs from UTC by more than a day.
        var start = midnights.next(after: Timestamp(milliseconds: day.start.milliseconds - 2 * Self.dayLength))
        while self.day(of: start) < day, start < Self.lastStart { start = midnights.next(after: start) }
        return start
    }

    package enum Interval: String, Sendable, CaseIterable {
        case hour, day
    }

    /// Returns `from`, the start of every hour or day after it, and `until`; nil if these are more than `limit`
    /// buckets.
    package func edges(
        every interval: Interval,
        from: Timestamp,
        until: Timestamp,
        limit: Int
    ) -> [Timestamp]? {
        var edges = [from]
        var next = self.next(interval, after: from)
        while next < until {
            guard edges.count < limit else { return nil }
            edges.append(next)
            next = self.next(interval, after: next)
        }
        return edges + [until]
    }

    /// Returns the first start of an hour or day after an instant.
    package func next(_ interval: Interval, after instant: Timestamp) -> Timestamp {
        switch interval {
        case .day: return midnights.next(after: instant)
        case .hour:
            let hour: Int64 = 3_600_000
            let past = (instant.milliseconds + offset(at: instant)) % hour
            return Timestamp(milliseconds: instant.milliseconds + hour - (past < 0 ? past + hour : past))
        }
    }

    private func offset(at instant: Timestamp) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))) * 1_000
    }

    private static let dayLength = Timestamp.millisecondsPerDay
    private static let lastStart = Timestamp(milliseconds: CivilDay.last.start.milliseconds - 2 * dayLength)
}

extension ExportSchedule.DailyTime {
    fileprivate static var utcMidnight: Self {
        guard let midnight = Self(hour: 0, minute: 0, zone: "UTC") else {
            preconditionFailure("every system knows UTC")
        }
        return midnight
    }
}
