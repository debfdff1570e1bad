import LinkRouting
import TestSupport
import Testing

/// Findings about the order of routes hold for random links, as resolved by the naive matcher.
struct OrderPropertyTests {
    @Test(arguments: RandomCases.seeds(8)) func unreachableRoutesNeverAnswer(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 700)
        var claims = 0
        for _ in 0..<60 {
            let routes = Self.routes(&random)
            let table = try Fixture.table(routes.enumerated().map { $1.json(id: "r\($0)") })
            let findings = table.check(for: try Fixture.identity())
            let unreachable = Set(
                findings.filter { $0.code == .unreachableRoute || $0.code == .duplicateRoute }.compactMap(\.route)
            )
            if unreachable.isEmpty { continue }
            claims += unreachable.count
            let ordered = routes.enumerated().sorted { left, right in
                left.element.key == right.element.key
                    ? left.offset < right.offset : left.element.key.lexicographicallyPrecedes(right.element.key)
            }
            let suspects = ordered.indices.filter { index in
                unreachable.contains { $0.rawValue == "r\(ordered[index].offset)" }
            }
            for _ in 0..<600 {
                let subject = CompiledMatchingTests.subject(&random)
                let caller: Platform = random.pick([.ios, .android])
                let matches = { (index: Int) in ordered[index].element.captures(subject, caller) != nil }
                guard let lie = suspects.first(where: { matches($0) && !(0..<$0).contains(where: matches) }) else {
                    continue
                }
                let text = routes.enumerated().map { $1.json(id: "r\($0)") }.joined(separator: "\n")
                Issue.record("r\(ordered[lie].offset) answers a link, but was said to be unreachable in\n\(text)")
                return
            }
        }
        #expect(claims > 10, "the generator makes enough routes that others cover")
    }

    /// Some routes and variants of them, so that many match the same links.
    private static func routes(_ random: inout SeededGenerator) -> [NaiveRoute] {
        let kinds = (0..<3).map { _ in CompiledMatchingTests.route(&random) }
        return (0..<(2 + random.below(14))).map { _ in
            var route = random.pick(kinds)
            let other = CompiledMatchingTests.route(&random)
            if random.chance(40), !route.segments.isEmpty {
                let place = random.below(route.segments.count)
                let isLast = place == route.segments.count - 1
                if let segment = other.segments.first, segment != .rest || isLast { route.segments[place] = segment }
            }
            if random.chance(30) { route.query = other.query }
            if random.chance(20) { route.platform = other.platform }
            if random.chance(20) { route.host = other.host }
            if random.chance(20) { route.ignoresCase.toggle() }
            if random.chance(20) { route.isStrict.toggle() }
            return route
        }
    }

    @Test(arguments: RandomCases.seeds(8)) func overlapsDependOnTheOrderOfTheDocument(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 900)
        var overlaps = 0
        for _ in 0..<60 {
            let routes = Self.routes(&random)
            let table = try Fixture.table(routes.enumerated().map { $1.json(id: "r\($0)") })
            let identity = try Fixture.identity()
            for finding in table.check(for: identity) where finding.code == .overlappingRoutes {
                overlaps += 1
                let swapped = try table.swapping(#require(finding.route), #require(finding.relatedRoute))
                let example = try #require(finding.example)
                let answers = [Platform.ios, .android].map { platform in
                    [table, swapped].map { table in
                        Router(identity: identity, table: table).resolve(example, in: LinkContext(platform: platform))
                            .route
                    }
                }
                #expect(answers.contains([finding.relatedRoute, finding.route]))
            }
        }
        #expect(overlaps > 5, "the generator makes enough routes that overlap")
    }
}

extension RouteTable {
    /// The table with two routes swapped.
    func swapping(_ one: RouteID, _ other: RouteID) throws -> RouteTable {
        var table = self
        let first = try #require(routes.firstIndex { $0.id == one })
        let second = try #require(routes.firstIndex { $0.id == other })
        table.routes.swapAt(first, second)
        return table
    }
}
