package import LinkRouting

/// The differences between two tables, by route.
package struct TableDiff: Sendable, Hashable {
    package var added: [Route]
    package var removed: [Route]
    package var changed: [ChangedRoute]
    /// Routes whose relative order changed among the routes of both tables. The order decides only between equal
    /// patterns.
    package var moved: [RouteID]
    /// Changes to members of the table other than its routes, such as `defaults.fallback.web`.
    package var others: [Field]

    /// A route as written in the document.
    package struct Route: Sendable, Hashable {
        package let id: String
        package let content: JSONNode

        package var path: String? { content["path"]?.text }
        package var owner: String? { content["owner"]?.text }
    }

    package struct ChangedRoute: Sendable, Hashable {
        package let id: String
        package let before: Route
        package let after: Route
        package let fields: [Field]
    }

    /// One changed value; nil on a side that does not have it.
    package struct Field: Sendable, Hashable {
        /// Path from the route or the table, such as `open.arguments.id`.
        package let path: String
        package let before: JSONNode?
        package let after: JSONNode?
    }

    package init(from before: JSONNode, to after: JSONNode) {
        let (old, new) = (Self.routes(of: before), Self.routes(of: after))
        let (oldByID, newByID) = (Self.byID(old), Self.byID(new))
        added = new.filter { oldByID[$0.id] == nil }
        removed = old.filter { newByID[$0.id] == nil }
        var comparison = Comparison()
        changed = new.compactMap { route in
            guard let earlier = oldByID[route.id], earlier != route else { return nil }
            let fields = comparison.fields(earlier.content, route.content)
            // Only the order of the keys differs.
            guard !fields.isEmpty else { return nil }
            return ChangedRoute(id: route.id, before: earlier, after: route, fields: fields)
        }
        moved = Self.moved(old.map(\.id).filter { newByID[$0] != nil }, new.map(\.id).filter { oldByID[$0] != nil })
            .compactMap { RouteID($0) }
        others = comparison.fields(before.withoutRoutes, after.withoutRoutes)
    }

    package var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && changed.isEmpty && moved.isEmpty && others.isEmpty
    }

    /// Returns the routes of a table in order, without those that have no id.
    static func routes(of table: JSONNode) -> [Route] {
        (table["routes"]?.elements ?? []).compactMap { node in
            node["id"]?.text.map { Route(id: $0, content: node) }
        }
    }

    static func byID(_ routes: [Route]) -> [String: Route] {
        Dictionary(routes.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Returns the ids whose relative order changed: everything outside a longest common subsequence of both orders.
    private static func moved(_ before: [String], _ after: [String]) -> [String] {
        guard before != after else { return [] }
        let oldPositions = Dictionary(before.enumerated().map { ($1, $0) }) { first, _ in first }
        // Longest increasing subsequence of the old positions (patience sorting): these routes keep their order.
        var piles: [(position: Int, index: Int)] = []
        var previous: [Int?] = []
        let order = after.compactMap { oldPositions[$0] }
        for (index, position) in order.enumerated() {
            var (low, high) = (0, piles.count)
            while low < high {
                let middle = (low + high) / 2
                if piles[middle].position < position { low = middle + 1 } else { high = middle }
            }
            previous.append(low > 0 ? piles[low - 1].index : nil)
            if low < piles.count { piles[low] = (position, index) } else { piles.append((position, index)) }
        }
        var subsequence: Set<Int> = []
        var next = piles.last?.index
        while let index = next {
            subsequence.insert(index)
            next = previous[index]
        }
        return after.indices.filter { !subsequence.contains($0) }.map { after[$0] }
    }

    /// Returns the differences between two objects, such as settings.
    package static func fields(from before: JSONNode, to after: JSONNode) -> [Field] {
        var comparison = Comparison()
        return comparison.fields(before, after)
    }

    /// Compares objects member by member; lists and scalars as a whole.
    private struct Comparison {
        /// The number of differences after which objects are compared as a whole, too.
        private var remaining = 100_000
        /// The maximum length of a path whose object is compared member by member, in bytes: each difference repeats
        /// its path.
        private static let longestPath = 256

        mutating func fields(_ before: JSONNode?, _ after: JSONNode?, at path: String = "") -> [Field] {
            guard before != after else { return [] }
            guard let old = before?.members, let new = after?.members, remaining > 0,
                path.utf8.count <= Self.longestPath
            else {
                remaining -= 1
                return [Field(path: path, before: before, after: after)]
            }
            let (left, right) = (Self.values(old), Self.values(new))
            let names = old.map(\.key) + new.map(\.key).filter { left[ExactText($0)] == nil }
            return names.flatMap { name in
                let key = ExactText(name)
                return fields(left[key], right[key], at: path.isEmpty ? name : "\(path).\(name)")
            }
        }

        /// Indexes the members by key. A linear lookup of each member would be quadratic for a large object.
        private static func values(_ members: [JSONNode.Member]) -> [ExactText: JSONNode] {
            Dictionary(members.map { (ExactText($0.key), $0.value) }) { first, _ in first }
        }
    }
}

extension JSONNode {
    fileprivate var withoutRoutes: JSONNode { JSONNode(.object((members ?? []).filter { $0.key != "routes" })) }
}

extension TableDiff {
    /// The changes in English, one sentence each.
    package var words: [String] {
        added.map { "adds '\($0.id)'\($0.path.map { " for \($0)" } ?? "")" }
            + removed.map { "removes '\($0.id)'\($0.path.map { " for \($0)" } ?? "")" }
            + changed.flatMap { change in change.fields.map { "'\(change.id)': \($0.words)" } }
            + (moved.isEmpty ? [] : ["moves \(moved.map { "'\($0)'" }.joined(separator: ", "))"])
            + others.map { "table: \($0.words)" }
    }

    /// `{"added": [{id, path, owner}], "removed", "changed": [{id, fields: [{path, before, after}]}], "moved", "table", "words"}`
    package var json: JSONNode {
        func routes(_ routes: [Route]) -> JSONNode {
            .array(
                routes.map { route in
                    .object([
                        "id": .string(route.id), "path": route.path.map(JSONNode.string),
                        "owner": route.owner.map(JSONNode.string),
                    ])
                }
            )
        }
        return .object([
            "added": routes(added), "removed": routes(removed),
            "changed": .array(
                changed.map { .object(["id": .string($0.id), "fields": .array($0.fields.map(\.json))]) }
            ),
            "moved": .array(moved.map { .string($0.rawValue) }), "table": .array(others.map(\.json)),
            "words": .array(words.map(JSONNode.string)),
        ])
    }
}

extension TableDiff.Field {
    fileprivate var words: String {
        switch (before, after) {
        case (nil, let after?): "\(path) is now \(after.json())"
        case (let before?, nil): "\(path) is no longer \(before.json())"
        case (let before?, let after?): "\(path) changes from \(before.json()) to \(after.json())"
        case (nil, nil): path
        }
    }

    package var json: JSONNode { .object(["path": .string(path), "before": before, "after": after]) }
}
