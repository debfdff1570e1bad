import LinkRouting
import TestSupport
import Testing

/// Advertisers and mail programs append query items to links that they do not own.
struct AdParameterTests {
    private static let names = [
        "gclid", "gbraid", "wbraid", "fbclid", "ttclid", "msclkid", "utm_source", "utm_medium", "utm_campaign",
        "utm_term", "utm_content",
    ]
    private static let values = ["x", "EAIaIQobChMI-_1", "", "7", "a%20b", "%2F..", "IwAR0=="]

    /// No route of these tables has a condition on such an item.
    @Test(arguments: RandomCases.seeds(8)) func adParametersNeverChangeWhichRouteMatches(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) + 4_000)
        var matched = 0
        for _ in 0..<60 {
            let routes = (0..<(1 + random.below(24))).map { CompiledMatchingTests.route(&random).json(id: "r\($0)") }
            let follow = #"{"id": "go", "path": "/s/{code}", "follow": "shortLinks"}"#
            let router = try Fixture.router(routes + [follow])
            for _ in 0..<60 {
                let link =
                    random.chance(10)
                    ? "https://go.acme.com/s/spring"
                    : CompiledMatchingTests.link(CompiledMatchingTests.subject(&random), &random)
                let context = LinkContext(platform: random.pick([.ios, .android]))
                let plain = router.resolve(link, in: context)
                let tagged = router.resolve(Self.tagged(link, &random), in: context)
                guard plain.route == tagged.route, plain.outcome == tagged.outcome, plain.followed == tagged.followed,
                    plain.parameters.map(\.text) == tagged.parameters.map(\.text)
                else {
                    Issue.record("\(link) has \(plain), with ad parameters \(tagged), in\n\(routes)")
                    return
                }
                if plain.route != nil { matched += 1 }
            }
        }
        #expect(matched > 500, "the generator makes enough links that some route holds for")
    }

    /// The link with one to three ad parameters at random places of its query.
    private static func tagged(_ link: String, _ random: inout SeededGenerator) -> String {
        let parts = link.split(separator: "?", maxSplits: 1).map(String.init)
        var items = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        for _ in 0...random.below(3) {
            items.insert("\(random.pick(names))=\(random.pick(values))", at: random.below(items.count + 1))
        }
        return parts[0] + "?" + items.joined(separator: "&")
    }
}
