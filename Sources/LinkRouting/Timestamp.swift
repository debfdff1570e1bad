/// An instant in UTC, to the millisecond, as RFC 3339 writes it.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The UTC day.
    public var day: CivilDay { CivilDay(daysSince1970: milliseconds.flooredQuotient(by: Self.millisecondsPerDay)) }

    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Reads `2026-11-21T10:00:00.123Z` or with an offset `+01:00`; nil for anything else. Fractions of one to nine digits
    /// are cut to milliseconds; a leap second (`:60`) is not an instant here.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 35, let day = CivilDay(String(decoding: bytes[0..<10], as: UTF8.self)),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = twoDigits(bytes, at: 11), let minute = twoDigits(bytes, at: 14),
            let second = twoDigits(bytes, at: 17),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            var digits: Int64 = 0
            index += 1
            while index < bytes.count, let digit = digitValue(bytes[index]) {
                digits += 1
                if digits <= 3 { fraction = fraction * 10 + digit }
                index += 1
            }
            guard (1...9).contains(digits) else { return nil }
            for _ in 0..<max(0, 3 - digits) { fraction *= 10 }
        }
        var offset: Int64 = 0
        switch bytes.count - index {
        case 1:
            guard bytes[index] | 0x20 == UInt8(ascii: "z") else { return nil }
        case 6:
            guard bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-"),
                bytes[index + 3] == UInt8(ascii: ":"), let hours = twoDigits(bytes, at: index + 1),
                let minutes = twoDigits(bytes, at: index + 4), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -60 : 60)
        default:
            return nil
        }
        let seconds = day.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
        milliseconds = seconds * 1_000 + fraction
    }

    /// `2026-11-21T10:00:00.000Z`
    public var description: String {
        let time = milliseconds.flooredRemainder(by: Self.millisecondsPerDay)
        var text = Array(day.description.utf8)
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
}

/// A day of the proleptic Gregorian calendar.
public struct CivilDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let daysSince1970: Int64

    public init(daysSince1970: Int64) { self.daysSince1970 = daysSince1970 }

    /// Nil unless the day exists; years 1 to 9999.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (1...9_999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
        // Howard Hinnant's days_from_civil: years start in March, so that the leap day comes last.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        daysSince1970 = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Reads YYYY-MM-DD.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let century = twoDigits(bytes, at: 0), let year = twoDigits(bytes, at: 2),
            let month = twoDigits(bytes, at: 5), let day = twoDigits(bytes, at: 8)
        else { return nil }
        self.init(year: century * 100 + year, month: month, day: day)
    }

    public var components: (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSince1970 + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The instant at which the day starts in UTC.
    public var start: Timestamp { Timestamp(milliseconds: daysSince1970 * Timestamp.millisecondsPerDay) }

    public var next: CivilDay { CivilDay(daysSince1970: daysSince1970 + 1) }

    public static func < (left: CivilDay, right: CivilDay) -> Bool { left.daysSince1970 < right.daysSince1970 }

    /// `2026-11-21`
    public var description: String {
        let (year, month, day) = components
        var text: [UInt8] = []
        appendDigits(year, count: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDigits(month, count: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDigits(day, count: 2, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

private func digitValue(_ byte: UInt8) -> Int64? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
}

private func twoDigits(_ bytes: [UInt8], at index: Int) -> Int64? {
    guard let tens = digitValue(bytes[index]), let ones = digitValue(bytes[index + 1]) else { return nil }
    return tens * 10 + ones
}

private func appendDigits(_ number: Int64, count: Int, to text: inout [UInt8]) {
    var digits: [UInt8] = []
    var rest = number
    for _ in 0..<count {
        digits.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
    }
    text.append(contentsOf: digits.reversed())
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    fileprivate func flooredRemainder(by divisor: Int64) -> Int64 { self - flooredQuotient(by: divisor) * divisor }
}
