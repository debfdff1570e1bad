/// Character classes, such as `[a-z&&[^aeiou]]`.
extension RegexParser {
    /// The part of a class that is already read.
    private struct ClassBuilder {
        /// The union of all that is read, as operations; nil if there is nothing yet.
        var operations: [ScalarSet.Operation]?
        /// Ranges that are not yet part of the operations.
        var ranges: [ClosedRange<UInt32>] = []
        let folding: LetterFolding

        var isEmpty: Bool { operations == nil && ranges.isEmpty }

        mutating func add(_ others: [ScalarSet.Operation]) {
            operations = operations.map { $0 + others + [.union] } ?? others
        }

        mutating func addRanges() {
            guard !ranges.isEmpty else { return }
            add([.ranges(ScalarSet.normalized(ranges), folding)])
            ranges = []
        }
    }

    /// Reads a class; its opening bracket is next.
    mutating func characterClass() throws(RegularExpression.SyntaxError) -> [ScalarSet.Operation] {
        try nested { parser throws(RegularExpression.SyntaxError) in
            let start = parser.index
            parser.index += 1
            let operations = try parser.classContent(from: start)
            parser.index += 1
            return operations
        }
    }

    /// Reads the content of a class up to its closing bracket, which stays unread.
    ///
    /// - Parameter start: The index of the opening bracket, for messages.
    private mutating func classContent(from start: Int) throws(RegularExpression.SyntaxError) -> [ScalarSet.Operation] {
        let isNegated = raw(at: index - 1) == "[" && peek() == "^"
        if isNegated { index += 1 }
        var builder = ClassBuilder(folding: folding)
        while let scalar = peek() {
            switch scalar {
            case "]" where !builder.isEmpty:
                builder.addRanges()
                return (builder.operations ?? []) + (isNegated ? [.complement] : [])
            case "[": builder.add(try characterClass())
            case "&" where raw(at: index + 1) == "&":
                index += 2
                try intersect(&builder, from: start)
            default: try element(scalar, &builder, from: start)
            }
        }
        throw error("the class is not closed; add ']'.", at: start)
    }

    /// Reads what follows `&&`.
    private mutating func intersect(
        _ builder: inout ClassBuilder,
        from start: Int
    ) throws(RegularExpression.SyntaxError) {
        var right: ClassBuilder?
        while let scalar = peek(), scalar != "]", scalar != "&" {
            var operand = right ?? ClassBuilder(folding: folding)
            if scalar == "[" {
                operand.add(try characterClass())
            } else {
                operand.add(
                    try nested { parser throws(RegularExpression.SyntaxError) in try parser.classContent(from: start) }
                )
            }
            right = operand
        }
        builder.addRanges()
        guard let left = builder.operations else {
            guard let operations = right?.operations else { throw error("'&&' has no class on either side; add one.") }
            builder.operations = operations
            return
        }
        if let operations = right?.operations { builder.operations = left + operations + [.intersection] }
    }

    /// Reads a scalar, a range or an escape.
    private mutating func element(
        _ scalar: Unicode.Scalar,
        _ builder: inout ClassBuilder,
        from start: Int
    ) throws(RegularExpression.SyntaxError) {
        let rangeStart = index
        let lower: UInt32
        if scalar == "\\" {
            index += 1
            guard let escaped = raw(at: index) else { throw error("the class is not closed; add ']'.", at: start) }
            if let operations = try classEscape(escaped) { return builder.add(operations) }
            lower = try scalarEscape(escaped)
        } else {
            index += 1
            lower = scalar.value
        }
        guard peek() == "-", let next = raw(at: index + 1), next != "[", next != "]" else {
            return builder.ranges.append(lower...lower)
        }
        index += 1
        let upper = try upperBound(from: start)
        guard lower <= upper else {
            throw error("the range ends before it starts; exchange its bounds.", at: rangeStart)
        }
        builder.ranges.append(lower...upper)
    }

    private mutating func upperBound(from start: Int) throws(RegularExpression.SyntaxError) -> UInt32 {
        guard let scalar = peek() else { throw error("the class is not closed; add ']'.", at: start) }
        index += 1
        guard scalar == "\\" else { return scalar.value }
        guard let escaped = raw(at: index) else { throw error("the class is not closed; add ']'.", at: start) }
        return try scalarEscape(escaped)
    }
}
