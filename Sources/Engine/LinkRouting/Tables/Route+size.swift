extension Route {
    /// The steps of a lookup that evaluates the route's conditions. Eight conditions, 32 values that are compared one after
    /// the other, and 2 KiB of names and values are a step each.
    var evaluationSteps: Int {
        let (conditions, values) = conditionSize
        return hostSteps + conditions / 8 + values / 32 + queryBytes / 2_048 + fragmentSteps
    }

    private var queryBytes: Int {
        query.reduce(0) { bytes, condition in
            (condition.test.listedValues ?? []).reduce(bytes + condition.name.utf8.count) { $0 + $1.utf8.count }
        }
    }

    /// The steps of comparing a link's host with that of the route.
    var hostSteps: Int {
        guard case .label(let parameter?, _) = host else { return 1 }
        return parameter.type.steps
    }

    private var fragmentSteps: Int {
        guard case .pattern(let pattern)? = fragment else { return 0 }
        // Each evaluation parses the pattern.
        return pattern.segments.reduce(1 + pattern.description.utf8.count / 256) { $0 + $1.steps }
    }

    /// The number of conditions in `query` and `when`, and of the values that they list.
    var conditionSize: (conditions: Int, values: Int) {
        let (conditions, values) = when?.size ?? (0, 0)
        return (query.count + conditions, query.reduce(values) { $0 + $1.test.listedCount })
    }
}

extension RoutePattern.Segment {
    /// The steps of comparing a text with the segment; none if there is nothing to compare.
    var steps: Int {
        switch self {
        case .any, .rest: 0
        case .literal: 1
        case .parameter(let parameter): parameter.type.steps
        case .mixed(let mixed): mixed.steps
        }
    }
}

extension RoutePattern.Mixed {
    /// The steps of comparing a text with the segment: about the time for the worst text of a link, in units of 25
    /// microseconds. The first parameter starts at one position, every other one at each byte.
    var steps: Int {
        pieces.enumerated().reduce(1) { steps, next in
            let (index, piece) = next
            let type = piece.parameter.type
            let isLast = index == pieces.count - 1
            return steps + (isLast ? 0 : piece.literal.count / 2)
                + (index == 0 ? type.listedCount / 32 : isLast ? type.stepsOfSuffixes : type.stepsOfParts)
        }
    }
}

extension ParameterType {
    /// The steps of comparing each suffix of a text with the type.
    fileprivate var stepsOfSuffixes: Int {
        guard let values = listedValues else { return 8 }
        return 8 + values.count * min(maximumLength ?? 1, DeepLink.maximumLength) / 4_096
    }

    /// The steps of comparing each part of a text with the type.
    fileprivate var stepsOfParts: Int {
        switch self {
        case .string, .slug, .alpha, .alnum, .hex: 12
        case .bool: 24
        case .uuid: 48
        case .date: 64
        case .int(let range): range == nil ? 160 : 400
        case .number(let range): range == nil ? 200 : 1_000
        case .oneOf(let values): Set(values.map(\.utf8.count)).reduce(values.count / 32) { $0 + 8 + $1 / 8 }
        }
    }
}

extension ParameterType {
    /// The steps of comparing a text with the type.
    var steps: Int { 1 + listedCount / 32 }

    /// The number of values that a text is compared with.
    var listedCount: Int { listedValues?.count ?? 0 }
}

extension QueryCondition.Test {
    /// The values that the item is compared with; nil if the test lists none.
    var listedValues: [String]? {
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
