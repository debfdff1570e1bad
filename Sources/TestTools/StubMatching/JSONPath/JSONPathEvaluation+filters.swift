import LinkRouting

/// The conditions of filters, with Jayway's rules for values of different types.
extension JSONPathEvaluation {
    /// A side of a comparison.
    private enum Side {
        /// A path that does not exist. It equals nothing, not even itself.
        case undefined
        case node(JSONNode)
        case pattern(RegularExpression)

        var node: JSONNode? {
            guard case .node(let node) = self else { return nil }
            return node
        }
    }

    mutating func accepts(_ filter: JSONPathFilter, _ item: JSONNode) throws(Stop) -> Bool {
        try spend()
        switch filter {
        case .any(let filters):
            for filter in filters where try accepts(filter, item) { return true }
            return false
        case .all(let filters):
            for filter in filters where try !accepts(filter, item) { return false }
            return true
        case .not(let filter): return try !accepts(filter, item)
        case .exists(let path, let expected): return try (found(path, item) != .nothing) == expected
        case .comparison(let left, let comparison, let right):
            return try compare(try side(left, item), comparison, try side(right, item))
        }
    }

    private mutating func found(_ path: JSONPathTokens, _ item: JSONNode) throws(Stop) -> JSONPath.Result {
        do throws(JSONPath.Failure) { return try result(of: path, from: item) } catch { throw .failure(error) }
    }

    private mutating func side(_ operand: JSONPathFilter.Operand, _ item: JSONNode) throws(Stop) -> Side {
        switch operand {
        case .literal(let node): return .node(node)
        case .pattern(let pattern): return .pattern(pattern)
        case .path(let path): return try found(path, item).node.map { .node($0) } ?? .undefined
        }
    }

    private mutating func compare(
        _ left: Side,
        _ comparison: JSONPathFilter.Operator,
        _ right: Side
    ) throws(Stop) -> Bool {
        switch comparison {
        case .equal: return Self.areEqual(left, right)
        case .unequal: return !Self.areEqual(left, right)
        case .sameTypeEqual: return Self.haveSameType(left, right) && Self.areEqual(left, right)
        case .sameTypeUnequal: return !(Self.haveSameType(left, right) && Self.areEqual(left, right))
        case .less: return Self.isOrdered(left, right) { $0 < 0 }
        case .lessOrEqual: return Self.isOrdered(left, right) { $0 <= 0 }
        case .greater: return Self.isOrdered(left, right) { $0 > 0 }
        case .greaterOrEqual: return Self.isOrdered(left, right) { $0 >= 0 }
        case .matches: return try matches(left, right)
        case .isIn: return try contains(right, left, besidesTexts: true)
        case .isNotIn: return try !contains(right, left, besidesTexts: true)
        case .contains: return try contains(left, right, besidesTexts: false)
        case .size: return Self.hasSize(left, right)
        case .empty: return Self.isEmpty(left, right)
        case .type: return false
        case .all, .subsetOf, .anyOf, .noneOf: return try compareLists(left, comparison, right)
        }
    }

    // MARK: Equality and order

    private static func areEqual(_ left: Side, _ right: Side) -> Bool {
        guard let left = left.node, let right = right.node else { return false }
        switch (left.value, right.value) {
        case (.number(let left), .number(let right)): return areEqual(left, right)
        case (.number(let left), .string(let right)): return areEqual(left, right)
        // A text equals a number only if it is the number as written.
        case (.string(let left), .number(let right)):
            return left.isExactly(right) || left.isExactly(DecimalNumber.javaText(of: right))
        default: return left == right
        }
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        guard let left = DecimalNumber(left), let right = DecimalNumber(right) else { return false }
        return left == right
    }

    private static func haveSameType(_ left: Side, _ right: Side) -> Bool {
        guard let left = left.node, let right = right.node else { return false }
        let isContainer = { (node: JSONNode) in node.elements != nil || node.members != nil }
        return left.kind == right.kind || (isContainer(left) && isContainer(right))
    }

