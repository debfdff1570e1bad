/// The possible values of the query items of one name. Items with malformed escapes are ignored: they satisfy only
/// `present`, and nobody writes them on purpose.
struct QuerySpace {
    var mayBeAbsent = true
    var mayBePresent = true
    /// Tests that every present item must pass.
    private var tests: [QueryCondition.Test] = []

    /// Whether no value and no absence is left.
    var isEmpty: Bool { !mayBeAbsent && !canBePresent }

    private var canBePresent: Bool {
        guard mayBePresent else { return false }
        if let values = acceptedValues { return !values.isEmpty }
        return !tests.contains { test in
            guard case .capture(let parameter, _) = test else { return false }
            return parameter.type.isNever(shortest: 0)
        }
    }

    mutating func narrow(to test: QueryCondition.Test) {
        switch test {
        case .absent: mayBePresent = false
        case .present: mayBeAbsent = false
        case .oneOf, .capture(_, .required):
            mayBeAbsent = false
            tests.append(test)
        case .capture: tests.append(test)
        }
    }

    func intersection(_ other: QuerySpace) -> QuerySpace {
        var both = self
        both.mayBeAbsent = mayBeAbsent && other.mayBeAbsent
        both.mayBePresent = mayBePresent && other.mayBePresent
        both.tests += other.tests
        return both
    }

    /// Returns what a condition leaves over and what it takes. Nil when it is not proved to take either all values or
    /// the absence.
    func subtracting(_ test: QueryCondition.Test) -> (rest: QuerySpace?, common: QuerySpace)? {
        let takesAbsent: Bool
        let takesPresent: Bool
        switch test {
        case .present: (takesAbsent, takesPresent) = (false, true)
        case .absent: (takesAbsent, takesPresent) = (true, false)
        case .oneOf, .capture(_, .required): (takesAbsent, takesPresent) = (false, isTaken(by: test))
        case .capture: (takesAbsent, takesPresent) = (true, isTaken(by: test))
        }
        var (rest, common) = (self, self)
        rest.mayBeAbsent = mayBeAbsent && !takesAbsent
        rest.mayBePresent = mayBePresent && !takesPresent
        common.mayBeAbsent = mayBeAbsent && takesAbsent
        common.mayBePresent = mayBePresent && takesPresent
        return common.isEmpty ? nil : (rest.isEmpty ? nil : rest, common)
    }

    /// Whether the condition holds for all values that the tests accept.
    private func isTaken(by test: QueryCondition.Test) -> Bool {
        if let values = acceptedValues { return Self.values(values, acceptedBy: test).count == values.count }
        guard case .capture(let parameter, _) = test else { return false }
        return parameter.type == .plain
            || tests.contains { own in
                guard case .capture(let part, _) = own else { return false }
                return parameter.type.takesAll(of: part.type, shortest: 0)
            }
    }

    private var listedValues: ListedValues? {
        for test in tests {
            switch test {
            case .oneOf(let values): return values
            case .capture(let parameter, _):
                if let values = parameter.type.listedValues { return values }
                if parameter.type == .bool { return ["true", "false"] }
            case .present, .absent: continue
            }
        }
        return nil
    }

    /// The listed values that all tests accept; nil if no test lists values.
    private var acceptedValues: [String]? {
        listedValues.map { tests.reduce($0.texts) { Self.values($0, acceptedBy: $1) } }
    }

    private static func values(_ values: [String], acceptedBy test: QueryCondition.Test) -> [String] {
        guard let others = test.listedValues else { return values.filter { accepts($0, test) } }
        return values.filter(others.containsExactly)
    }

    private func accepts(_ value: String) -> Bool { tests.allSatisfy { Self.accepts(value, $0) } }

    private static func accepts(_ value: String, _ test: QueryCondition.Test) -> Bool {
        switch test {
        case .present: true
        case .absent: false
        case .oneOf(let values): values.containsExactly(value)
        case .capture(let parameter, _): parameter.type.accepts(Array(value.utf8)[...])
        }
    }

    /// A sample of the item: a value or its absence. `sample(_:)` prefers absence and returns nil when no sample is
    /// known.
    enum Sample {
        case absent
        case value(String)
    }

    func sample(_ number: Int) -> Sample? {
        if mayBeAbsent { return .absent }
        guard mayBePresent else { return nil }
        if let values = acceptedValues {
            return values.isEmpty ? nil : .value(values[number % values.count])
        }
        let types = tests.compactMap { test in
            if case .capture(let parameter, _) = test { parameter.type } else { nil }
        }
        // Prefers a value that has no type: `1` would be a page, an id and a word at the same time.
        let texts = types.isEmpty ? [Array("~".utf8)] : types.flatMap { $0.samples(shortest: 0) }
        let values = texts.map { String(decoding: $0, as: UTF8.self) }.filter(accepts)
        return values.isEmpty ? nil : .value(values[number % values.count])
    }
}
