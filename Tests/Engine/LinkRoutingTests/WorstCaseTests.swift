import TestSupport
import Testing

@testable import LinkRouting

/// No link takes more steps than `worstCaseSteps` says. Tables and links that take many are searched: the best of random
/// ones are varied.
struct WorstCaseTests {
    private static let segments = [
        "a", "b", "ab", "{p:int}", "{p:int(1..50)}", "{p:alnum}", "{p:slug}", "{p(a,b,ab)}", "{p}", "*", "x{p}",
        "{p}-{q}", "{p}-{q:int}", "{p:slug}-{q:int}-{r:int}", "{p}.{q(a,b)}",
    ]
    private static let texts = ["a", "b", "ab", "1", "7", "x1", "a-1", "a-1-b", "a-b-1", "a.b", "-", "a-a-a-a-1"]
    private static let conditions = [
        "", "", #","query":{"q":"int"}"#, #","query":{"q":{"oneOf":["a","b"]}}"#, #","fragment":"/a/{f}""#,
        #","when":{"platform":"windows"}"#, #","when":{"traits":{"t":["a","b"]}}"#, #","host":"{h:alpha}.acme.link""#,
    ]
    private static let hosts = ["https://go.acme.com", "https://x.acme.link", "acme:/"]

    private struct Pair {
        var routes: [[Int]]
        var conditions: [Int]
        var link: [Int]
        var host: Int
        var isFolded: Bool

        init(_ random: inout SeededGenerator) {
            let count = 1 + random.below(40)
            routes = (0..<count).map { _ in Self.path(&random) }
            conditions = (0..<count).map { _ in random.below(WorstCaseTests.conditions.count) }
            link = (0..<(1 + random.below(5))).map { _ in random.below(texts.count) }
            host = random.below(hosts.count)
            isFolded = random.chance(20)
        }

        private static func path(_ random: inout SeededGenerator) -> [Int] {
            (0..<(1 + random.below(5))).map { _ in random.below(segments.count) }
        }

        func varied(_ random: inout SeededGenerator) -> Pair {
            var pair = self
            switch random.below(4) {
            case 0: pair.link[random.below(link.count)] = random.below(texts.count)
            case 1: pair.host = random.below(hosts.count)
            case 2:
                pair.routes.append(Self.path(&random))
                pair.conditions.append(random.below(WorstCaseTests.conditions.count))
            default:
                let route = random.below(routes.count)
                pair.routes[route][random.below(routes[route].count)] = random.below(segments.count)
            }
            return pair
        }

        func router() throws -> Router {
            try Fixture.router(
                routes.enumerated().map { index, route in
                    let path = route.enumerated().map { depth, segment in
                        var text = WorstCaseTests.segments[segment]
                        for name in ["p", "q", "r"] {
                            text = text.replacing("{\(name)", with: "{\(name)\(depth)")
                        }
                        return "/" + text
                    }
                    let letterCase = isFolded && index.isMultiple(of: 2) ? #","caseSensitive":false"# : ""
                    return #"{"id":"r\#(index)","path":"\#(path.joined())"\#(letterCase)"#
                        + #"\#(WorstCaseTests.conditions[conditions[index]]),"open":{"screen":"S"}}"#
                }
            )
        }

        func text() -> String {
            hosts[host] + link.map { "/" + texts[$0] }.joined() + "?q=z#/a/b"
        }
    }

    @Test(arguments: RandomCases.seeds(5)) func countedStepsDoNotExceedTheBound(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var most = 0
        for _ in 0..<20 {
            var pair = Pair(&random)
            var best = 0
            for _ in 0..<60 {
                let other = pair.varied(&random)
                let router = try other.router()
                let link = try DeepLink.parse(other.text())
                let counted = router.countedSteps(of: link, in: LinkContext(platform: .ios))
                let bound = router.index.worstCase { router.route(at: $0).evaluationSteps() }
                #expect(counted <= bound, "\(other.text())")
                if counted >= best { (pair, best) = (other, counted) }
            }
            most = max(most, best)
        }
        #expect(most > 50, "the search finds lookups of many steps")
    }

    /// Tables that must be admitted, whatever else is refused.
    @Test func largeUsualTablesAreAdmitted() throws {
        let ordinary = try Fixture.router(
            paths: (0..<10_000).map { number in
                let section = "/section\(number / 64)"
                return switch number % 4 {
                case 0: "\(section)/page\(number)"
                case 1: "\(section)/item\(number)/{id:int}"
                case 2: "\(section)/{slug:slug}-{id:int}/part\(number)"
                default: "\(section)/{user}/{tab(list,detail)}/page\(number)"
                }
            }
        )
        #expect(ordinary.worstCaseSteps < Router.maximumSteps / 2)
        let ids = { (route: Int, mark: String) in
            (0..<1_000).map { "\(mark)\(route * 1_000 + $0)\(mark)" }.joined(separator: ",")
        }
        let open = #""open": {"screen": "S"}"#
        let query = try Fixture.router(
            (0..<100).map {
                #"{"id": "r\#($0)", "path": "/p", "query": {"id": {"oneOf": [\#(ids($0, "\""))]}}, \#(open)}"#
            }
        )
        #expect(query.worstCaseSteps <= Router.maximumSteps)
        let path = try Fixture.router(paths: (0..<100).map { "/{id(\(ids($0, "")))}" })
        #expect(path.worstCaseSteps < 2_000)
    }
}

extension Router {
    /// The steps of the nodes, comparisons and routes of a lookup.
    fileprivate func countedSteps(of link: DeepLink, in context: LinkContext) -> Int {
        var steps = 0
        var parts = LinkParts()
        let counted = identity.withoutIgnoredHost(link)
        let rank = compiled.index.smallestRank(for: counted, context, visiting: .all, &parts) {
            rank,
            link,
            context,
            parts in
            let route = route(at: rank)
            steps += route.evaluationSteps()
            return route.holds(for: MatchInput(link: link, context: context, plusSign: defaults.plusSign), &parts)
        }
        #expect(rank == self.rank(of: counted, in: context))
        return steps + parts.comparisons
    }
}
