// Estimates of the work of parts of the check, in steps of a `WorkBudget`: about 50 ns each.

extension ParameterType {
    /// The maximum length of the sample texts of the type, in bytes.
    fileprivate var sampleLength: Int {
        switch self {
        case .int, .number, .bool, .uuid, .date: 20
        case .oneOf(let values): values.reduce(1) { max($0, $1.utf8.count) }
        case .string, .slug, .alpha, .alnum, .hex: min(max(lengths(shortest: 1).lowerBound, 8), DeepLink.maximumLength)
        }
    }

    /// The maximum number of sample texts, or of all texts of a short list.
    fileprivate var textCount: Int {
        switch self {
        case .oneOf(let values): values.count
        case .int(let range): range?.lower != nil && range?.upper != nil ? 256 : 8
        case .bool: 2
        case .uuid, .date: 4
        case .string, .slug, .alpha, .alnum, .hex, .number: 10
        }
    }
}

extension SegmentForm {
    /// The maximum length of its sample texts, in bytes.
    var sampleLength: Int {
        switch segment {
        case .literal(let literal): literal.count
        case .parameter(let parameter): parameter.type.sampleLength
        case .mixed(let mixed):
            mixed.pieces.reduce(mixed.literalByteCount) { $0 + $1.parameter.type.sampleLength }
        case .any, .rest: 1
        }
    }

    /// The maximum number of texts that a question about the segment lists.
    var textCount: Int {
        let folded = letterCase == .ignored ? 64 : 1
        return switch segment {
        case .literal: folded
        case .parameter(let parameter):
            if let values = parameter.type.listedValues {
                letterCase == .ignored ? max(values.count, min(256, values.count * folded)) : values.count
            } else {
                parameter.type.textCount
            }
        case .mixed(let mixed):
            mixed.pieces.reduce(folded) { min(256, $0 * $1.parameter.type.textCount) }
        case .any, .rest: 10
        }
    }

    /// The steps of listing sample texts.
    var sampleSteps: Int { textCount * ((mayBeListed ? 3 : 8) + sampleLength / 128) }

    /// The steps of listing all texts, which need memory as well.
    var listingSteps: Int { mayBeListed ? 16 * textCount : 2 }

    /// Whether the segment may have a short list of all texts.
    private var mayBeListed: Bool {
        switch segment {
        case .literal, .mixed: true
        case .parameter(let parameter):
            switch parameter.type {
            case .oneOf, .int, .bool: true
            case .string, .slug, .alpha, .alnum, .hex, .number, .uuid, .date: false
            }
        case .any, .rest: false
        }
    }

    /// The steps of comparing a text of this length with the segment.
    func acceptSteps(_ length: Int) -> Int {
        switch segment {
        case .literal, .any, .rest: 1
        case .parameter(let parameter):
            switch parameter.type {
            case .string, .int, .bool, .uuid, .date: 1
            case .number: 3
            case .slug, .alpha, .alnum, .hex: 1 + length / 64
            case .oneOf(let values):
                (1 + values.count / (letterCase == .ignored ? 4 : 32)) * (1 + min(length, sampleLength) / 8)
            }
        case .mixed(let mixed): mixed.steps * (1 + length / 8)
        }
    }

    /// The steps of `commonTexts`.
    func commonTextSteps(with other: SegmentForm) -> Int {
        if case .literal = segment, case .literal = other.segment { return 2 }
        let length = max(sampleLength, other.sampleLength)
        let crossings = crossingSteps(with: other) + other.crossingSteps(with: self)
        let count = textCount + other.textCount + (crossings > 0 ? 256 : 0)
        return sampleSteps + other.sampleSteps + crossings
            + acceptedSteps(count, length) + other.acceptedSteps(count, length)
    }

    /// The steps of `accepted`, which looks up texts among listed values.
    private func acceptedSteps(_ count: Int, _ length: Int) -> Int {
        guard case .parameter(let parameter) = segment, let values = parameter.type.listedValues else {
            return count * acceptSteps(length)
        }
        return (values.count + count) * (2 + length / 32)
    }

