// The steps of a lookup: about 100 instructions each, for the slowest link of 8 KiB and the largest context. What a link
// alone decides is computed once for a lookup; see `LinkWork`. `RoutingBench worst` measures them.

extension Route {
    /// The steps of evaluating the conditions that the index leaves over.
    ///
    /// - Parameter lists: Whether the values of a link that are listed count here, or once for the table in ``LinkWork``.
    func evaluationSteps(_ lists: LinkWork.Lists = .ofEachRoute) -> Int {
        guard !isDecidedByPath else { return 1 }
        var steps = 4 + (when?.steps ?? 0)
        if case .label(let parameter?, _) = host { steps += 6 + parameter.type.steps }
        for condition in query { steps += 2 + condition.name.utf8.count / 16 + condition.steps(lists) }
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
    /// How a value of a query counts that several lists may have.
    enum Lists {
        /// Each list counts for all values that it may have.
        case ofEachRoute
        /// Each value counts for all lists that have it. This needs all lists of a table.
        case together
    }

    private let lists: Lists
    private var items: [ExactText: Item] = [:]
    private var readsFragment = false
    private var traits: Set<ExactText> = []
    private var readsLanguages = false

    /// What conditions read of the values of one query item.
    fileprivate struct Item {
        /// The types whose values are read, each in a pass of its own. All with a `kind` share one.
        var types: Set<ParameterType> = []
        var hasList = false
        /// The number of lists that have a value.
        var countsOfLists: [ExactText: Int] = [:]
        var shortest = Int.max
    }

    init(_ lists: Lists) { self.lists = lists }

    mutating func add(_ route: Route) {
        guard !route.isDecidedByPath else { return }
        readsFragment = readsFragment || route.fragment != nil
        for condition in route.query { items[ExactText(condition.name), default: Item()].add(condition.test, lists) }
        if let when = route.when { add(when) }
    }

    private mutating func add(_ condition: Condition) {
        switch condition {
        case .trait(let name, _): traits.insert(ExactText(name))
        case .locale: readsLanguages = true
        case .all(let conditions), .any(let conditions): for condition in conditions { add(condition) }
        case .not(let condition): add(condition)
        default: break
        }
    }

    /// A byte of a link belongs to its path, to one item of its query, or to its fragment, so the largest of these counts.
    var steps: Int {
        // Items without a value are the most.
        let query = items.isEmpty ? 0 : max(6_500, 4_000 + (items.lazy.map { $1.steps(of: $0) }.max() ?? 0))
        // The traits of a message have 16 KiB.
        let traits = traits.isEmpty ? 0 : 2_000 + 100 * min(traits.count, 30)
        return max(600, query, readsFragment ? 8_800 : 0) + traits + (readsLanguages ? 800 : 0)
    }
}

extension LinkWork.Item {
    fileprivate mutating func add(_ test: QueryCondition.Test, _ lists: LinkWork.Lists) {
        if let values = test.listedValues {
            hasList = true
            guard lists == .together else { return }
            shortest = min(shortest, values.lengths.first ?? 0)
            for value in values { countsOfLists[ExactText(value), default: 0] += 1 }
            return
        }
        guard case .capture(let parameter, _) = test else { return }
        switch parameter.type {
        case .int: types.insert(.int(nil))
        case .number: types.insert(.number(nil))
        case .bool, .uuid, .date: types.insert(parameter.type)
        case .string, .slug, .alpha, .alnum, .hex: types.insert(.plain)
        case .oneOf: break
        }
    }

    fileprivate func steps(of name: ExactText) -> Int {
        let passes = 2_300 * types.count + (hasList ? 1_500 : 0)
        guard let most = countsOfLists.values.max() else { return passes }
        return passes + most * mostValues(name.description, shortest)
    }
}

/// The maximum number of values of one item in the query of a link.
private func mostValues(_ name: String, _ shortest: Int) -> Int {
    DeepLink.maximumLength / (name.utf8.count + shortest + 2)
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
        let steps = 4 + literalByteCount / 16
        guard pieces.count > 1 else {
            return steps + 8 + pieces[0].parameter.type.steps + (hasKinds ? literalByteCount / 6 : 0)
        }
        let last = pieces.count - 1
        var instructions = 600
        for index in 0..<min(openParameter.map { $0 + 1 } ?? last, last) {
            instructions += instructionsOfReading(index)
        }
        if let openParameter {
            instructions += instructionsOfRest(openParameter)
        } else if let kind = pieces[last].parameter.type.kind, kind != .string {
            instructions += 1_000
        }
        return steps + 1 + instructions / 100
    }

    /// The maximum length of the value of a parameter in a link.
    private func reach(_ index: Int) -> Int {
        min(pieces[index].parameter.type.maximumLength ?? .max, DeepLink.maximumLength)
    }

