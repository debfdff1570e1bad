/// An instant in UTC with millisecond precision, in the years 1 to 9999 (the range of RFC 3339). Its texts sort
/// chronologically.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let milliseconds: Int64

    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Clamps to the years 1 to 9999.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    /// Parses `2026-11-21T10:00:00.123Z`, or with an offset such as `+01:00`; nil for anything else.
    ///
    /// Fractions of one to nine digits are truncated to milliseconds. A leap second, which RFC 3339 allows at 23:59:60
    /// UTC on the last day of June or December, becomes the last millisecond before midnight.
    public init?(_ text: some StringProtocol) {
        var reader = DigitReader(text.utf8)
        guard let day = CivilDay(&reader),
            reader.take(UInt8(ascii: "T")) || reader.take(UInt8(ascii: "t")),
            let hour = reader.number(of: 2), hour < 24, reader.take(UInt8(ascii: ":")),
            let minute = reader.number(of: 2), minute < 60, reader.take(UInt8(ascii: ":")),
            let second = reader.number(of: 2), second <= 60,
            let fraction = Self.fraction(&reader), let offset = Self.offset(&reader), reader.isAtEnd
        else { return nil }
        let minutes = hour * 60 + minute - offset
        let start = day.daysSince1970 * Self.millisecondsPerDay + minutes * 60_000
        let instant = Timestamp(milliseconds: start + (second == 60 ? 59_999 : second * 1_000 + fraction))
        if second == 60 {
            let (_, month, day) = instant.day.components
            guard instant.millisecondOfDay == Self.millisecondsPerDay - 1,
                (month, day) == (6, 30) || (month, day) == (12, 31)
            else { return nil }
        }
        // An offset may move the instant out of the valid years.
        guard instant.milliseconds >= start, instant.milliseconds - start < 60_000 else { return nil }
        self = instant
    }

    /// The UTC day.
    public var day: CivilDay {
        CivilDay(daysSince1970: (milliseconds - millisecondOfDay) / Self.millisecondsPerDay)
    }

    /// Milliseconds since the start of the UTC day: 0..<86,400,000.
    private var millisecondOfDay: Int64 {
        let remainder = milliseconds % Self.millisecondsPerDay
        return remainder < 0 ? remainder + Self.millisecondsPerDay : remainder
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// `2026-11-21T10:00:00.000Z`
    public var description: String {
        let time = millisecondOfDay
        var text: [UInt8] = []
        text.reserveCapacity(24)
        day.appendDescription(to: &text)
        text.append(UInt8(ascii: "T"))
        appendDigits(time / 3_600_000, count: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDigits(time / 60_000 % 60, count: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDigits(time / 1_000 % 60, count: 2, to: &text)
        text.append(UInt8(ascii: "."))
        appendDigits(time % 1_000, count: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a fraction in milliseconds; 0 without a fraction, nil for no digits or more than nine.
    private static func fraction(_ reader: inout DigitReader<some Sequence<UInt8>>) -> Int64? {
        guard reader.take(UInt8(ascii: ".")) else { return 0 }
        var (milliseconds, digits) = (Int64(0), 0)
        while let digit = reader.digit() {
            digits += 1
            guard digits <= 9 else { return nil }
            if digits <= 3 { milliseconds = milliseconds * 10 + digit }
        }
        switch digits {
        case 0: return nil
        case 1: return milliseconds * 100
        case 2: return milliseconds * 10
        default: return milliseconds
        }
    }

    /// Reads an offset in minutes; nil when there is neither `Z` nor an offset.
    private static func offset(_ reader: inout DigitReader<some Sequence<UInt8>>) -> Int64? {
        if reader.take(UInt8(ascii: "Z")) || reader.take(UInt8(ascii: "z")) { return 0 }
        let isNegative = reader.take(UInt8(ascii: "-"))
        guard isNegative || reader.take(UInt8(ascii: "+")), let hours = reader.number(of: 2), hours < 24,
            reader.take(UInt8(ascii: ":")), let minutes = reader.number(of: 2), minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }
}
