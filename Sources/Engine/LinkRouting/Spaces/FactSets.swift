/// A set of values of a fact with named values, such as platforms or countries.
enum Choices: Hashable {
    case only(Set<String>)
    case allBut(Set<String>)

    var isEmpty: Bool { self == .only([]) }

    func contains(_ value: String) -> Bool {
        switch self {
        case .only(let values): values.contains(value)
        case .allBut(let values): !values.contains(value)
        }
    }

    var complement: Choices {
        switch self {
        case .only(let values): .allBut(values)
        case .allBut(let values): .only(values)
        }
    }

    func intersection(_ other: Choices) -> Choices {
        switch (self, other) {
        case (.only(let values), _): .only(values.filter(other.contains))
        case (_, .only(let values)): .only(values.filter(contains))
        case (.allBut(let left), .allBut(let right)): .allBut(left.union(right))
        }
    }

    /// Restricts the set to the values of a closed list.
    func within(_ all: [String]) -> Choices { .only(Set(all.filter(contains))) }
}

/// A half-open interval: `from` is included, `until` is not. A nil bound is open.
struct OpenInterval<Value: Comparable & Hashable>: Hashable {
    var from: Value?
    var until: Value?

    var isEmpty: Bool {
        guard let from, let until else { return false }
        return from >= until
    }

    func contains(_ value: Value) -> Bool {
        (from.map { $0 <= value } ?? true) && (until.map { value < $0 } ?? true)
    }

    func intersection(_ other: OpenInterval) -> OpenInterval {
        OpenInterval(
            from: [from, other.from].compactMap(\.self).max(),
            until: [until, other.until].compactMap(\.self).min()
        )
    }

    /// The intervals below and above.
    var complement: [OpenInterval] {
        isEmpty
            ? [OpenInterval()]
            : [from.map { OpenInterval(until: $0) }, until.map { OpenInterval(from: $0) }].compactMap(\.self)
    }
}

/// A constraint on a fact with several values: at least one value of each list, and none of the excluded values.
struct SetConstraint<Value: Hashable>: Hashable {
    var oneOfEach: [[Value]] = []
    var none: [Value] = []

    func intersection(_ other: SetConstraint) -> SetConstraint {
        SetConstraint(oneOfEach: oneOfEach + other.oneOfEach, none: none + other.none)
    }

    /// Returns the first value of each list that `isFree` accepts, given the excluded values; nil when a list has none.
    func picks(_ isFree: (Value, [Value]) -> Bool) -> [Value]? {
        var picks: [Value] = []
        for values in oneOfEach {
            guard let pick = values.first(where: { isFree($0, none) }) else { return nil }
            picks.append(pick)
        }
        return picks
    }

    /// Whether everything that satisfies this constraint also satisfies the other.
    func implies(_ other: SetConstraint) -> Bool {
        other.none.allSatisfy(Set(none).contains)
            && other.oneOfEach.allSatisfy { list in
                let list = Set(list)
                return oneOfEach.contains { $0.allSatisfy(list.contains) }
            }
    }
}