    /// The instructions of finding the ends of a parameter, each byte of which is read once.
    private func instructionsOfReading(_ index: Int) -> Int {
        let (type, literal) = (pieces[index].parameter.type, pieces[index].literal)
        guard let kind = type.kind else { return type.instructionsOfEnds(before: literal) }
        // The search for an open parameter begins where the rest is short enough.
        let rest = min(Self.restLength(of: pieces, behind: index), DeepLink.maximumLength)
        let searched = index == openParameter ? min(reach(index), rest) : reach(index)
        let search = searched * (instructionsOfSearch(for: literal) + (mayRestart(index) ? 80 : 0))
        guard kind != .string else { return search }
        let isNearEnd = index == 0 && index == openParameter && prefix.count + rest <= Self.longestRest
        return search + 8 * (isNearEnd ? searched + Self.longestRest : reach(index))
    }

    /// The instructions of comparing the text behind each end of the open parameter.
    private func instructionsOfRest(_ open: Int) -> Int {
        let (type, last) = (pieces[open].parameter.type, pieces.count - 1)
        let lastType = pieces[last].parameter.type
        if open + 1 == last, let kind = lastType.kind { return kind == .string ? 200 : 8 * reach(last) }
        let rest = min(Self.restLength(of: pieces, behind: open), Self.longestRest)
        let ends = type.listedValues?.lengths.count ?? (type.kind == nil ? 20 : rest)
        let others = (open + 1..<last).reduce(0) { sum, index in
            let type = pieces[index].parameter.type
            let literal = pieces[index].literal
            return sum + 200
                + (type.kind == nil
                    ? type.instructionsOfEnds(before: literal)
                    : reach(index) * (9 + instructionsOfSearch(for: literal)))
        }
        return ends * (500 + others + (lastType.kind == nil ? lastType.longestListed : 8 * reach(last)))
    }

    /// The instructions of searching a literal, for each byte of a text.
    private func instructionsOfSearch(for literal: [UInt8]) -> Int {
        6 + (literal.count > 2 ? 8 + 10 * mostOverlaps(of: literal) : 0)
    }

    /// Whether the search for the end of a parameter may begin again at every other byte, because a slug neither begins nor
    /// ends with a hyphen.
    private func mayRestart(_ index: Int) -> Bool {
        let literal = pieces[index].literal
        guard let first = literal.first, let last = literal.last else { return false }
        let hyphen = UInt8(ascii: "-")
        let isBehindSlug = pieces[index].parameter.type.kind == .slug && first != hyphen
        let isBeforeSlug = index + 1 < pieces.count && pieces[index + 1].parameter.type.kind == .slug && last != hyphen
        return isBehindSlug && TextKinds.Kind.slug.mayContain(first)
            || isBeforeSlug && literal.allSatisfy(TextKinds.Kind.slug.mayContain)
    }

    /// The maximum number of places where a literal may begin of which the same byte is a part.
    private func mostOverlaps(of literal: [UInt8]) -> Int {
        // For each beginning of the literal, its longest end that is another beginning (Knuth, Morris, Pratt).
        var borders = [0]
        var overlaps = [1]
        for index in literal.indices.dropFirst() {
            var border = borders[index - 1]
            while border > 0, folded(literal[border]) != folded(literal[index]) { border = borders[border - 1] }
            if folded(literal[border]) == folded(literal[index]) { border += 1 }
            borders.append(border)
            overlaps.append(1 + (border > 0 ? overlaps[border - 1] : 0))
        }
        return overlaps.max() ?? 1
    }
}

extension ParameterType {
    fileprivate var longestListed: Int { listedValues?.longest ?? 0 }

    /// The instructions of trying the ends of a value of a type without a ``kind``, with the literal behind each.
    fileprivate func instructionsOfEnds(before literal: [UInt8]) -> Int {
        let comparison = 12 * literal.count
        return switch self {
        case .int, .number: 1_500 + 25 * comparison
        case .bool, .uuid, .date: 600 + comparison
        case .oneOf(let values): values.lengths.count * (100 + 3 * values.longest + comparison)
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
        // Without regard to letter case, three instructions a byte. A few values are compared one after the other.
        case .oneOf(let values): 2 + values.longest * (values.count > ListedValues.few ? 1 : values.count) / 32
        }
    }

    /// The number of values that a text is compared with.
    var listedCount: Int { listedValues?.count ?? 0 }
}

extension QueryCondition {
    /// The steps of testing the occurrences of the item.
    fileprivate func steps(_ lists: LinkWork.Lists) -> Int {
        if let values = test.listedValues {
            guard lists == .ofEachRoute else { return 16 }
            return 16 + min(values.count, mostValues(name, values.lengths.first ?? 0))
        }
        guard case .capture(let parameter, _) = test else { return 4 }
        return 16 + 2 * parameter.type.steps
    }
}

extension Condition {
    /// The steps of evaluating the condition.
    var steps: Int {
        switch self {
        case .platform, .device, .appBuild, .authenticated, .inAppBrowser, .time: 2
        case .osVersion(let range), .appVersion(let range):
            3 + (range.from?.steps ?? 0) + (range.until?.steps ?? 0)
        // Once more for the route that the caller prefers.
        case .locale(let tags): 4 + 11 * tags.count
        case .country: 4
        case .trait(let name, let values):
            45 + name.utf8.count / 16 + (values.count > ListedValues.few ? 60 : 9 * values.count)
        case .rollout(let rollout): 60 + rollout.salt.utf8.count / 16
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
