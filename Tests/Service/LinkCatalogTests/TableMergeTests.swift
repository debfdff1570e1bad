import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// A three-way merge of tables: keeps the changes of both sides and reports changes of both sides to the same thing.
struct TableMergeTests {
    private static func table(_ routes: String, _ rest: String = "") throws -> JSONNode {
        try Document.readYAML("routes: [\(routes)]\n\(rest)")
    }

    private static let base = "{id: a, path: /a}, {id: b, path: /b}, {id: c, path: /c}"

    private func merge(_ live: String, _ draft: String) throws -> TableMerge {
        TableMerge(
            base: try Self.table(Self.base),
            live: try Self.table(live),
            draft: try Self.table(draft)
        )
    }

    private func ids(_ merge: TableMerge) -> [String] {
        (merge.content["routes"]?.elements ?? []).compactMap { $0["id"]?.text }
    }

    @Test func changesOfBothSidesAreKept() throws {
        let merge = try merge(
            "{id: a, path: /live}, {id: b, path: /b}, {id: c, path: /c}, {id: l, path: /l}",
            "{id: a, path: /a}, {id: d, path: /d}, {id: b, path: /b, web: 'https://x.example/'}"
        )

        #expect(merge.conflicts.isEmpty)
        #expect(ids(merge) == ["a", "d", "b", "l"])
        #expect(merge.content["routes"]?.elements?[0]["path"]?.text == "/live")
        #expect(merge.content["routes"]?.elements?[2]["web"]?.text == "https://x.example/")
    }

    @Test(arguments: [
        // live, draft, subject of the conflict
        (
            "{id: a, path: /1}, {id: b, path: /b}, {id: c, path: /c}",
            "{id: a, path: /2}, {id: b, path: /b}, {id: c, path: /c}", "route a"
        ),
        ("{id: b, path: /b}, {id: c, path: /c}", "{id: a, path: /2}, {id: b, path: /b}, {id: c, path: /c}", "route a"),
        ("{id: a, path: /1}, {id: b, path: /b}, {id: c, path: /c}", "{id: b, path: /b}, {id: c, path: /c}", "route a"),
        (base + ", {id: n, path: /n, web: 'https://1.example/'}", base + ", {id: n, path: /n}", "route n"),
        (base + ", {id: n, path: /n}", base + ", {id: m, path: /n}", "pattern /n"),
        ("{id: a, path: /x}, {id: b, path: /b}, {id: c, path: /c}", base + ", {id: m, path: /x}", "pattern /x"),
    ])
    func sameRouteOrPatternOnBothSidesIsAConflict(live: String, draft: String, subject: String) throws {
        let conflicts = try merge(live, draft).conflicts

        #expect(conflicts.map { "\($0.kind.rawValue) \($0.subject)" } == [subject])
        #expect(conflicts.first?.live != nil || conflicts.first?.draft != nil)
    }

    @Test(arguments: [
        (
            "{id: a, path: /1}, {id: b, path: /b}, {id: c, path: /c}",
            "{id: a, path: /1}, {id: b, path: /b}, {id: c, path: /c}"
        ),
        ("{id: b, path: /b}, {id: c, path: /c}", "{id: b, path: /b}, {id: c, path: /c}"),
        (base + ", {id: n, path: /n}", base + ", {id: n, path: /n}"),
        // The pattern moves from one route to another, on one side only.
        ("{id: b, path: /b}, {id: c, path: /c}, {id: n, path: /a}", base),
        // Different conditions make a different pattern.
        (base + ", {id: n, path: /n}", base + ", {id: m, path: /n, when: {platform: ios}}"),
    ])
    func sameOnBothSidesOrOneSideOnlyIsNoConflict(live: String, draft: String) throws {
        #expect(try merge(live, draft).conflicts.isEmpty)
        #expect(try merge(draft, live).conflicts.isEmpty)
    }

