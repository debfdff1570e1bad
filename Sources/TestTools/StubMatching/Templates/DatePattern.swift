import LinkRouting

/// A subset of Java's date patterns, such as `yyyy-MM-dd'T'HH:mm:ssZ`, for writing and reading.
struct DatePattern {
    private let items: [Item]

    private enum Item {
        case literal(String)
        case field(Unicode.Scalar, count: Int)
    }

    /// The letters of the fields.
    private static let letters = "GyYuMLdDEaHhKkmsSZzXwWF"

    /// Nil for a pattern with an unknown letter or an open quote.
    init?(_ text: String) {
        var items: [Item] = []
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if scalar == "'" {
                guard let literal = Self.quoted(&scalars) else { return nil }
                items.append(.literal(literal))
            } else if scalar.value.isASCIILetter {
                guard Self.letters.unicodeScalars.contains(scalar) else { return nil }
                let more = scalars.prefix { $0 == scalar }.count
                scalars.removeFirst(more)
                items.append(.field(scalar, count: more + 1))
            } else {
                items.append(.literal(String(scalar)))
            }
        }
        self.items = items
    }

    /// Reads a literal after its opening quote. Two quotes are one.
    private static func quoted(_ scalars: inout ArraySlice<Unicode.Scalar>) -> String? {
        if scalars.first == "'" {
            scalars.removeFirst()
            return "'"
        }
        var text = ""
        while let scalar = scalars.popFirst() {
            guard scalar == "'" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            guard scalars.first == "'" else { return text }
            scalars.removeFirst()
            text += "'"
        }
        return nil
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    // MARK: Writing

    func text(_ date: TemplateDate) -> String {
        let fields = date.fields
        return items.map { item in
            switch item {
            case .literal(let text): text
            case .field(let letter, let count): Self.text(letter, count, fields, date)
            }
        }.joined()
    }

    private static func text(
        _ letter: Unicode.Scalar,
        _ count: Int,
        _ fields: TemplateDate.Fields,
        _ date: TemplateDate
    ) -> String {
        let day = date.local.day
        // 1970-01-01 was a Thursday; 0 is Monday.
        let weekday = ((day.daysSince1970 + 3) % 7 + 7) % 7
        let dayOfYear = day.daysSince1970 - (CivilDay(year: fields.year, month: 1, day: 1)?.daysSince1970 ?? 0) + 1
        switch letter {
        case "G": return "AD"
        case "y", "Y": return count == 2 ? padded(fields.year % 100, 2) : padded(fields.year, count)
        case "M", "L":
            let name = months[Int(fields.month) - 1]
            return count >= 4 ? name : count == 3 ? String(name.prefix(3)) : padded(fields.month, count)
        case "d": return padded(fields.day, count)
        case "D": return padded(dayOfYear, count)
        case "E": return count >= 4 ? days[Int(weekday)] : String(days[Int(weekday)].prefix(3))
        case "u": return padded(weekday + 1, count)
        case "a": return fields.hour < 12 ? "AM" : "PM"
        case "H": return padded(fields.hour, count)
        case "k": return padded(fields.hour == 0 ? 24 : fields.hour, count)
        case "K": return padded(fields.hour % 12, count)
        case "h": return padded(fields.hour % 12 == 0 ? 12 : fields.hour % 12, count)
        case "m": return padded(fields.minute, count)
        case "s": return padded(fields.second, count)
        case "S": return padded(fields.millisecond, count)
        case "z": return date.zone
        case "Z": return TemplateDate.offsetText(date.offset, separator: "")
        case "X": return date.offset == 0 ? "Z" : offset(date.offset, count)
        case "w": return padded((dayOfYear - 1 + firstSundayShift(weekday, dayOfYear)) / 7 + 1, count)
        case "W": return padded((fields.day - 1 + firstSundayShift(weekday, fields.day)) / 7 + 1, count)
        case "F": return padded((fields.day - 1) / 7 + 1, count)
        default: return ""
        }
    }

    /// The days of the first week (which starts on a Sunday) before the first day of the period.
    private static func firstSundayShift(_ weekday: Int64, _ day: Int64) -> Int64 {
        let sundayBased = (weekday + 1) % 7
        return ((sundayBased - (day - 1)) % 7 + 7) % 7
    }

    private static func offset(_ seconds: Int, _ count: Int) -> String {
        let text = TemplateDate.offsetText(seconds, separator: count >= 3 ? ":" : "")
        return count == 1 ? String(text.prefix(3)) : text
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        // A field never needs more zeros than a line has columns.
        return String(repeating: "0", count: max(0, min(count, 80) - digits.count)) + digits
    }

    // MARK: Reading

    /// Reads a date. Fields that the pattern lacks are those of 1970-01-01T00:00:00Z. Nil if the text does not fit.
    func date(_ text: String) -> TemplateDate? {
        var reader = DateReader(text)
        var fields = TemplateDate.Fields(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0)
        var isAfternoon: Bool?
        var offset = 0
        for (index, item) in items.enumerated() {
            switch item {
            case .literal(let literal): guard reader.take(literal) else { return nil }
            case .field(let letter, let count):
                switch letter {
                case "a": isAfternoon = reader.take("PM") ? true : reader.take("AM") ? false : nil
                case "Z", "X", "z":
                    guard let seconds = reader.offset() else { return nil }
                    offset = seconds
                case "E": guard reader.name(Self.days) != nil else { return nil }
                case "M" where count >= 3, "L" where count >= 3:
                    guard let month = reader.name(Self.months) else { return nil }
                    fields.month = Int64(month) + 1
                default:
                    // A number has a fixed width if another number follows directly.
                    let isFollowed = items.indices.contains(index + 1) && Self.isNumber(items[index + 1])
                    guard let number = reader.number(atMost: isFollowed ? count : 19) else { return nil }
                    guard Self.set(letter, count, number, &fields) else { return nil }
                }
            }
        }
        if let isAfternoon { fields.hour = fields.hour % 12 + (isAfternoon ? 12 : 0) }
        guard reader.isAtEnd, let local = fields.instant else { return nil }
        let zone = offset == 0 ? "UTC" : "GMT" + TemplateDate.offsetText(offset, separator: ":")
        return TemplateDate(
            Timestamp(milliseconds: local.milliseconds - Int64(offset) * 1_000),
            offset: offset,
            zone: zone
        )
    }

    private static func isNumber(_ item: Item) -> Bool {
        guard case .field(let letter, let count) = item else { return false }
        return !"aZXzEG".unicodeScalars.contains(letter) && !(letter == "M" && count >= 3)
    }

    /// Stores a number that was read. Returns false if the field cannot have this value.
    private static func set(
        _ letter: Unicode.Scalar,
        _ count: Int,
        _ number: Int64,
        _ fields: inout TemplateDate.Fields
    ) -> Bool {
        switch letter {
        case "y", "u", "Y": fields.year = count == 2 && number < 100 ? 2_000 + number : number
        case "M", "L": fields.month = number
        case "d": fields.day = number
        case "H", "k", "h", "K":
            guard (0...24).contains(number) else { return false }
            fields.hour = number % 24
        case "m", "s":
            guard (0..<60).contains(number) else { return false }
            if letter == "m" { fields.minute = number } else { fields.second = number }
        case "S":
            guard (0..<1_000).contains(number) else { return false }
            fields.millisecond = number
        default: break
        }
        return true
    }
}

/// Reads the parts of a date.
private struct DateReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    mutating func number(atMost count: Int) -> Int64? {
        let digits = rest.prefix(count).prefix { $0.isASCII && $0.isNumber }
        rest.removeFirst(digits.count)
        return Int64(digits)
    }

    /// Reads a name or its first three letters, and returns its index.
    mutating func name(_ names: [String]) -> Int? {
        let word = rest.prefix { $0.isLetter }
        guard let index = names.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else { return nil }
        rest.removeFirst(word.count)
        return index
    }

    /// Reads `Z`, `UTC`, `GMT`, `+02:00`, `+0200` or `+02`, in seconds.
    mutating func offset() -> Int? {
        if take("Z") || take("UTC") || take("GMT") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = number(atMost: 2), hours < 24 else { return nil }
        _ = take(":")
        let minutes = number(atMost: 2) ?? 0
        guard minutes < 60 else { return nil }
        return Int(hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
    }
}
