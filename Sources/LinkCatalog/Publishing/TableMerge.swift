package import LinkRouting

/// Two tables that were made from one, put together by route.
///
/// A side that left a route as it was takes the other's. Only what both sides changed, and not alike, is a conflict: the same
/// route, the same pattern under two ids, or the same value beside the routes.
package struct TableMerge: Sendable, Hashable {
    /// The table of both; of conflicts it holds what is live.
    package let content: JSONNode
    package let conflicts: [Conflict]

    package struct Conflict: Sendable, Hashable, Error {
        package enum Kind: String, Sendable {
            /// Both sides changed, added or removed the route.
            case route
            /// Both sides gave the pattern to a route of their own.
            case pattern
            /// Both sides changed a value beside the routes.
            case table
            /// Both sides put routes into another order.
            case order
        }

        package let kind: Kind
        /// The route's id, the pattern, or the value's path.
        package let subject: String
        /// What both began from; nil where it was not there.
        package let base: JSONNode?
        package let live: JSONNode?
        package let draft: JSONNode?
    }

    /// - Parameters:
    ///   - base: What the draft was begun from.
    ///   - live: What is published now.
    package init(base: JSONNode, live: JSONNode, draft: JSONNode) {
        guard base != live else {
            (content, conflicts) = (draft, [])
            return
        }
        var merge = RouteMerge(base: base, live: live, draft: draft)
        merge.run()
        let others = Self.merge(base.members ?? [], live.members ?? [], draft.members ?? [])
        content = JSONNode(
            .object(others.members + [JSONNode.Member("routes", .array(merge.routes))]),
            at: draft.position
        )
        conflicts = merge.conflicts + others.conflicts
    }

    /// The members beside the routes, each as a whole.
    private static func merge(
        _ base: [JSONNode.Member],
        _ live: [JSONNode.Member],
        _ draft: [JSONNode.Member]
    ) -> (members: [JSONNode.Member], conflicts: [Conflict]) {
        func value(_ key: String, _ members: [JSONNode.Member]) -> JSONNode? {
            members.first { $0.key.isExactly(key) }?.value
        }
        var members: [JSONNode.Member] = []
        var conflicts: [Conflict] = []
        let names = live.map(\.key) + draft.map(\.key).filter { key in !live.contains { $0.key.isExactly(key) } }
        for key in names where key != "routes" {
            let (old, theirs, own) = (value(key, base), value(key, live), value(key, draft))
            if theirs != old, own != old, own != theirs {
                conflicts.append(Conflict(kind: .table, subject: key, base: old, live: theirs, draft: own))
            }
            guard let merged = own == old ? theirs : (theirs == old ? own : theirs) else { continue }
            members.append(JSONNode.Member(key, merged))
        }
        return (members, conflicts)
    }
}

private struct RouteMerge {
    private let base: [TableDiff.Route]
    private let live: [TableDiff.Route]
    private let draft: [TableDiff.Route]
    private var kept: [String: JSONNode] = [:]
    private(set) var routes: [JSONNode] = []
    private(set) var conflicts: [TableMerge.Conflict] = []

    init(base: JSONNode, live: JSONNode, draft: JSONNode) {
        self.base = TableDiff.routes(of: base)
        self.live = TableDiff.routes(of: live)
        self.draft = TableDiff.routes(of: draft)
    }

    mutating func run() {
        let (old, theirs, own) = (TableDiff.byID(base), TableDiff.byID(live), TableDiff.byID(draft))
        var seen: Set<String> = []
        for id in (live + draft).map(\.id) where seen.insert(id).inserted {
            let (before, left, right) = (old[id]?.content, theirs[id]?.content, own[id]?.content)
            if left != before, right != before, left != right {
                conflicts.append(.init(kind: .route, subject: id, base: before, live: left, draft: right))
            }
            if let merged = right == before ? left : (left == before ? right : left) { kept[id] = merged }
        }
        findSharedPatterns(old, theirs, own)
        findTwoOrders()
        routes = order().compactMap { kept[$0] }
    }

    /// One side gave a pattern to one route, the other side the same pattern to another.
    private mutating func findSharedPatterns(
        _ old: [String: TableDiff.Route],
        _ theirs: [String: TableDiff.Route],
        _ own: [String: TableDiff.Route]
    ) {
        func isNew(_ route: TableDiff.Route) -> Bool { old[route.id].map { $0.pattern != route.pattern } ?? true }
        var byPattern: [Pattern: TableDiff.Route] = [:]
        for route in live where isNew(route) && own[route.id]?.pattern != route.pattern {
            byPattern[route.pattern] = route
        }
        for route in draft where isNew(route) && theirs[route.id]?.pattern != route.pattern {
            guard let other = byPattern[route.pattern], other.id != route.id else { continue }
            conflicts.append(
                .init(
                    kind: .pattern,
                    subject: route.path ?? "",
                    base: nil,
                    live: other.content,
                    draft: route.content
                )
            )
        }
    }

    /// Both sides moved routes, and not alike: order decides between equal patterns.
    private mutating func findTwoOrders() {
        let (before, theirs, own) = (places(base), places(live), places(draft))
        guard theirs != before, own != before, theirs != own else { return }
        func list(_ ids: [String]) -> JSONNode { .array(ids.map(JSONNode.string)) }
        conflicts.append(
            .init(kind: .order, subject: "routes", base: list(before), live: list(theirs), draft: list(own))
        )
    }

    /// The ids that all three have, in the order of one.
    private func places(_ routes: [TableDiff.Route]) -> [String] {
        let common = Set(base.map(\.id)).intersection(live.map(\.id)).intersection(draft.map(\.id))
        return routes.map(\.id).filter { common.contains($0) }
    }

    /// The order of the side that moved routes, the draft's if both did; what only the other side has stands behind the
    /// route that it stood behind there.
    private func order() -> [String] {
        let draftMoved = places(draft) != places(base)
        let (first, second) = draftMoved ? (draft, live) : (live, draft)
        var placed = Set(first.map(\.id))
        // By the route that each stands behind; those at the front have none.
        var followers: [String?: [String]] = [:]
        var previous: String?
        for id in second.map(\.id) {
            if placed.insert(id).inserted { followers[previous, default: []].append(id) }
            previous = id
        }
        var order: [String] = []
        for id in [nil] + first.map({ Optional($0.id) }) {
            var next = [id]
            while let id = next.popLast() {
                if let id { order.append(id) }
                next += (followers[id] ?? []).reversed()
            }
        }
        return order
    }
}

/// What decides for which links a route is, as it is written.
private struct Pattern: Hashable {
    let host: JSONNode?
    let path: JSONNode?
    let query: JSONNode?
    let fragment: JSONNode?
    let when: JSONNode?
}

extension TableDiff.Route {
    fileprivate var pattern: Pattern {
        Pattern(
            host: content["host"],
            path: content["path"],
            query: content["query"],
            fragment: content["fragment"],
            when: content["when"]
        )
    }
}

extension TableMerge.Conflict {
    /// For who may not see what both began from.
    var withoutBase: Self { Self(kind: kind, subject: subject, base: nil, live: live, draft: draft) }

    /// `{kind, subject, base, live, draft}`
    package var json: JSONNode {
        .object([
            "kind": .string(kind.rawValue), "subject": .string(subject), "base": base ?? .null, "live": live ?? .null,
            "draft": draft ?? .null,
        ])
    }
}