    @Test func valuesBesideTheRoutesAreMerged() throws {
        func merge(_ live: String, _ draft: String) throws -> TableMerge {
            TableMerge(
                base: try Self.table("", "defaults: {plusSign: space}\nrequires: []"),
                live: try Self.table("", live),
                draft: try Self.table("", draft)
            )
        }
        let one = try merge("defaults: {plusSign: plus}\nrequires: []", "defaults: {plusSign: space}\nrequires: [x]")
        #expect(one.conflicts.isEmpty)
        #expect(one.content["defaults"]?["plusSign"]?.text == "plus" && one.content["requires"]?.elements?.count == 1)
        let other = try merge("defaults: {plusSign: plus}\nrequires: []", "defaults: {}\nrequires: []")
        #expect(other.conflicts.map(\.subject) == ["defaults"])
    }

    @Test func orderFollowsTheSideThatMovedRoutes() throws {
        let moved = "{id: c, path: /c}, {id: a, path: /a}, {id: b, path: /b}"
        #expect(ids(try merge(moved, Self.base + ", {id: n, path: /n}")) == ["c", "n", "a", "b"])
        #expect(ids(try merge(Self.base + ", {id: n, path: /n}", moved)) == ["c", "n", "a", "b"])
        #expect(
            ids(try merge("{id: n, path: /n}, " + Self.base, "{id: m, path: /m}, " + Self.base)).prefix(2) == [
                "m", "n",
            ]
        )
    }

    @Test func twoOrdersAreAConflict() throws {
        let (one, two) = (
            "{id: c, path: /c}, {id: a, path: /a}, {id: b, path: /b}",
            "{id: b, path: /b}, {id: a, path: /a}, {id: c, path: /c}"
        )
        #expect(try merge(one, two).conflicts.map(\.kind) == [.order])
        #expect(try merge(one, one).conflicts.isEmpty)
    }

    /// Random edits on both sides: a change by one side only is kept, and nothing is lost or duplicated.
    @Test func nothingIsLostByAMerge() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let base = Edits(count: 8)
            var (live, draft) = (base, base)
            for _ in 0..<Int.random(in: 0...4, using: &random) { live.change(using: &random) }
            for _ in 0..<Int.random(in: 0...4, using: &random) { draft.change(using: &random) }
            let merge = TableMerge(base: base.table, live: live.table, draft: draft.table)
            let merged = merge.content["routes"]?.elements ?? []
            let ids = merged.compactMap { $0["id"]?.text }
            #expect(Set(ids).count == ids.count)
            let reported = Set(merge.conflicts.map(\.subject))
            for id in Set(live.routes.map(\.id) + draft.routes.map(\.id) + base.routes.map(\.id)) {
                let (old, theirs, own) = (base[id], live[id], draft[id])
                let expected = own == old ? theirs : own
                guard theirs == old || own == old || theirs == own else {
                    #expect(reported.contains(id), "both changed \(id)")
                    continue
                }
                #expect(!reported.contains(id))
                let found = merged.first { $0["id"]?.text == id }?["path"]?.text
                #expect(found == expected, "\(id): \(found ?? "gone"), not \(expected ?? "gone")")
            }
        }
    }

    private struct Edits {
        var routes: [(id: String, path: String)]

        init(count: Int) { routes = (0..<count).map { ("r\($0)", "/\($0)") } }

        subscript(id: String) -> String? { routes.first { $0.id == id }?.path }

        var table: JSONNode {
            .object(["routes": .array(routes.map { .object(["id": .string($0.id), "path": .string($0.path)]) })])
        }

        mutating func change(using random: inout SeededGenerator) {
            let fresh = Int.random(in: 0..<1_000_000_000, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0: routes.insert(("n\(fresh)", "/new/\(fresh)"), at: Int.random(in: 0...routes.count, using: &random))
            case 1 where !routes.isEmpty: routes.remove(at: Int.random(in: 0..<routes.count, using: &random))
            case 2 where !routes.isEmpty:
                routes[Int.random(in: 0..<routes.count, using: &random)].path = "/changed/\(fresh)"
            default: routes.shuffle(using: &random)
            }
        }
    }
}
