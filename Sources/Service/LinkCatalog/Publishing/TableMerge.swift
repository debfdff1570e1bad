package import LinkRouting

/// A three-way merge of two tables with a common base, by route.
///
/// If one side left a route unchanged, the merge takes the other side's version. A conflict arises only where both
/// sides made different changes: to the same route, to the order of routes, to the same member besides the routes, or
/// when they gave the same pattern to two ids.
package struct TableMerge: Sendable, Hashable {
    /// The merged table. On a conflict it holds the live value.
    package let content: JSONNode
    package let conflicts: [Conflict]

    /// A change that both sides made differently.
    package struct Conflict: Sendable, Hashable, Error {
        package enum Kind: String, Sendable {
            /// Both sides changed, added or removed the route.
            case route
            /// Both sides gave the same pattern to different routes.
            case pattern
            /// Both sides changed a member besides the routes.
            case table
            /// Both sides reordered routes, differently.
            case order
        }

        package let kind: Kind
        /// The route's id, the pattern, or the member's key.
        package let subject: String
        /// The common base's value; nil where it has none.
        package let base: JSONNode?
        package let live: JSONNode?
        package let draft: JSONNode?
    }

    /// - Parameters:
    ///   - base: The table that the draft started from.
    ///   - live: The table that is live now.
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

    /// Merges the members besides the routes, each as a whole.
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
    private var mergedByID: [String: JSONNode] = [:]
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
            if let merged = right == before ? left : (left == before ? right : left) { mergedByID[id] = merged }
        }
        findSharedPatterns(old, theirs, own)
        findTwoOrders()
        routes = order().compactMap { mergedByID[$0] }
    }

    /// Finds patterns that one side gave to one route, and the other side to another.
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

    /// Finds different reorderings on both sides. The order decides between equal patterns.
    private mutating func findTwoOrders() {
        let (before, theirs, own) = (commonOrder(base), commonOrder(live), commonOrder(draft))
        guard theirs != before, own != before, theirs != own else { return }
        func list(_ ids: [String]) -> JSONNode { .array(ids.map(JSONNode.string)) }
        conflicts.append(
            .init(kind: .order, subject: "routes", base: list(before), live: list(theirs), draft: list(own))
        )
    }

    /// Returns the ids that all three tables have, in the order of `routes`.
    private func commonOrder(_ routes: [TableDiff.Route]) -> [String] {
        let common = Set(base.map(\.id)).intersection(live.map(\.id)).intersection(draft.map(\.id))
        return routes.map(\.id).filter { common.contains($0) }
    }

    /// Returns the merged order: that of the side that moved routes, or of the draft if both did. A route that only the
    /// other side has follows the same predecessor as there.
    private func order() -> [String] {
        let draftMoved = commonOrder(draft) != commonOrder(base)
        let (first, second) = draftMoved ? (draft, live) : (live, draft)
        var placed = Set(first.map(\.id))
        // Keyed by the predecessor; nil for routes at the front.
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

/// The members of a route that decide which links it matches, as written.
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
    /// The conflict for keys that may not see the base.
    var withoutBase: Self { Self(kind: kind, subject: subject, base: nil, live: live, draft: draft) }

    /// `{kind, subject, base, live, draft}`
    package var json: JSONNode {
        .object([
            "kind": .string(kind.rawValue), "subject": .string(subject), "base": base ?? .null, "live": live ?? .null,
            "draft": draft ?? .null,
        ])
    }
}
