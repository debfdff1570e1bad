import LinkRouting

/// One comparison of an expected with an actual value. Its recursion is bounded by the depth of the documents.
struct JSONComparison {
    let options: JSONEquality.Options
    private var steps: Int

    init(options: JSONEquality.Options, steps: Int) {
        self.options = options
        self.steps = steps
    }

    private mutating func spend(_ count: Int = 1) throws(JSONEquality.StepLimitExceeded) {
        steps -= count
        if steps < 0 { throw JSONEquality.StepLimitExceeded() }
    }

    // MARK: Equality

    mutating func areEqual(_ expected: ExpectedJSON, _ actual: JSONNode) throws(JSONEquality.StepLimitExceeded) -> Bool
    {
        try spend()
        switch (expected.value, actual.value) {
        case (.array(let expected), .array(let actual)):
            guard expected.count <= actual.count else { return false }
            guard expected.count == actual.count || options.contains(.ignoresExtraElements) else { return false }
            if options.contains(.ignoresArrayOrder) { return try pairs(expected, actual).count == expected.count }
            for (expected, actual) in zip(expected, actual) where try !areEqual(expected, actual) { return false }
            return true
        case (.object(let expected), .object(let members)):
            let actual = Self.dictionary(members)
            try spend(actual.count)
            if !options.contains(.ignoresExtraElements), actual.keys.contains(where: { expected[$0] == nil }) {
                return false
            }
            for (key, expected) in expected {
                if let value = actual[key] {
                    if try !areEqual(expected, value) { return false }
                } else if !Self.mayBeMissing(expected) {
                    return false
                }
            }
            return true
        default: return try isEqualScalar(expected, actual)
        }
    }

    /// A repeated key has its last value.
    private static func dictionary(_ members: [JSONNode.Member]) -> [ExactText: JSONNode] {
        Dictionary(members.map { (ExactText($0.key), $0.value) }) { $1 }
    }

    private static func mayBeMissing(_ expected: ExpectedJSON) -> Bool {
        if case .placeholder(.anythingOrMissing) = expected.value { true } else { false }
    }

    /// Compares all values besides two lists or two objects.
    private mutating func isEqualScalar(
        _ expected: ExpectedJSON,
        _ actual: JSONNode
    ) throws(JSONEquality.StepLimitExceeded) -> Bool {
        switch (expected.value, actual.value) {
        case (.number(let lexeme, let number), .number(let other)):
            return Self.areEqual(lexeme, number, other)
        case (.scalar(let expected), _): return expected == actual
        case (.placeholder(let placeholder), _):
            switch (placeholder, actual.value) {
            case (.anything, _), (.anythingOrMissing, _): return true
            case (.anyString, .string), (.anyNumber, .number), (.anyBoolean, .bool): return true
            case (.pattern(let pattern), .string(let text)):
                do throws(RegularExpression.StepLimitExceeded) {
                    return try pattern.matches(text, spending: &steps)
                } catch {
                    throw JSONEquality.StepLimitExceeded()
                }
            default: return false
            }
        default: return false
        }
    }

    private static func areEqual(_ lexeme: String, _ number: DecimalNumber, _ other: String) -> Bool {
        if lexeme.isExactly(other) { return true }
        // Integers have one form only, besides -0. This is the frequent case.
        if lexeme.isPlainInteger, other.isPlainInteger { return false }
        return DecimalNumber(other) == number
    }

    // MARK: Lists without order

