/// A regular expression with the syntax and the meaning of Java's `java.util.regex`, which WireMock's mappings use.
///
/// It is compiled once and matches any number of texts. A match spends steps of a budget, so that a catastrophic
/// pattern ends with an error instead of occupying a thread. Text is compared by Unicode scalars, as in Java.
///
/// The following are refused with a message: `\X`, `\b{g}`, `\N{…}`, and scripts and blocks that ``ScalarProperty``
/// does not list.
package struct RegularExpression: Sendable {
    package let pattern: String
    let program: RegexProgram

    /// The scalars that `.` matches unless the pattern changes them with `(?s)` or `(?-s)`.
    package enum Dot: Sendable {
        case anyScalar
        case anyButLineBreaks
    }

    /// The maximum length of a pattern in UTF-8 bytes.
    package static let maximumLength = 16_384
    /// The maximum nesting depth of groups, and of character classes.
    package static let maximumDepth = 50
    /// The steps of one match: this number, and ``stepsPerByte`` for each byte of the text.
    package static let steps = 2_000_000
    package static let stepsPerByte = 8

    /// - Parameter dot: WireMock's matchers let `.` match line breaks; its template helpers do not.
    package init(_ pattern: String, dot: Dot = .anyScalar) throws(SyntaxError) {
        self.pattern = pattern
        var parser = try RegexParser(pattern, dot: dot)
        let tree = try parser.parse()
        var compiler = RegexCompiler(sets: parser.sets)
        program = compiler.compile(tree, groups: parser.groupCount, names: parser.groupNames)
    }

    /// The names of the groups, with their numbers.
    package var groupNames: [String: Int] { program.groupNames }

    /// Whether the whole text matches.
    package func matches(_ text: String) throws(StepLimitExceeded) -> Bool {
        try search(text, .whole, from: 0) != nil
    }

    /// Whether the whole text matches, at the expense of a budget that several matches share.
    func matches(_ text: String, spending steps: inout Int) throws(StepLimitExceeded) -> Bool {
        try search(text, .whole, from: 0, &steps) != nil
    }

    /// The leftmost match in the text.
    package func firstMatch(in text: String) throws(StepLimitExceeded) -> Match? {
        guard let registers = try search(text, .leftmost, from: 0) else { return nil }
        return match(registers, in: text)
    }

    /// The leftmost match in the text, at the expense of a budget that several matches share.
    func firstMatch(in text: String, spending steps: inout Int) throws(StepLimitExceeded) -> Match? {
        guard let registers = try search(text, .leftmost, from: 0, &steps) else { return nil }
        return match(registers, in: text)
    }

    /// All matches from left to right, without overlaps. After an empty match, the search continues at the next scalar.
    ///
    /// - Parameter limit: At most this number of matches are returned.
    package func allMatches(in text: String, limit: Int = .max) throws(StepLimitExceeded) -> [Match] {
        var matches: [Match] = []
        var start = 0
        let end = text.utf8.count
        var budget = budget(for: text)
        while start <= end, matches.count < limit {
            guard let registers = try search(text, .leftmost, from: start, &budget) else { break }
            let match = match(registers, in: text)
            matches.append(match)
            start =
                match.range.isEmpty ? Self.scalarEnd(after: match.range.upperBound, in: text) : match.range.upperBound
        }
        return matches
    }

    private static func scalarEnd(after offset: Int, in text: String) -> Int {
        let scalars = text.unicodeScalars
        let index = text.utf8.index(text.startIndex, offsetBy: offset)
        guard index < scalars.endIndex else { return offset + 1 }
        return text.utf8.distance(from: text.startIndex, to: scalars.index(after: index))
    }

    private func budget(for text: String) -> Int {
        let (scaled, overflow) = text.utf8.count.multipliedReportingOverflow(by: Self.stepsPerByte)
        return overflow ? Int.max : Self.steps.addingReportingOverflow(scaled).partialValue
    }

    private func search(
        _ text: String,
        _ anchoring: Backtracker.Anchoring,
        from start: Int
    ) throws(StepLimitExceeded) -> [Int]? {
        var budget = budget(for: text)
        return try search(text, anchoring, from: start, &budget)
    }

    private func search(
        _ text: String,
        _ anchoring: Backtracker.Anchoring,
        from start: Int,
        _ budget: inout Int
    ) throws(StepLimitExceeded) -> [Int]? {
        var text = text
        let result = text.withUTF8 { bytes in
            program.withBuffers { program in
                var backtracker = Backtracker(program, bytes, budget: budget)
                let outcome = backtracker.search(anchoring, from: start)
                budget = backtracker.budget
                return outcome
            }
        }
        switch result {
        case .match(let registers): return registers
        case .noMatch: return nil
        case .stepLimitExceeded: throw StepLimitExceeded(pattern: pattern)
        }
    }

    private func match(_ registers: [Int], in text: String) -> Match {
        let bytes = text.utf8
        let ranges = (0...program.groupCount).map { group -> Range<Int>? in
            let (start, end) = (registers[group * 2], registers[group * 2 + 1])
            return start >= 0 && end >= start ? start..<end : nil
        }
        let groups = ranges.map { range -> String? in
            guard let range else { return nil }
            let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
            return String(text[start..<bytes.index(start, offsetBy: range.count)])
        }
        return Match(range: (ranges.first ?? nil) ?? 0..<0, groups: groups)
    }

    /// A match in a text.
    package struct Match: Sendable, Hashable {
        /// Offsets in the text's UTF-8 bytes.
        package let range: Range<Int>
        /// The text of each group; the first is the whole match. Nil for a group that took no part.
        package let groups: [String?]

        package var text: String { (groups.first ?? nil) ?? "" }
    }

    /// A pattern that is not a regular expression.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The position of the error in Unicode scalars, from 0.
        package let position: Int
        /// The problem, and what to write instead.
        package let message: String

        package var description: String { "at character \(position + 1): \(message)" }
    }

    /// A match that exceeded its budget.
    package struct StepLimitExceeded: Error, Hashable, Sendable, CustomStringConvertible {
        package let pattern: String

        package var description: String {
            "the regular expression '\(pattern)' takes too many steps for this text; avoid nested repetitions such as (a+)+."
        }
    }
}
