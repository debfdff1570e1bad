extension Route {
    /// The number of texts to compare when the route is compared with another one, with its conditions and the values that
    /// they list. A long text counts as several.
    var comparedTexts: Int {
        let path = path.comparedTexts(letterCase) + (when?.comparedTexts ?? 0)
        return query.reduce(path + hostTexts + fragmentTexts) { $0 + 1 + $1.test.comparedTexts }
    }

    private var hostTexts: Int {
        guard case .label(let parameter?, _) = host else { return 1 }
        return 1 + 40 * parameter.type.listedCount
    }

    private var fragmentTexts: Int {
        switch fragment {
        case nil: 0
        case .equals(let text): 8 + text.utf8.count / 8
        case .pattern(let pattern): 8 + 4 * pattern.comparedTexts(letterCase)
        }
    }
}

extension RoutePattern {
    fileprivate func comparedTexts(_ letterCase: LetterCase) -> Int {
        forms(letterCase).reduce(1) { $0 + $1.comparedTexts }
    }
}

extension SegmentForm {
    fileprivate var comparedTexts: Int {
        switch segment {
        case .literal(let literal): (letterCase == .ignored ? 64 : 1) * (1 + literal.count / 64)
        case .parameter(let parameter):
            letterCase == .ignored && parameter.type.listedValues != nil
                ? max(256, parameter.type.comparedTexts) : parameter.type.comparedTexts
        // Texts of the parameters are combined with each other.
        case .mixed(let mixed):
            mixed.pieces.reduce(64 + mixed.literalByteCount / 8) { $0 + $1.parameter.type.comparedTexts }
        case .any, .rest: 8
        }
    }
}

extension QueryCondition.Test {
    fileprivate var comparedTexts: Int {
        switch self {
        case .present, .absent: 1
        case .oneOf(let values): values.count
        case .capture(let parameter, _): parameter.type.comparedTexts
        }
    }
}

extension ParameterType {
    /// The texts of a short list, or samples.
    fileprivate var comparedTexts: Int {
        switch self {
        case .oneOf(let values): values.reduce(1) { $0 + 1 + $1.utf8.count / 64 }
        case .int(let range): range?.lower != nil && range?.upper != nil ? 256 : 8
        case .number, .bool, .uuid, .date: 8
        case .string, .slug, .alpha, .alnum, .hex:
            8 * (1 + min(lengths(shortest: 1).lowerBound, DeepLink.maximumLength) / 64)
        }
    }
}

extension Condition {
    fileprivate var comparedTexts: Int {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0 + $1.comparedTexts }
        case .not(let condition): condition.comparedTexts
        // Each locale is compared with those of other routes.
        case .locale(let tags): tags.count * (1 + tags.count / 8)
        default: 1 + size.values
        }
    }
}

extension RoutePattern.Mixed {
    /// The steps of comparing eight bytes of a text with the segment.
    var comparisonSteps: Int { 1 + 2 * pieces.count }
}

extension Route {
    /// The work of evaluating its conditions and of comparing them with those of another route. Eight listed
    /// values count as one condition.
    var conditionWeight: Int {
        let tests = query.reduce(0) { $0 + 1 + $1.test.listedCount / 8 }
        let lists = path.segments.reduce(0) { count, segment in
            guard case .parameter(let parameter) = segment else { return count }
            return count + parameter.type.listedCount / 8
        }
        let (conditions, values) = when?.size ?? (0, 0)
        // Each evaluation parses the pattern.
        let fragments =
            if case .pattern(let pattern)? = fragment {
                2 + pattern.segments.count + pattern.description.utf8.count / 16
            } else { 0 }
        return 1 + (tests + lists + fragments + conditions + values / 8) / 2
    }
}
