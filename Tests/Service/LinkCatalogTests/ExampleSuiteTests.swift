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

    /// A case spends the time that it takes, so that the suites of a slow table end.
    @Test func casesOfASlowTableSpendTheirTime() throws {
        func failures(routes: Int) throws -> [SuiteFailure] {
            let list = (0..<routes).map { number in
                let values = (0..<9).map { "v\(number)-\($0)" }.joined(separator: ", ")
                return "{id: r\(number), path: /p, when: {traits: {t: [\(values)]}}, open: {screen: S}}"
            }
            let text = """
                formatVersion: 1
                tenant: acme
                settings: {domains: [go.acme.test]}
                table: {routes: [\(list.joined(separator: ", "))]}
                """
            let document = try TenantDocument(text).checked()
            let table = PublishedTable(
                tenant: try #require(TenantID("acme")),
                environment: .production,
                revision: nil,
                settingsRevision: 1,
                settings: try #require(document.settings),
                table: try #require(document.table)
            )
            let values = (0..<100).map { String(repeating: "w", count: 140) + "\($0)" }.joined(separator: ", ")
            let oneCase = #"{link: "https://go.acme.test/p", expect: {outcome: unmatched}}"#
            let suite = try LinkSuite(
                """
                formatVersion: 1
                suite: links
                tenant: acme
                context: {traits: {t: [\(values)]}}
                cases: [\(oneCase), \(oneCase)]
                """
            )
            // Each of the routes takes microseconds, and 20,000 steps are a millisecond.
            return suite.run(against: table, at: Timestamp(milliseconds: 0), within: WorkBudget(steps: 20_000))
        }
        #expect(try failures(routes: 300).map(\.key) == ["undecided"])
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
