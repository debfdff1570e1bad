import LinkRouting

/// Compares a date and time with a fixed one, or with one relative to now.
///
/// A date without an offset is taken as UTC, and one without a time as midnight.
package struct DateMatcher: Sendable {
    package enum Comparison: String, Sendable {
        case before, after, equalToDateTime
    }

    package let comparison: Comparison
    /// The expectation as mappings and comparisons write it, such as `now +3 days`.
    package let expectation: String
    let json: JSONNode
    private let expected: Expected
    private let truncateExpected: Truncation?
    private let truncateActual: Truncation?
    private let actualFormat: DateFormat?

    private enum Expected: Sendable {
        case moment(Moment)
        case offset(Int64, CalendarUnit)
    }

    static let options: Set<String> = [
        "expectedOffset", "expectedOffsetUnit", "truncateExpected", "truncateActual", "actualFormat",
    ]

    init(_ name: String, _ operand: MappingField, of field: MappingField) throws(MappingError) {
        guard let comparison = Comparison(rawValue: name), let text = operand.node.text else {
            throw field.error("the operand of \(name) must be a string.")
        }
        self.comparison = comparison
        truncateExpected = try Self.truncation("truncateExpected", of: field)
        truncateActual = try Self.truncation("truncateActual", of: field)
        actualFormat = try field["actualFormat"].map { format throws(MappingError) in
            let pattern = try format.text()
            guard let format = DateFormat(pattern) else {
                throw field.error("actualFormat '\(pattern)' is not a date format such as dd/MM/yyyy, unix or epoch.")
            }
            return format
        }
        var members = field.node.members ?? []
        if let offset = try Self.offset(text, field) {
            expected = .offset(offset.amount, offset.unit)
            expectation =
                text.lowercased() == "now" ? "now \(offset.amount < 0 ? "" : "+")\(offset.amount) \(offset.unit)" : text
            members.removeAll { ["expectedOffset", "expectedOffsetUnit"].contains($0.key) }
            members = members.map { [expectation] in $0.key == name ? JSONNode.Member(name, .string(expectation)) : $0 }
        } else {
            guard let moment = Moment(text) else {
                throw field.error("'\(text)' is not a date and time; write 2021-05-01T00:00:00Z or now +3 days.")
            }
            expected = .moment(moment)
            expectation = text
        }
        json = JSONNode(.object(members))
    }

    /// The offset of `now`, `now +3 days` or `-3 days`; nil for a fixed date.
    private static func offset(
        _ text: String,
        _ field: MappingField
    ) throws(MappingError) -> (amount: Int64, unit: CalendarUnit)? {
        var rest = text.trimmingBlanks
        if rest.lowercased().hasPrefix("now") { rest = rest.dropFirst(3).trimmingBlanks }
        if rest.isEmpty {
            let amount = try field["expectedOffset"]?.int(in: -1_000_000...1_000_000) ?? 0
            let name = try field["expectedOffsetUnit"]?.text() ?? "seconds"
            guard let unit = CalendarUnit(rawValue: name.lowercased()) else {
                throw field.error("'\(name)' is not a unit; write seconds, minutes, hours, days, months or years.")
            }
            return (Int64(amount), unit)
        }
        let words = rest.split(separator: " ")
        guard words.count == 2, let amount = Int64(words[0]), let unit = CalendarUnit(rawValue: words[1].lowercased())
        else {
            guard text.lowercased().hasPrefix("now") else { return nil }
            throw field.error("'\(text)' is not an offset; write, for example, now +3 days.")
        }
        guard (-1_000_000...1_000_000).contains(amount) else {
            throw field.error("the offset \(amount) is too large; write at most 1000000.")
        }
        return (amount, unit)
    }

    private static func truncation(_ name: String, of field: MappingField) throws(MappingError) -> Truncation? {
        guard let text = try field[name]?.text() else { return nil }
        guard let truncation = Truncation(rawValue: text.lowercased()) else {
            let known = Truncation.allCases.map(\.rawValue).joined(separator: ", ")
            throw field.error("\(name) '\(text)' is not one of: \(known).")
        }
        return truncation
    }

    func matches(_ text: String, at now: Timestamp) -> Bool {
        guard var actual = actualFormat.map({ $0.parse(text) }) ?? Moment(text) else { return false }
        if let truncateActual { actual.truncate(truncateActual) }
        var expectedMoment: Moment
        switch expected {
        case .moment(let moment): expectedMoment = moment
        case .offset(let amount, let unit): expectedMoment = Moment(local: now.milliseconds).adding(amount, unit)
        }
        if let truncateExpected { expectedMoment.truncate(truncateExpected) }
        return switch comparison {
        case .before: actual.instant < expectedMoment.instant
        case .after: actual.instant > expectedMoment.instant
        case .equalToDateTime: actual.instant == expectedMoment.instant
        }
    }
}

enum CalendarUnit: String, Sendable {
    case seconds, minutes, hours, days, months, years
}

enum Truncation: String, Sendable, CaseIterable {
    case firstSecondOfMinute = "first second of minute"
    case firstMinuteOfHour = "first minute of hour"
    case firstHourOfDay = "first hour of day"
    case firstDayOfMonth = "first day of month"
    case firstDayOfNextMonth = "first day of next month"
    case lastDayOfMonth = "last day of month"
    case firstDayOfYear = "first day of year"
    case firstDayOfNextYear = "first day of next year"
    case lastDayOfYear = "last day of year"
}
