/// The written order of routes: host (exact, pattern, none), then for each segment literal < mixed (more literal bytes
/// first) < set < typed with range or length < typed < plain < `*` < end < rest. Names and types do not count; routes with
/// equal keys keep the document's order.
struct PatternKey: Comparable, Hashable {
    private var parts: [UInt32] = []

    init(_ route: Route) { read(route) }

    private mutating func read(_ route: Route) {
        parts.removeAll(keepingCapacity: true)
        switch route.host {
        case .exact: parts.append(0)
        case .label: parts.append(1)
        case nil: parts.append(2)
        }
        for segment in route.path.segments { parts.append(segment.rank) }
        if case .rest? = route.path.segments.last {} else { parts.append(Rank.end) }
    }

    /// The places of the routes in the written order. Of a million routes only few keys differ: those are sorted.
    static func order(of routes: [Route]) -> [Int32] {
        var numbers: [PatternKey: Int] = [:]
        var places: [(key: PatternKey, places: [Int32])] = []
        for (place, route) in routes.enumerated() {
            let key = PatternKey(route)
            if let number = numbers[key] {
                places[number].places.append(Int32(place))
            } else {
                numbers[key] = places.count
                places.append((key, [Int32(place)]))
            }
        }
        return places.sorted { $0.key < $1.key }.flatMap(\.places)
    }

    static func < (left: PatternKey, right: PatternKey) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

    fileprivate enum Rank {
        static let literal: UInt32 = 0
        /// Minus the number of literal bytes.
        static let mixed: UInt32 = 0x10000
        static let set: UInt32 = 0x20000
        static let bounded: UInt32 = 0x30000
        static let typed: UInt32 = 0x40000
        static let plain: UInt32 = 0x50000
        static let any: UInt32 = 0x60000
        static let end: UInt32 = 0x70000
        static let rest: UInt32 = 0x80000
    }
}

extension Pattern.Segment {
    /// The segment's place in the written order; smaller comes first.
    var rank: UInt32 {
        switch self {
        case .literal: PatternKey.Rank.literal
        case .mixed(let mixed): PatternKey.Rank.mixed + 0xFFFF - UInt32(min(mixed.literalByteCount, 0xFFFF))
        case .parameter(let parameter):
            switch parameter.type {
            case .oneOf: PatternKey.Rank.set
            case .string(nil): PatternKey.Rank.plain
            case .int(nil), .number(nil), .bool, .uuid, .slug(nil), .alpha(nil), .alnum(nil), .hex(nil), .date:
                PatternKey.Rank.typed
            case .string, .int, .number, .slug, .alpha, .alnum, .hex: PatternKey.Rank.bounded
            }
        case .any: PatternKey.Rank.any
        case .rest: PatternKey.Rank.rest
        }
    }
}
