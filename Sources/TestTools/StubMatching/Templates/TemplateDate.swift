package import LinkRouting

/// An instant with the time zone in which it is shown.
package struct TemplateDate: Sendable, Hashable {
    package var instant: Timestamp
    /// The offset from UTC in seconds.
    package var offset: Int
    /// The name of the zone for the letter `z`, such as `UTC` or `CET`.
    package var zone: String

    package init(_ instant: Timestamp, offset: Int = 0, zone: String = "UTC") {
        (self.instant, self.offset, self.zone) = (instant, offset, zone)
    }

    /// The fields of the date in its zone.
    struct Fields {
        var year: Int64
        var month: Int64
        var day: Int64
        var hour: Int64
        var minute: Int64
        var second: Int64
        var millisecond: Int64

        /// The instant of these fields in UTC; nil if the day does not exist.
        var instant: Timestamp? {
            guard let date = CivilDay(year: year, month: month, day: day) else { return nil }
            let seconds = hour * 3_600 + minute * 60 + second
            return Timestamp(milliseconds: date.start.milliseconds + seconds * 1_000 + millisecond)
        }
    }

    /// The same instant on a clock of the zone.
    var local: Timestamp { Timestamp(milliseconds: instant.milliseconds + Int64(offset) * 1_000) }

    var fields: Fields {
        let local = local
        let (year, month, day) = local.day.components
        let time = local.milliseconds - local.day.start.milliseconds
        return Fields(
            year: year,
            month: month,
            day: day,
            hour: time / 3_600_000,
            minute: time / 60_000 % 60,
            second: time / 1_000 % 60,
            millisecond: time % 1_000
        )
    }

    /// The date without a format: `2020-01-31T03:04:05Z`, or with an offset.
    var text: String {
        let shown = String(local.description.prefix(19))
        return shown + (offset == 0 ? "Z" : Self.offsetText(offset, separator: ":"))
    }

    /// An offset such as `+0200` or `+02:00`.
    static func offsetText(_ offset: Int, separator: String) -> String {
        let minutes = abs(offset) / 60
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return (offset < 0 ? "-" : "+") + two(minutes / 60) + separator + two(minutes % 60)
    }

    // MARK: Shifts

    /// Reads an offset such as `3 days` or `now -2 months`, and returns the shifted date. Nil if the text is not an
    /// offset.
    func shifted(by text: String) -> TemplateDate? {
        var parts = text.split(separator: " ")
        if parts.first == "now" { parts.removeFirst() }
        guard parts.count == 2, let amount = Int64(parts[0]),
            (-1_000_000_000...1_000_000_000).contains(amount)
        else { return nil }
        let unit = parts[1].lowercased()
        switch unit.hasSuffix("s") ? String(unit.dropLast()) : unit {
        case "second": return shifted(milliseconds: amount * 1_000)
        case "minute": return shifted(milliseconds: amount * 60_000)
        case "hour": return shifted(milliseconds: amount * 3_600_000)
        case "day": return shifted(milliseconds: amount * Timestamp.millisecondsPerDay)
        case "month": return shifted(months: amount)
        case "year": return shifted(months: amount * 12)
        default: return nil
        }
    }

    private func shifted(milliseconds: Int64) -> TemplateDate {
        TemplateDate(Timestamp(milliseconds: instant.milliseconds + milliseconds), offset: offset, zone: zone)
    }

    /// Adds months. A day that does not exist, such as 31 February, becomes the last of the month.
    private func shifted(months: Int64) -> TemplateDate {
        var fields = fields
        let month = fields.year * 12 + fields.month - 1 + months
        guard (12..<120_000).contains(month) else {
            return TemplateDate(Timestamp(milliseconds: months < 0 ? .min : .max), offset: offset, zone: zone)
        }
        (fields.year, fields.month) = (month / 12, month % 12 + 1)
        return with(fields)
    }

    /// The date with these fields, whose day is reduced until it exists.
    private func with(_ fields: Fields) -> TemplateDate {
        var fields = fields
        while fields.day > 28, CivilDay(year: fields.year, month: fields.month, day: fields.day) == nil {
            fields.day -= 1
        }
        guard let local = fields.instant else { return self }
        return TemplateDate(
            Timestamp(milliseconds: local.milliseconds - Int64(offset) * 1_000),
            offset: offset,
            zone: zone
        )
    }

    /// Returns the date at the start or end of a period, such as `first day of month`; nil for an unknown period.
    func truncated(to text: String) -> TemplateDate? {
        var fields = fields
        fields.millisecond = 0
        fields.second = 0
        switch text.lowercased() {
        case "first second of minute": return with(fields)
        case "first minute of hour":
            fields.minute = 0
            return with(fields)
        default: break
        }
        (fields.hour, fields.minute) = (0, 0)
        switch text.lowercased() {
        case "first hour of day": return with(fields)
        case "first day of month": fields.day = 1
        case "first day of next month":
            fields.day = 1
            (fields.year, fields.month) = fields.month == 12 ? (fields.year + 1, 1) : (fields.year, fields.month + 1)
        case "last day of month": fields.day = 31
        case "first day of year": (fields.month, fields.day) = (1, 1)
        case "first day of next year": (fields.year, fields.month, fields.day) = (fields.year + 1, 1, 1)
        case "last day of year": (fields.month, fields.day) = (12, 31)
        default: return nil
        }
        return with(fields)
    }
}