    private func crossingSteps(with other: SegmentForm) -> Int {
        guard case .mixed(let mixed) = segment, case .mixed(let partner) = other.segment else { return 0 }
        let values = 5 * (partner.pieces.count + 2) + 2
        return mixed.pieces.count * (256 + values * mixed.steps) * (1 + (sampleLength + other.sampleLength) / 32)
    }
}

extension QueryCondition.Test {
    /// The steps of listing the values of the test and of looking one up.
    var listSteps: Int {
        switch self {
        case .present, .absent: 1
        case .oneOf(let values): 1 + values.count * 2
        case .capture(let parameter, _):
            parameter.type.listedValues.map { 1 + $0.count * 2 }
                ?? parameter.type.textCount * (2 + parameter.type.sampleLength / 8)
        }
    }
}

extension Facts {
    /// The steps of comparing the facts with others, and of finding a caller, except for a sticky key.
    var steps: Int { sets.reduce(1) { $0 + $1.key.steps + $1.value.steps } }
}

extension LinkSpace {
    /// The steps of building the space of a route and of asking whether it is empty.
    static func buildingSteps(_ route: Route) -> Int {
        let labels = if case .label(let parameter?, _) = route.host { 40 * parameter.type.listedCount } else { 0 }
        let segments = route.segmentForms.reduce(2 + labels) { $0 + $1.listingSteps }
        return route.query.reduce(segments) { $0 + 2 + $1.name.utf8.count / 32 + $1.test.listSteps }
    }

    /// The steps of `sample`, without those of reading the link.
    var sampleSteps: Int {
        let segments = segments.reduce(fragment?.steps(letterCase) ?? 0) { $0 + $1.sampleSteps }
        return query.values.reduce(segments) { $0 + $1.sampleSteps }
    }

    /// The steps of `subtracting`, without those of copying the parts.
    func subtractionSteps(_ route: Route, _ facts: Facts) -> Int {
        var steps = 2 + hosts.count + self.facts.steps + facts.steps
        if let fragment = route.fragment { steps += fragment.steps(route.letterCase) }
        for (own, form) in zip(segments, route.segmentForms) { steps += own.subtractionSteps(form) }
        for condition in route.query {
            steps += 2 + condition.test.listSteps + (query[ExactText(condition.name)]?.listSteps ?? 0)
        }
        return steps
    }

    /// The steps of copying the space.
    var copySteps: Int { 2 + (segments.count + query.count) / 4 }
}

extension Facts.Fact {
    fileprivate var steps: Int {
        switch self {
        case .trait(let text), .rollout(let text): 2 + text.description.utf8.count / 32
        case .platform, .device, .osVersion, .appVersion, .appBuild, .locale, .country, .authenticated, .inAppBrowser,
            .time, .apps:
            1
        }
    }
}

extension Facts.FactSet {
    fileprivate var steps: Int {
        switch self {
        case .choices(.only(let values)), .choices(.allBut(let values)): 1 + values.count
        case .versions, .builds, .times, .buckets: 1
        case .trait(let constraint): constraint.count + constraint.none.count
        case .locale(let constraint): constraint.count * (1 + constraint.none.count / 2) + constraint.none.count
        }
    }
}

extension SetConstraint {
    fileprivate var count: Int { oneOfEach.reduce(1) { $0 + $1.count } }
}

extension Condition {
    /// The steps of reading the texts that the condition contains, and of computing its alternatives.
    var textSteps: Int {
        switch self {
        case .trait(let name, let values): name.utf8.count / 16 + values.count / 8
        case .rollout(let rollout): 1 + rollout.salt.utf8.count / 16
        case .locale(let tags): tags.count
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0 + $1.textSteps }
        case .not(let condition): condition.textSteps
        case .platform, .device, .osVersion, .appVersion, .appBuild, .country, .authenticated, .inAppBrowser, .time,
            .apps:
            0
        }
    }
}

extension FragmentCondition {
    /// The steps of comparing the condition with another, and of making a sample.
    func steps(_ letterCase: LetterCase) -> Int {
        switch self {
        case .equals(let text): 10 + text.utf8.count / 8
        case .pattern(let pattern): pattern.forms(letterCase).reduce(10) { $0 + 4 * $1.sampleSteps }
        }
    }
}
