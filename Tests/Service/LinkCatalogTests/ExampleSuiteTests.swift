import LinkCatalog
import LinkRouting
import LinkServer
import Testing

/// The example tables pass their link suites, with the engine that the server uses.
struct ExampleSuiteTests {
    @Test(arguments: Examples.names)
    func tableAnswersItsSuite(_ name: String) throws {
        let catalog = try Examples.catalog()
        let suite = try Examples.suite(name)

        #expect(suite.tenant == TenantID(name))
        for one in suite.cases {
            let answer = try answer(to: one, from: catalog)
            for expectation in one.expectations {
                let difference = expectation.difference(in: answer)
                #expect(
                    difference == nil,
                    "\(name).suite.yaml:\(one.position.line): \(one.link): \(expectation.key.rawValue): \(difference ?? "")"
                )
            }
        }
    }

    /// The result of a case is unknown if the time budget ran out before it.
    @Test func casesBeyondTheBudgetFail() throws {
        let suite = try Examples.suite("shop")
        let tenant = try #require(suite.tenant)
        let table = try #require(try Examples.catalog().table(of: tenant))
        let failures = suite.run(against: table, at: Timestamp(milliseconds: 0), within: WorkBudget(steps: 1_500))
        #expect(failures.last?.key == "undecided")
        #expect(failures.last?.difference.contains("was not run") == true)
    }

    /// A case costs 1,000 steps and the time that it takes, which a trace makes long.
    @Test func caseSpendsItsTime() throws {
        let shop = try #require(TenantID("shop"))
        let table = try #require(try Examples.catalog().table(of: shop))
        let oneCase = #"{link: "yourapp://nowhere", expect: {outcome: fallback}}"#
        let suite = try LinkSuite("formatVersion: 1\nsuite: links\ntenant: shop\ncases: [\(oneCase), \(oneCase)]")
        func failures(steps: Int) -> [String] {
            suite.run(against: table, at: Timestamp(milliseconds: 0), within: WorkBudget(steps: steps)).map(\.key)
        }
        #expect(failures(steps: 2_000) == ["undecided"])
        #expect(failures(steps: 2_000_000_000) == [])
    }

    /// The only findings are advice.
    @Test(arguments: Examples.names)
    func tableGivesNoAlarm(_ name: String) throws {
        let document = try Examples.document(name)

        #expect(document.tenant == TenantID(name))
        #expect(
            document.checked(now: Timestamp(milliseconds: 0)).findings.filter { $0.severity > .info } == []
        )
    }

    /// Answers like the server, with a token that needs no key.
    private func answer(to one: LinkSuite.Case, from catalog: Catalog) throws -> JSONNode {
        var warnings: [String] = []
        let context = try LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)
        #expect(warnings == [])
        let resolution = catalog.resolve(one.link, in: context, explanation: .included)
        var response = ResolveResponse(resolution)
        if resolution.resolution.action == .signIn {
            response.continuation = ("token", Timestamp(milliseconds: 0))
        }
        return try JSONReader.parse(response.json(), limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }
}
