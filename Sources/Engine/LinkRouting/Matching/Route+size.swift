// The steps of a lookup: about 100 instructions each, for the slowest link of 8 KiB and the largest context. What a link
// alone decides is computed once for a lookup; see `LinkWork`. `RoutingBench worst` measures them.

extension Route {
    /// The steps of evaluating the conditions that the index leaves over.
    var evaluationSteps: Int {
        guard !isDecidedByPath else { return 1 }
        var steps = 4 + (when?.steps ?? 0)
        if case .label(let parameter?, _) = host { steps += 6 + parameter.type.steps }
        for condition in query { steps += 2 + condition.name.utf8.count / 16 + condition.test.steps }
        switch fragment {
        case nil: break
        case .equals(let text): steps += 5 + text.utf8.count / 64
        case .pattern(let pattern): steps += pattern.segments.reduce(12) { $0 + 2 + $1.steps }
        }
        return steps
    }

    /// The number of conditions in `query` and `when`, and of the values that they list.
    var conditionSize: (conditions: Int, values: Int) {
        let (conditions, values) = when?.size ?? (0, 0)
        return (query.count + conditions, query.reduce(values) { $0 + $1.test.listedCount })
    }
}

/// What a lookup computes once, because conditions of a table need it: the longest link costs this much.
struct LinkWork {
    private var readsQuery = false
    private var readsLists = false
    /// The types whose values are read, each in a pass of its own. All with a `kind` share one.
    private var readsTypes: Set<ParameterType> = []
    private var readsFragment = false
    private var traits: Set<ExactText> = []

    mutating func add(_ route: Route) {
        guard !route.isDecidedByPath else { return }
        readsFragment = readsFragment || route.fragment != nil
        for condition in route.query {
            readsQuery = true
            switch condition.test {
            case .present, .absent: break
            case .oneOf: readsLists = true
            case .capture(let parameter, _):
                switch parameter.type {
                case .oneOf: readsLists = true
                case .int: readsTypes.insert(.int(nil))
                case .number: readsTypes.insert(.number(nil))
                case .bool, .uuid, .date: readsTypes.insert(parameter.type)
                case .string, .slug, .alpha, .alnum, .hex: readsTypes.insert(.plain)
                }
            }
        }
        if let when = route.when { add(when) }
    }

    private mutating func add(_ condition: Condition) {
        switch condition {
        case .trait(let name, _): traits.insert(ExactText(name))
        case .all(let conditions), .any(let conditions): for condition in conditions { add(condition) }
        case .not(let condition): add(condition)
        default: break
        }
    }

    /// A byte of a link belongs to its path, its query or its fragment, so the largest of these counts.
    var steps: Int {
        let types = readsTypes.count + (readsLists ? 1 : 0)
        let query = readsQuery ? 2_800 + 1_700 * types : 0
        // The traits of a message have 16 KiB.
        return max(600, query, readsFragment ? 4_000 : 0) + 150 * min(traits.count, 30)
    }
}

extension RoutePattern.Segment {
    /// The steps of reading the segment from its pattern, and of comparing a text of this length with it.
    func stepsInTrace(of length: Int) -> Int { 4 + steps * (256 + length) / 4_096 }

    /// The steps of comparing a text with the segment; none if there is nothing to compare.
    var steps: Int {
        switch self {
        case .any, .rest: 0
        case .literal(let bytes): 1 + bytes.count / 16
        case .parameter(let parameter): parameter.type.steps
        case .mixed(let mixed): mixed.steps
        }
    }
}

extension RoutePattern.Mixed {
    /// The steps of comparing a text with the segment.
    var steps: Int {
        let last = pieces.count - 1
        var steps = 3 + literalByteCount / 16
        // The number of positions from which a parameter may be compared; `max` for many.
        var starts = 1
        for (index, piece) in pieces.enumerated() {
            let type = piece.parameter.type
            if index == last {
                steps += last == 0 ? 8 + type.steps : type.stepsOfSuffixes
            } else if type.kind != nil {
                let behind = pieces[(index + 1)...].reduce(piece.literal.count) {
                    $0.clampedSum($1.parameter.type.maximumLength ?? .max).clampedSum($1.literal.count)
                }
                let isNearEnd = prefix.count + behind <= Self.mostOutside && index == 0
                steps += isNearEnd ? 40 : type.stepsOfRun + (piece.literal.count > 2 ? 900 : 0)
                starts = isNearEnd ? Self.mostOutside : .max
            } else if starts == .max {
                steps += type.stepsOfSearch(before: piece.literal)
            } else {
                steps += starts * type.stepsOfPart(before: piece.literal)
                starts = starts.clampedSum(type.maximumLength ?? 0)
            }
        }
        return steps
    }
}

