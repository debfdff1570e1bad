import LinkRouting

/// A local date and time with its offset from UTC.
struct Moment: Sendable {
    /// Milliseconds since 1970-01-01T00:00 of the local clock.
    private(set) var local: Int64
    private let offset: Int64

    init(local: Int64, offset: Int64 = 0) {
        self.local = local
        self.offset = offset
    }

    /// Milliseconds since 1970-01-01T00:00Z.
    var instant: Int64 { local - offset }

    /// Reads `2021-05-01T10:00:00Z`, with an offset, without one, without seconds, without a time, and
    /// `Sat, 01 May 2021 10:00:00 GMT`.
    init?(_ text: String) {
        let text = text.trimmingBlanks
        if let day = CivilDay(text) {
            self.init(local: day.start.milliseconds)
        } else if let moment = Self.rfc3339(text) ?? Self.httpDate(text) {
            self = moment
        } else {
            return nil
        }
    }

    private static func rfc3339(_ text: String) -> Moment? {
        // Java also writes the zone's name behind the offset: 2021-05-01T10:00+02:00[Europe/Berlin].
        let text = String(text.prefix { $0 != "[" })
        guard text.utf8.count > 15, let time = text.firstIndex(where: { $0 == "T" || $0 == "t" }) else { return nil }
        let clock = text[time...]
        let zoneStart = clock.dropFirst().firstIndex { "Zz+-".contains($0) } ?? text.endIndex
        var localText = String(text[..<zoneStart])
        if text[time..<zoneStart].utf8.count == 6 { localText += ":00" }
        guard let local = Timestamp(localText + "Z") else { return nil }
        guard zoneStart < text.endIndex else { return Moment(local: local.milliseconds) }
        guard let zoned = Timestamp(localText + text[zoneStart...]) else { return nil }
        return Moment(local: local.milliseconds, offset: local.milliseconds - zoned.milliseconds)
    }

    private static func httpDate(_ text: String) -> Moment? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(of: words[2].lowercased()), let day = Int64(words[1]),
            let year = Int64(words[3]), let date = CivilDay(year: year, month: Int64(month) + 1, day: day),
            let time = Timestamp("\(date)T\(words[4])Z")
        else { return nil }
        return Moment(local: time.milliseconds)
    }

    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private var day: CivilDay { Timestamp(milliseconds: local).day }

    func adding(_ amount: Int64, _ unit: CalendarUnit) -> Moment {
        switch unit {
        case .seconds: moved(by: amount * 1_000)
        case .minutes: moved(by: amount * 60_000)
        case .hours: moved(by: amount * 3_600_000)
        case .days: moved(by: amount * Timestamp.millisecondsPerDay)
        case .months: movedByMonths(amount)
        case .years: movedByMonths(amount * 12)
        }
    }

    private func moved(by milliseconds: Int64) -> Moment {
        Moment(local: Timestamp(milliseconds: local + milliseconds).milliseconds, offset: offset)
    }

    /// The same day of another month, or that month's last day.
    private func movedByMonths(_ amount: Int64) -> Moment {
        let (year, month, day) = self.day.components
        let count = year * 12 + (month - 1) + amount
        let newYear = min(max(count / 12, 1), 9_999)
        let newMonth = (count % 12 + 12) % 12 + 1
        let date = (0...3).lazy.compactMap { CivilDay(year: newYear, month: newMonth, day: max(1, day - $0)) }.first
        guard let date else { return self }
        return Moment(local: local - self.day.start.milliseconds + date.start.milliseconds, offset: offset)
    }

    mutating func truncate(_ truncation: Truncation) {
        let (year, month, _) = day.components
        func midnight(_ year: Int64, _ month: Int64, plus days: Int64 = 0) -> Int64 {
            let first = CivilDay(year: min(year, 9_999), month: month, day: 1) ?? .last
            return CivilDay(daysSince1970: first.daysSince1970 + days).start.milliseconds
        }
        let nextMonth = month == 12 ? (year + 1, 1) : (year, month + 1)
        let clock = local - day.start.milliseconds
        local =
            switch truncation {
            case .firstSecondOfMinute: local - clock % 60_000
            case .firstMinuteOfHour: local - clock % 3_600_000
            case .firstHourOfDay: local - clock
            case .firstDayOfMonth: midnight(year, month)
            case .firstDayOfNextMonth: midnight(nextMonth.0, nextMonth.1)
            case .lastDayOfMonth: midnight(nextMonth.0, nextMonth.1, plus: -1)
            case .firstDayOfYear: midnight(year, 1)
            case .firstDayOfNextYear: midnight(year + 1, 1)
            case .lastDayOfYear: midnight(year + 1, 1, plus: -1)
            }
    }
}

