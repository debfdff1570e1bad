import LinkRouting

/// The steps of a parsed path.
struct JSONPathTokens: Sendable {
    var root: Root
    var tokens: [Token] = []

    enum Root: Sendable {
        /// `$`
        case document
        /// `@`, the value that a filter tests.
        case item
    }

    enum Token: Sendable {
        /// One name, or several as in `['a','b']`.
        case properties([String])
        case indexes([Int])
        case slice(from: Int?, to: Int?)
        case wildcard
        /// `..`, which applies the next step to all values below.
        case scan
        indirect case filter(JSONPathFilter)
        case function(JSONPathFunction, [Parameter])
    }

    /// An argument of a function.
    enum Parameter: Sendable {
        case literal(JSONNode)
        indirect case path(JSONPathTokens)
    }

    /// Whether the steps before `index` find one value at most.
    func isDefinite(before index: Int) -> Bool {
        for step in 0..<min(index, tokens.count) where !isDefinite(at: step) { return false }
        return true
    }

    var isDefinite: Bool { isDefinite(before: tokens.count) }

    private func isDefinite(at index: Int) -> Bool {
        switch tokens[index] {
        // Several names form one object at the end of a path, and are several paths before it.
        case .properties(let names): names.count == 1 || index == tokens.count - 1
        case .indexes(let indexes): indexes.count == 1
        case .function: true
        case .slice, .wildcard, .scan, .filter: false
        }
    }
}

enum JSONPathFunction: String, Sendable {
    case length, size, keys, sum, avg, min, max, stddev, concat, append
}

/// The condition of `[?(…)]`.
indirect enum JSONPathFilter: Sendable {
    case any([JSONPathFilter])
    case all([JSONPathFilter])
    case not(JSONPathFilter)
    case exists(JSONPathTokens, Bool)
    case comparison(Operand, Operator, Operand)

    enum Operand: Sendable {
        case path(JSONPathTokens)
        case literal(JSONNode)
        case pattern(RegularExpression)
    }

    enum Operator: String, Sendable, CaseIterable {
        case equal = "=="
        case sameTypeEqual = "==="
        case unequal = "!="
        case sameTypeUnequal = "!=="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case matches = "=~"
        case isIn = "IN"
        case isNotIn = "NIN"
        case contains = "CONTAINS"
        case all = "ALL"
        case size = "SIZE"
        case empty = "EMPTY"
        case subsetOf = "SUBSETOF"
        case anyOf = "ANYOF"
        case noneOf = "NONEOF"
        case type = "TYPE"
    }
}