    private static func isOrdered(_ left: Side, _ right: Side, _ holds: (Int) -> Bool) -> Bool {
        guard let left = left.node, let right = right.node else { return false }
        switch (left.value, right.value) {
        case (.number(let left), .number(let right)):
            guard let left = DecimalNumber(left), let right = DecimalNumber(right) else { return false }
            return holds(left < right ? -1 : left == right ? 0 : 1)
        case (.string(let left), .string(let right)):
            // Java compares UTF-16.
            if left.isExactly(right) { return holds(0) }
            return holds(left.utf16.lexicographicallyPrecedes(right.utf16) ? -1 : 1)
        default: return false
        }
    }

    // MARK: Texts and lists

    private mutating func matches(_ left: Side, _ right: Side) throws(Stop) -> Bool {
        let (pattern, other): (RegularExpression, Side)
        switch (left, right) {
        case (.pattern(let regular), .node), (.pattern(let regular), .undefined): (pattern, other) = (regular, right)
        case (.node, .pattern(let regular)), (.undefined, .pattern(let regular)): (pattern, other) = (regular, left)
        default: return false
        }
        let texts: [String] =
            switch other.node?.value {
            case .string(let text): [text]
            case .number(let lexeme): [DecimalNumber.javaText(of: lexeme)]
            case .bool(let bool): [bool ? "true" : "false"]
            case .array(let elements): elements.map { $0.elements == nil && $0.members == nil ? $0.comparedText : "" }
            default: [""]
            }
        for text in texts where try matches(pattern, text) { return true }
        return false
    }

    private mutating func matches(_ pattern: RegularExpression, _ text: String) throws(Stop) -> Bool {
        try spend()
        do throws(RegularExpression.StepLimitExceeded) {
            return try pattern.matches(text, spending: &steps)
        } catch {
            throw .failure(.stepLimitExceeded)
        }
    }

    private mutating func contains(_ elements: [JSONNode], _ side: Side) throws(Stop) -> Bool {
        try spend(elements.count)
        return elements.contains { Self.areEqual(side, .node($0)) }
    }

    /// Whether a list has an element, or a text a part.
    private mutating func contains(_ left: Side, _ right: Side, besidesTexts: Bool) throws(Stop) -> Bool {
        if !besidesTexts, case .string(let text)? = left.node?.value, case .string(let part)? = right.node?.value {
            try spend(text.utf8.count / 8)
            return part.isEmpty || text.contains(exactly: part)
        }
        guard let elements = left.node?.elements else { return false }
        return try contains(elements, right)
    }

    private static func hasSize(_ left: Side, _ right: Side) -> Bool {
        guard case .number(let lexeme)? = right.node?.value, let expected = Double(lexeme), let left = left.node else {
            return false
        }
        let size = left.text?.utf16.count ?? left.elements?.count ?? left.members?.count
        return size.map { Double($0) == expected.rounded(.towardZero) } ?? false
    }

    private static func isEmpty(_ left: Side, _ right: Side) -> Bool {
        guard case .bool(let expected)? = right.node?.value, let left = left.node else { return false }
        let isEmpty = left.text?.isEmpty ?? left.elements?.isEmpty ?? left.members?.isEmpty
        return isEmpty.map { $0 == expected } ?? false
    }

    private mutating func compareLists(
        _ left: Side,
        _ comparison: JSONPathFilter.Operator,
        _ right: Side
    ) throws(Stop) -> Bool {
        guard let elements = left.node?.elements, let others = right.node?.elements else { return false }
        switch comparison {
        case .all:
            for other in others where try !contains(elements, .node(other)) { return false }
            return true
        case .subsetOf:
            for element in elements where try !contains(others, .node(element)) { return false }
            return true
        default:
            for element in elements where try contains(others, .node(element)) { return comparison == .anyOf }
            return comparison == .noneOf
        }
    }
}

extension String {
    /// Whether the UTF-8 of a text occurs in this one.
    package func contains(exactly part: String) -> Bool {
        let (text, part) = (Array(utf8), Array(part.utf8))
        guard let first = part.first, part.count <= text.count else { return part.isEmpty }
        for start in 0...(text.count - part.count) where text[start] == first && text[start...].starts(with: part) {
            return true
        }
        return false
    }
}
