import TestSupport
import Testing

@testable import LinkRouting

struct QueryOccurrencesTests {
    private static let types = [
        "string", "string(2..3)", "int", "int(-2..7)", "int(8..)", "number", "number(..7.5)", "bool", "uuid", "slug",
        "slug(1..2)", "alpha", "alpha(2)", "alnum(..3)", "hex", "hex(2..)", "date", "(1,7,ab)", "(ab)",
    ]
    /// Values of which many lists have a type in common.
    private static let values = [
        ["1", "7", "07", "-2", "-3", "7.5", "9223372036854775807", "9223372036854775806", "8"],
        ["ab", "a", "AB", "a-b", "abc", "1", "7"], ["true", "false"], ["2026-11-21", "2026-02-30"],
        ["123e4567-e89b-12d3-a456-426614174000"], ["7", "%zz", "1"], ["%37", "7", "1"], ["a+b", "%61"], ["", "a"],
    ]

    /// Many occurrences are tested by what they have in common, which gives the same as testing each.
    @Test(arguments: RandomCases.seeds(4)) func manyOccurrencesAreTestedLikeEach(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var held = 0
        for _ in 0..<400 {
            let pool = random.pick(Self.values)
            let used = (0..<(1 + random.below(3))).map { _ in random.pick(pool) }
            let items = (0..<(7 + random.below(6))).map { _ in "q=" + random.pick(used) } + ["r=1", "%71=" + used[0]]
            let others = random.chance(50) ? (0..<20).map { "other\($0)" } : []
            let link = try DeepLink.parse("https://acme.com/?" + (items + others).joined(separator: "&"))
            let plusSign = random.pick([DeepLink.PlusSign.plus, .space])
            var parts = LinkParts()
            for test in try Self.tests() {
                let each = link.query.filter { link.matchesName($0, "q".utf8, plus: plusSign) }
                    .allSatisfy { test.accepts($0, of: link, plusSign) }
                let holds = QueryCondition(name: "q", test: test).holds(for: link, plusSign, &parts)
                #expect(holds == each, "\(test) on \(link)")
                held += holds ? 1 : 0
            }
        }
        #expect(held > 1_000)
    }

    private static func tests() throws -> [QueryCondition.Test] {
        try types.map { .capture(RoutePattern.Parameter(name: "p", type: try ParameterType($0)), .required) } + [
            .present, .absent, .oneOf(["1", "7"]), .oneOf(["ab", "a", "AB", "a+b", "a b"]), .oneOf([""]),
        ]
    }

    @Test(arguments: [(8, true), (9, true), (100, true), (101, false), (400, false)])
    func eachDifferentValueIsListed(_ count: Int, _ holds: Bool) throws {
        let listed = QueryCondition.Test.oneOf(ListedValues((0..<100).map(String.init)))
        var parts = LinkParts()
        let items = (0..<count).map { "q=\($0)&%71=\($0)" }.joined(separator: "&")
        let link = try DeepLink.parse("https://acme.com/?" + items)
        #expect(QueryCondition(name: "q", test: listed).holds(for: link, .plus, &parts) == holds)
    }

    /// The last item of the longest query counts like the first.
    @Test func eachItemOfALongQueryIsRead() throws {
        let items = String(repeating: "a&", count: 4_000) + "a&q=7&r=x"
        let link = try DeepLink.parse("https://acme.com/?" + items)
        var parts = LinkParts()
        for (name, test, holds) in [
            ("q", QueryCondition.Test.oneOf(["7"]), true), ("q", .oneOf(["8"]), false), ("a", .oneOf([""]), true),
            ("r", .present, true), ("s", .absent, true), ("a", .absent, false),
        ] {
            #expect(QueryCondition(name: name, test: test).holds(for: link, .plus, &parts) == holds)
        }
    }

    /// Thousands of conditions test hundreds of different values, each with its own range.
    @Test(.timeLimit(.minutes(5))) func manyConditionsTestManyOccurrencesInTime() throws {
        let items = (0..<1_100).map { "q=\(1_000 + $0)" }.joined(separator: "&")
        let link = try DeepLink.parse("https://acme.com/?" + items)
        var parts = LinkParts()
        let held = try (0..<200_000).count { bound in
            let type = try ParameterType("int(..\(bound))")
            let condition = QueryCondition(
                name: "q",
                test: .capture(RoutePattern.Parameter(name: "p", type: type), .required)
            )
            return condition.holds(for: link, .plus, &parts)
        }

        #expect(held == 200_000 - 2_099)
    }
}
