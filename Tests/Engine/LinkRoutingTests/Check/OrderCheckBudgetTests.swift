import Testing

@testable import LinkRouting

/// The budget of the check bounds its work, whatever the routes are.
struct OrderCheckBudgetTests {
    /// Tables whose routes are slow to compare, with more steps than the check needed when it counted samples only.
    enum SlowRoutes: CaseIterable {
        case numbers, lengths, longItems, rollouts, listedSegments

        var steps: Int {
            switch self {
            case .numbers, .lengths: 4_000_000
            case .longItems, .rollouts, .listedSegments: 200_000
            }
        }

        var routes: [String] {
            switch self {
            case .numbers: (0..<1_300).map { #""path": "/{a:number(5..\#($0 + 100))}""# }
            case .lengths: (0..<1_300).map { #""path": "/{a:string(\#($0 + 1)..\#($0 + 4_000))}""# }
            case .longItems: (0..<3_800).map { #""path": "/p", "query": {"a": "hex(\#($0 + 3_000))"}"# }
            case .rollouts:
                (0..<20).map { route in
                    let rollouts = (0..<64).map { #"{"rollout": {"percent": 0.01, "salt": "\#(route)_\#($0)"}}"# }
                    return #""path": "/p", "when": {"anyOf": [\#(rollouts.joined(separator: ","))]}"#
                }
            case .listedSegments:
                (0..<40).map { route in
                    let segments = (0..<32).map { "/{a\($0):int(\(route)..\(route + 250))}" }
                    return #""path": "\#(segments.joined())""#
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: SlowRoutes.allCases)
    func slowComparisonsUseUpTheBudget(_ slow: SlowRoutes) throws {
        let budget = WorkBudget(steps: slow.steps)
        let findings = try Self.findings(slow.routes, budget)

        #expect(budget.isUsedUp)
        #expect(findings.contains { $0.code == .undecided })
        #expect(findings.allSatisfy { $0.severity == .warning })
    }

    /// One pair of routes is not compared beyond the budget, either.
    @Test(.timeLimit(.minutes(5)))
    func searchForAStickyKeyEndsWithTheBudget() throws {
        let salts = (0..<64).map { "\(String(repeating: "s", count: 120))\($0)" }
        let routes = [0, 1].map { half in
            let rollouts = salts[half * 32..<half * 32 + 32].map {
                #"{"rollout": {"percent": 0.01, "salt": "\#($0)"}}"#
            }
            return #""path": "/p", "when": {"anyOf": [\#(rollouts.joined(separator: ","))]}"#
        }
        let budget = WorkBudget(steps: 100_000)

        #expect(try Self.findings(routes, budget).map(\.code) == [.undecided])
        #expect(budget.isUsedUp)
    }

    /// A thousand routes of an app's kind need a small part of the budget.
    @Test func ordinaryRoutesAreDecided() throws {
        let types = ["", ":int", ":slug", ":uuid", ":string(1..64)", ":alnum", "(a,b,c)", ":date"]
        let conditions = [
            #""platform": "ios""#, #""appVersion": {"from": "2.0"}"#, #""country": ["GB", "FR"]"#,
            #""rollout": {"percent": 10, "salt": "a"}"#, #""authenticated": true"#, #""locale": ["en", "de"]"#,
        ]
        let routes = (0..<1_000).map { number in
            let rest =
                number % 2 == 0
                ? #""query": {"q\#(number % 5)": "string?"}"# : #""when": {\#(conditions[number / 2 % 6])}"#
            return #""path": "/s\#(number / 16)/{id\#(types[number % 8])}\#(number % 3 == 0 ? "/x" : "")", \#(rest)"#
        }
        let budget = WorkBudget(steps: WorkBudget.tableCheck.steps / 20)
        let findings = try Self.findings(routes, budget)

        #expect(!budget.isUsedUp)
        #expect(findings.allSatisfy { $0.code != .undecided })
    }

    private static func findings(_ routes: [String], _ budget: WorkBudget) throws -> [Finding] {
        let routes = routes.enumerated().map { #"{"id": "r\#($0)", \#($1), "open": {"screen": "S"}}"# }
        let document = try Fixture.field(#"{"routes": [\#(routes.joined(separator: ","))]}"#)
        let table = try RouteTable(document)
        var check = OrderCheck(Router(identity: try Fixture.identity(), table: table), budget)
        check.run(now: nil)
        return check.findings
    }
}
