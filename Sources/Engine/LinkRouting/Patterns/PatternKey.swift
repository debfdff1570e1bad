/// The sort key for the precedence of routes: host (exact, pattern, none), then for each segment literal < mixed (more
/// literal bytes first) < set < typed with range or length < typed < plain < `*` < end < rest. Names and types do not
/// matter. Routes with equal keys keep the document's order.
struct PatternKey: Comparable, Hashable {
    private let parts: [UInt32]

    init(_ host: HostPattern?, _ segments: [RoutePattern.Segment]) {
        var parts: [UInt32] = []
        parts.reserveCapacity(segments.count + 2)
        switch host {
        case .exact: parts.append(0)
        case .label: parts.append(1)
        case nil: parts.append(2)
        }
        for segment in segments { parts.append(segment.rank) }
        if case .rest? = segments.last {} else { parts.append(Rank.end) }
        self.parts = parts
    }

    static func < (left: PatternKey, right: PatternKey) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

    fileprivate enum Rank {
        static let literal: UInt32 = 0
        /// Reduced by the number of literal bytes.
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

extension RoutePattern.Segment {
    /// The segment's precedence; smaller comes first.
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