/// A format of `actualFormat`: `unix` (seconds), `epoch` (milliseconds), or a pattern of the letters y, M, d, H, m, s, S
/// and Z, such as `dd/MM/yyyy`.
struct DateFormat: Sendable {
    private enum Piece: Sendable {
        case number(UInt8, count: Int)
        case offset
        case literal(UInt8)
    }

    private let pieces: [Piece]
    private let unit: Int64?

    init?(_ pattern: String) {
        switch pattern.lowercased() {
        case "unix": (pieces, unit) = ([], 1_000)
        case "epoch": (pieces, unit) = ([], 1)
        default:
            guard let pieces = Self.pieces(pattern) else { return nil }
            (self.pieces, unit) = (pieces, nil)
        }
    }

    private static func pieces(_ pattern: String) -> [Piece]? {
        var pieces: [Piece] = []
        var isQuoted = false
        var rest = Array(pattern.utf8.prefix(200))[...]
        while let letter = rest.first {
            let run = rest.prefix { $0 == letter }.count
            switch letter {
            case UInt8(ascii: "'"):
                isQuoted.toggle()
                rest = rest.dropFirst()
                continue
            case _ where isQuoted:
                pieces.append(.literal(letter))
                rest = rest.dropFirst()
                continue
            case UInt8(ascii: "y"), UInt8(ascii: "u"): pieces.append(.number(UInt8(ascii: "y"), count: run))
            case UInt8(ascii: "M"), UInt8(ascii: "d"), UInt8(ascii: "H"), UInt8(ascii: "m"), UInt8(ascii: "s"),
                UInt8(ascii: "S"):
                pieces.append(.number(letter, count: run))
            case UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x"): pieces.append(.offset)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return nil
            default: pieces.append(contentsOf: repeatElement(.literal(letter), count: run))
            }
            rest = rest.dropFirst(run)
        }
        return pieces
    }

    func parse(_ text: String) -> Moment? {
        if let unit {
            guard let number = Int64(text), number.magnitude < 400_000_000_000_000 else { return nil }
            let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit)
            return overflow ? nil : Moment(local: Timestamp(milliseconds: milliseconds).milliseconds)
        }
        var fields: [UInt8: Int64] = [:]
        var offset = ""
        var rest = Array(text.utf8)[...]
        for piece in pieces {
            switch piece {
            case .literal(let byte):
                guard rest.popFirst() == byte else { return nil }
            case .offset:
                offset = String(decoding: rest.prefix { !$0.isBlank }, as: UTF8.self)
                rest = rest.dropFirst(offset.utf8.count)
            case .number(let letter, let count):
                let digits = rest.prefix(count == 1 ? 9 : max(count, letter == UInt8(ascii: "y") ? 4 : count))
                    .prefix { (0x30...0x39).contains($0) }
                guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
                fields[letter] = letter == UInt8(ascii: "y") && count == 2 ? 2_000 + number % 100 : number
                rest = rest.dropFirst(digits.count)
            }
        }
        guard rest.isEmpty else { return nil }
        return moment(fields, offset: offset)
    }

    private func moment(_ fields: [UInt8: Int64], offset: String) -> Moment? {
        func field(_ letter: Character, _ missing: Int64) -> Int64 { fields[letter.asciiValue ?? 0] ?? missing }
        guard let day = CivilDay(year: field("y", 1_970), month: field("M", 1), day: field("d", 1)),
            field("H", 0) < 24, field("m", 0) < 60, field("s", 0) < 60
        else { return nil }
        let clock = field("H", 0) * 3_600_000 + field("m", 0) * 60_000 + field("s", 0) * 1_000 + min(field("S", 0), 999)
        let local = day.start.milliseconds + clock
        guard !offset.isEmpty else { return Moment(local: local) }
        var zone = offset
        if zone.utf8.count == 5 { zone.insert(":", at: zone.index(zone.startIndex, offsetBy: 3)) }
        guard let zoned = Timestamp("2000-01-01T00:00:00\(zone)") else { return nil }
        return Moment(local: local, offset: 946_684_800_000 - zoned.milliseconds)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