extension ParameterType {
    /// The steps of comparing each suffix of a text with the type.
    fileprivate var stepsOfSuffixes: Int {
        switch self {
        case .string: 3
        case .slug, .alpha, .alnum, .hex: 900
        case .int, .number, .bool, .date, .uuid: 80
        case .oneOf(let values):
            3 + values.lengths.count * (5 + values.longest / 64)
        }
    }

    /// The steps of finding a literal behind a run of bytes of the type.
    fileprivate var stepsOfRun: Int { kind == .string ? 500 : 1_500 }

    /// The steps of comparing the parts of a text from one position, each of which is followed by a literal.
    fileprivate func stepsOfPart(before literal: [UInt8]) -> Int {
        switch self {
        case .int, .number: literal.first.map(isDigit) == true ? 80 : 9
        case .bool, .date, .uuid: 9
        case .oneOf(let values): 9 + values.lengths.count * (4 + values.longest / 64)
        case .string, .slug, .alpha, .alnum, .hex: 0
        }
    }

    /// The steps of comparing the parts of a text of `Mixed.longestSearched` from each position.
    fileprivate func stepsOfSearch(before literal: [UInt8]) -> Int {
        switch self {
        case .int, .number: literal.first.map(isDigit) == true ? 100_000 : 5_500
        case .bool, .date, .uuid: 5_500
        case .oneOf(let values): 5_000 + 1_200 * values.lengths.count + 500 * (values.longest / 64)
        case .string, .slug, .alpha, .alnum, .hex: 0
        }
    }

    /// The steps of comparing a text with the type.
    var steps: Int {
        switch self {
        case .string, .bool: 1
        case .int: 3
        case .number: 4
        case .slug, .alpha, .alnum, .hex, .uuid: 4
        case .date: 4
        case .oneOf(let values): 2 + values.longest / 64
        }
    }

    /// The number of values that a text is compared with.
    var listedCount: Int { listedValues?.count ?? 0 }
}

extension QueryCondition.Test {
    /// The steps of testing the occurrences of an item.
    var steps: Int {
        switch self {
        case .present, .absent: 4
        case .oneOf(let values): 8 + values.stepsOfContaining(QueryOccurrences.mostDifferentValues)
        case .capture(let parameter, _):
            parameter.type.listedValues.map { 8 + $0.stepsOfContaining(QueryOccurrences.mostDifferentValues) }
                ?? 14 + 2 * parameter.type.steps
        }
    }
}

extension ListedValues {
    /// The steps of comparing the values with at most so many others.
    func stepsOfContaining(_ others: Int) -> Int {
        Swift.min(count, others) * (4 + longest / 64)
    }
}

extension Condition {
    /// The steps of evaluating the condition.
    var steps: Int {
        switch self {
        case .platform, .device, .appBuild, .authenticated, .inAppBrowser, .time: 2
        case .osVersion(let range), .appVersion(let range):
            3 + (range.from?.steps ?? 0) + (range.until?.steps ?? 0)
        case .locale(let tags): 4 + 90 * tags.count
        case .country: 4
        case .trait(_, let values): 21 + values.stepsOfContaining(100)
        case .rollout: 60
        case .apps(let apps): 2 + apps.count
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0.clampedSum($1.steps) }
        case .not(let condition): 1 + condition.steps
        }
    }
}

extension QueryCondition.Test {
    /// The values that the item is compared with; nil if the test lists none.
    var listedValues: ListedValues? {
        switch self {
        case .oneOf(let values): values
        case .capture(let parameter, _): parameter.type.listedValues
        case .present, .absent: nil
        }
    }

    /// The number of values that the item is compared with.
    var listedCount: Int { listedValues?.count ?? 0 }
}

extension Condition {
    /// The number of conditions, and of the values that they list.
    var size: (conditions: Int, values: Int) {
        switch self {
        case .platform(let platforms): (1, platforms.count)
        case .device(let devices): (1, devices.count)
        case .locale(let tags): (1, tags.count)
        case .country(let countries): (1, countries.count)
        case .trait(_, let values): (1, values.count)
        case .apps(let apps): (1, apps.count)
        case .all(let conditions), .any(let conditions):
            conditions.reduce((0, 0)) { sum, condition in
                let size = condition.size
                return (sum.0 + size.conditions, sum.1 + size.values)
            }
        case .not(let condition): condition.size
        case .osVersion, .appVersion, .appBuild, .authenticated, .inAppBrowser, .time, .rollout: (1, 0)
        }
    }
}
