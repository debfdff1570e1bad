import Foundation
package import LinkRouting

/// Defines when a tenant's windows end.
package enum ExportSchedule: Sendable, Hashable {
    /// Exports at every full UTC hour.
    case hourly
    /// Once a day at a wall time. If a clock change skips the wall time, the first instant after the gap. If the wall
    /// time occurs twice, the earlier one.
    case daily(DailyTime)

    package struct DailyTime: Sendable, Hashable {
        package let hour: Int
        package let minute: Int
        package let zone: String

        /// Returns nil if the time is invalid or the system does not know the IANA zone.
        package init?(hour: Int, minute: Int, zone: String) {
            guard (0..<24).contains(hour), (0..<60).contains(minute), zone.isTimeZoneName,
                TimeZone(identifier: zone) != nil
            else { return nil }
            self.hour = hour
            self.minute = minute
            self.zone = zone
        }
    }

    /// Returns the first window end after an instant.
    package func next(after instant: Timestamp) -> Timestamp {
        switch self {
        case .hourly:
            let hour: Int64 = 3_600_000
            return Timestamp(milliseconds: (instant.milliseconds / hour + 1) * hour)
        case .daily(let time):
            return time.next(after: instant)
        }
    }

    /// The time between two ends. When a zone changes its offset, the actual day is a little longer or shorter.
    package var period: Duration {
        switch self {
        case .hourly: .seconds(3_600)
        case .daily: .seconds(86_400)
        }
    }

    /// The most missed windows that are caught up one by one: 41 days of hourly windows.
    package static let mostEndsAtOnce = 1_000

    /// Returns every end after `start` up to and including `limit`, oldest first. If there are more than
    /// `mostEndsAtOnce`, returns only the last one: the clock has jumped, and all but one of the windows would be
    /// empty.
    package func ends(after start: Timestamp, upTo limit: Timestamp) -> [Timestamp] {
        var ends: [Timestamp] = []
        var end = next(after: start)
        while end <= limit {
            ends.append(end)
            guard ends.count <= Self.mostEndsAtOnce else { return [last(upTo: limit)] }
            end = next(after: end)
        }
        return ends
    }

    private func last(upTo limit: Timestamp) -> Timestamp {
        // A wall time occurs at least once in three days.
        var last = next(after: Timestamp(milliseconds: limit.milliseconds - 3 * Timestamp.millisecondsPerDay))
        var end = last
        while end <= limit {
            last = end
            end = next(after: end)
        }
        return last
    }
}

extension ExportSchedule.DailyTime {
    fileprivate func next(after instant: Timestamp) -> Timestamp {
        guard let zone = TimeZone(identifier: zone) else {
            preconditionFailure("the initializer has looked the zone up")
        }
        let local = instant.milliseconds + zone.offset(at: instant.milliseconds)
        let today = Timestamp(milliseconds: local).day.daysSince1970
        // When the zone changes its offset, the wall time of a neighbouring day may be the first one after the instant.
        for day in (today - 1)...(today + 2) {
            let candidate = self.instant(onDay: day, in: zone)
            if candidate > instant.milliseconds { return Timestamp(milliseconds: candidate) }
        }
        preconditionFailure("a wall time comes at least once in three days")
    }

    /// Returns when the zone's wall clock shows the time on a day, in milliseconds since 1970.
    private func instant(onDay day: Int64, in zone: TimeZone) -> Int64 {
        let dayLength = Timestamp.millisecondsPerDay
        let wall = day * dayLength + Int64(hour) * 3_600_000 + Int64(minute) * 60_000
        let before = zone.offset(at: wall - dayLength)
        let after = zone.offset(at: wall + dayLength)
        let candidates = [wall - before, wall - after].filter { $0 + zone.offset(at: $0) == wall }
        if let earliest = candidates.min() { return earliest }
        // A gap: the offset changes from `before` to `after` between the two readings of the wall time.
        var low = wall - max(before, after)
        var high = wall - min(before, after)
        while high - low > 1_000 {
            let middle = low + (high - low) / 2
            if zone.offset(at: middle) == after { high = middle } else { low = middle }
        }
        return high / 1_000 * 1_000
    }
}

extension TimeZone {
    /// The offset east of UTC in milliseconds.
    fileprivate func offset(at milliseconds: Int64) -> Int64 {
        Int64(secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))) * 1_000
    }
}
