/// A day of the proleptic Gregorian calendar, from 0001-01-01 to 9999-12-31: the range of RFC 3339.
public struct CivilDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let daysSince1970: Int64

    public static let first = CivilDay(daysSince1970: .min)
    public static let last = CivilDay(daysSince1970: .max)

    /// Clamps to the first and the last day.
    public init(daysSince1970: Int64) {
        self.daysSince1970 = min(max(daysSince1970, -719_162), 2_932_896)
    }

    /// Nil unless the day exists and lies in the years 1 to 9999.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard Self.exists(year: year, month: month, day: day) else { return nil }
        // Howard Hinnant's days_from_civil: years start in March, so that the leap day comes last.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        daysSince1970 = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether the day exists and lies in the years 1 to 9999.
    static func exists(year: Int64, month: Int64, day: Int64) -> Bool {
        guard (1...9_999).contains(year), day >= 1 else { return false }
        switch month {
        case 1, 3, 5, 7, 8, 10, 12: return day <= 31
        case 4, 6, 9, 11: return day <= 30
        case 2: return day <= (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28)
        default: return false
        }
    }

    /// Reads YYYY-MM-DD; nil for anything else and for days that do not exist.
    public init?(_ text: some StringProtocol) {
        var reader = DigitReader(text.utf8)
        guard let day = CivilDay(&reader), reader.isAtEnd else { return nil }
        self = day
    }

    init?(_ reader: inout DigitReader<some Sequence<UInt8>>) {
        guard let year = reader.number(of: 4), reader.take(UInt8(ascii: "-")), let month = reader.number(of: 2),
            reader.take(UInt8(ascii: "-")), let day = reader.number(of: 2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    public var components: (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The instant at which the day starts in UTC.
    public var start: Timestamp { Timestamp(milliseconds: daysSince1970 * Timestamp.millisecondsPerDay) }

    /// The following day; for the last day, the day itself.
    public var next: CivilDay { CivilDay(daysSince1970: daysSince1970 + 1) }

    public static func < (left: CivilDay, right: CivilDay) -> Bool { left.daysSince1970 < right.daysSince1970 }

    /// `2026-11-21`
    public var description: String {
        var text: [UInt8] = []
        appendDescription(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    func appendDescription(to text: inout [UInt8]) {
        let (year, month, day) = components
        appendDigits(year, count: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDigits(month, count: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDigits(day, count: 2, to: &text)
    }
}