    /// Pairs of equal elements, as many as possible: for each expected element, the index of the actual one.
    private mutating func pairs(
        _ expected: [ExpectedJSON],
        _ actual: [JSONNode]
    ) throws(JSONEquality.StepLimitExceeded) -> [Int: Int] {
        var partner = [Int](repeating: -1, count: actual.count)
        var result: [Int: Int] = [:]
        for (index, element) in expected.enumerated() {
            // Most lists are in order.
            for offset in 0..<actual.count {
                let other = (index + offset) % actual.count
                guard partner[other] < 0, try areEqual(element, actual[other]) else { continue }
                partner[other] = index
                result[index] = other
                break
            }
        }
        // Without placeholders and extra elements, equal elements are interchangeable, and the first choice is the best.
        guard options.contains(.ignoresExtraElements) || expected.contains(where: \.hasPlaceholder) else {
            return result
        }
        for index in expected.indices where result[index] == nil {
            try exchange(from: index, expected, actual, &partner, &result)
        }
        return result
    }

    /// Finds a partner for an expected element by exchanging the partners of others (an augmenting path).
    private mutating func exchange(
        from start: Int,
        _ expected: [ExpectedJSON],
        _ actual: [JSONNode],
        _ partner: inout [Int],
        _ result: inout [Int: Int]
    ) throws(JSONEquality.StepLimitExceeded) {
        var previous = [Int](repeating: -1, count: actual.count)
        var waiting = [start]
        var next = 0
        while next < waiting.count {
            let index = waiting[next]
            next += 1
            for other in actual.indices where previous[other] < 0 {
                guard try areEqual(expected[index], actual[other]) else { continue }
                previous[other] = index
                guard partner[other] < 0 else {
                    waiting.append(partner[other])
                    continue
                }
                var free = other
                while free >= 0 {
                    let owner = previous[free]
                    let old = result[owner] ?? -1
                    partner[free] = owner
                    result[owner] = free
                    free = owner == start ? -1 : old
                }
                return
            }
        }
    }

    // MARK: Distance

    /// The size of all differing parts.
    mutating func differences(
        _ expected: ExpectedJSON,
        _ actual: JSONNode
    ) throws(JSONEquality.StepLimitExceeded) -> Int {
        try spend()
        switch (expected.value, actual.value) {
        case (.array(let expected), .array(let actual)):
            return try options.contains(.ignoresArrayOrder)
                ? unorderedDifferences(expected, actual) : orderedDifferences(expected, actual)
        case (.object(let expected), .object(let members)):
            let actual = Self.dictionary(members)
            try spend(actual.count)
            var count = 0
            for (key, expected) in expected {
                if let value = actual[key] {
                    count += try differences(expected, value)
                } else if !Self.mayBeMissing(expected) {
                    count += expected.size
                }
            }
            if !options.contains(.ignoresExtraElements) {
                for (key, value) in actual where expected[key] == nil { count += value.deepSize }
            }
            return count
        default:
            return try isEqualScalar(expected, actual) ? 0 : max(expected.size, actual.deepSize)
        }
    }

    private mutating func orderedDifferences(
        _ expected: [ExpectedJSON],
        _ actual: [JSONNode]
    ) throws(JSONEquality.StepLimitExceeded) -> Int {
        var count = 0
        for (expected, actual) in zip(expected, actual) { count += try differences(expected, actual) }
        count += expected.dropFirst(actual.count).reduce(0) { $0 + $1.size }
        if !options.contains(.ignoresExtraElements) {
            count += actual.dropFirst(expected.count).reduce(0) { $0 + $1.deepSize }
        }
        return count
    }

    private mutating func unorderedDifferences(
        _ expected: [ExpectedJSON],
        _ actual: [JSONNode]
    ) throws(JSONEquality.StepLimitExceeded) -> Int {
        let pairs = try pairs(expected, actual)
        let found = Set(pairs.values)
        let missing = expected.indices.filter { pairs[$0] == nil }
        let extra = actual.indices.filter { !found.contains($0) }
        if missing.count == 1, extra.count == 1 { return try differences(expected[missing[0]], actual[extra[0]]) }
        var count = missing.reduce(0) { $0 + expected[$1].size }
        if !options.contains(.ignoresExtraElements) { count += extra.reduce(0) { $0 + actual[$1].deepSize } }
        return count
    }
}

extension String {
    fileprivate var isPlainInteger: Bool { utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
