import LinkRouting
import TestSupport
import Testing

/// The compiled table gives the same answers as a linear search through all routes in the documented order.
struct CompiledMatchingTests {
    @Test(arguments: RandomCases.seeds(8)) func compiledResolveAgreesWithANaiveWalk(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 100)
        var matched = 0
        for _ in 0..<60 {
            let routes = (0..<(1 + random.below(24))).map { _ in Self.route(&random) }
            let router = try Fixture.router(routes.enumerated().map { $1.json(id: "r\($0)") })
            let ordered = routes.enumerated().sorted { left, right in
                left.element.key == right.element.key
                    ? left.offset < right.offset : left.element.key.lexicographicallyPrecedes(right.element.key)
            }
            for _ in 0..<60 {
                let subject = Self.subject(&random)
                let caller: Platform = random.pick([.ios, .android])
                let expected = ordered.lazy.compactMap { index, route in
                    route.captures(subject, caller).map { (index, $0) }
                }.first
                let text = Self.link(subject, &random)
                let resolution = router.resolve(text, in: LinkContext(platform: caller))
                let captured = Dictionary(uniqueKeysWithValues: resolution.parameters.map { ($0.name, $0.text) })
                guard resolution.route?.rawValue == expected.map({ "r\($0.0)" }), captured == expected?.1 ?? [:] else {
                    let table = routes.enumerated().map { $1.json(id: "r\($0)") }.joined(separator: "\n")
                    let answer = "\(resolution.route?.rawValue ?? "none") \(captured)"
                    Issue.record(
                        "\(text) for \(caller): \(answer) instead of \(String(describing: expected)) in\n\(table)"
                    )
                    return
                }
                if expected != nil { matched += 1 }
            }
        }
        #expect(matched > 500, "the generator makes enough links that some route holds for")
    }

    private static let words = [
        "a", "b", "A", "list", "Detail", "item-7", "item-x", "a.b", "a.b.c", "7", "50", "51", "-3", "07", "x-y-9",
        "a-bc-d-ef-9", "a-b-cd-e-fg-9", "ab-b-cd-ef-9",
    ]

    static func route(_ random: inout SeededGenerator) -> NaiveRoute {
        // Short paths, so that many routes match the same links.
        var segments = (0..<random.pick([0, 1, 1, 1, 2, 2, 3])).map { _ in segment(&random) }
        if random.chance(20) { segments.append(.rest) }
        return NaiveRoute(
            host: random.chance(75)
                ? nil
                : random.pick([
                    .exact("go.acme.com"), .exact("b.acme.link"), .label(suffix: ".acme.link"),
                    .label(suffix: ".acme.com"),
                ]),
            segments: segments,
            ignoresCase: random.chance(25),
            isStrict: random.chance(15),
            hasTrailingSlash: random.chance(20) && segments.last != .rest,
            query: random.chance(75) ? nil : random.pick([.present, .absent, .equals("7"), .int]),
            platform: random.chance(80) ? nil : random.pick([.ios, .android])
        )
    }

    private static func segment(_ random: inout SeededGenerator) -> NaiveRoute.Segment {
        switch random.below(12) {
        case 0...2: return .literal(random.pick(["a", "b", "A", "list", "item-7", "7", "a.b"]))
        case 3, 4:
            return random.pick([
                .mixed([.text("item-"), .parameter(.int)]), .mixed([.text("item-"), .parameter(.plain)]),
                .mixed([.parameter(.plain), .text("."), .parameter(.plain)]),
                .mixed([.parameter(.plain), .text("-"), .parameter(.int)]),
                .mixed([.parameter(.alnum), .text("."), .parameter(.alnum), .text("."), .parameter(.plain)]),
                .mixed([.parameter(.plain), .text("-7")]),
                .mixed([.parameter(.short), .text("-"), .parameter(.plain)]),
                .mixed([.parameter(.plain), .text("-"), .parameter(.plain), .text("-"), .parameter(.short)]),
                .mixed([.parameter(.short), .text("-"), .parameter(.int)]),
                .mixed([
                    .parameter(.plain), .text("-"), .parameter(.set(["b", "bcd"])), .text("-"), .parameter(.int),
                    .text("-"), .parameter(.int),
                ]), .mixed([.text("A"), .parameter(.alnum)]),
                .mixed([.parameter(.set(["x", "x-y"])), .text("-"), .parameter(.plain)]),
            ])
        case 5, 6: return .parameter(.set(random.pick([["list", "detail"], ["a", "7"], ["50", "7"]])))
        case 7...9: return .parameter(random.pick([.smallInt, .smallInt, .int, .alnum]))
        case 10: return .any
        default: return .parameter(.plain)
        }
    }

    static func subject(_ random: inout SeededGenerator) -> NaiveRoute.Subject {
        let segments = (0..<random.pick([0, 1, 1, 1, 2, 2, 3, 4])).map { _ in random.chance(8) ? "" : random.pick(words)
        }
        return NaiveRoute.Subject(
            host: random.pick([
                "go.acme.com", "go.acme.com", "www.acme.com", "a.acme.link", "b.acme.link", "b.a.acme.link",
            ]),
            segments: segments,
            hasTrailingSlash: random.chance(25) || segments.last == "",
            values: (0..<(random.chance(50) ? 0 : 1 + random.below(2))).map { _ in random.pick(["7", "8", "x", ""]) }
        )
    }

    static func link(_ subject: NaiveRoute.Subject, _ random: inout SeededGenerator) -> String {
        let segments = subject.segments.map { segment in
            // A needless escape makes no difference.
            random.chance(10) ? segment.utf8.map { "%" + String($0, radix: 16) }.joined() : segment
        }
        let slash = subject.hasTrailingSlash && !segments.isEmpty ? "/" : ""
        let items =
            subject.values.map { $0.isEmpty && random.chance(50) ? "q" : "q=" + $0 }
            + (random.chance(20) ? ["z=1"] : [])
        return "https://" + subject.host + "/" + segments.joined(separator: "/") + slash
            + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}
