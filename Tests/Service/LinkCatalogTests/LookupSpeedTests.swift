import LinkCatalog
import LinkRouting
import Testing

/// A slow lookup makes a table slow, until 100,000 lookups in succession are fast.
struct LookupSpeedTests {
    private func table(routes: Int) throws -> PublishedTable {
        let list = (0..<routes).map { "{id: r\($0), path: /p, when: {traits: {t: v\($0)}}, open: {screen: S}}" }
        let document = try TenantDocument(
            """
            formatVersion: 1
            settings: {domains: [go.acme.test]}
            table: {routes: [\(list.joined(separator: ", "))]}
            """
        ).checked()
        return PublishedTable(
            tenant: try #require(TenantID("acme")),
            environment: .production,
            revision: nil,
            settingsRevision: 1,
            settings: try #require(document.settings),
            table: try #require(document.table)
        )
    }

    @Test func tableWithFewStepsIsNotMeasured() throws {
        #expect(try table(routes: 40).lookupSpeed == nil)
        #expect(try table(routes: 80).lookupSpeed?.isSlow == false)
    }

    @Test func slowTableBecomesFastAgain() throws {
        let speed = LookupSpeed()
        speed.note(nanoseconds: 250_000)
        #expect(!speed.isSlow)
        speed.note(nanoseconds: 250_001)
        for _ in 1..<100_000 { speed.note(nanoseconds: 1) }
        #expect(speed.isSlow)
        speed.note(nanoseconds: 1)
        #expect(!speed.isSlow)
    }

    @Test func slowLookupIsNoted() throws {
        let table = try table(routes: 300)
        let values = (0..<100).map { String(repeating: "w", count: 1_000) + "\($0)" }
        var context = LinkContext()
        context.traits = ["t": values]
        let link = Catalog([table]).locate("https://go.acme.test/p")
        #expect(link.worstCaseSteps > 256 && !link.isSlow)
        while !link.isSlow { _ = link.resolve(in: context, explanation: .omitted) }
    }
}
