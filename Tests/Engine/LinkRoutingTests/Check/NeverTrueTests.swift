import LinkRouting
import Testing

/// Routes that match no link or no context.
struct NeverTrueTests {
    private static func findings(_ route: String, now: Timestamp? = nil) throws -> [Finding] {
        let open = #""open": {"screen": "S"}, "web": "https://www.acme.com/""#
        return try Fixture.table([#"{"id": "a", \#(route), \#(open)}"#]).check(for: try Fixture.identity(), now: now)
    }

    @Test(arguments: [
        (#"{"appVersion": {"from": "3.0", "until": "2.0"}}"#, "appVersion"),
        (#"{"appVersion": {"from": "3.0"}, "anyOf": [{"appVersion": {"until": "2.0"}}]}"#, "appVersion"),
        (#"{"appBuild": {"from": 400, "until": 400}}"#, "appBuild"),
        (#"{"osVersion": {"from": "17"}, "not": {"osVersion": {"from": "16"}}}"#, "osVersion"),
        (#"{"platform": "ios", "anyOf": [{"platform": "android"}]}"#, "platform"),
        (#"{"platform": "ios", "not": {"platform": "ios"}}"#, "platform"),
        (#"{"not": {"platform": ["ios", "android", "macos", "windows", "linux", "other"]}}"#, "platform"),
        (#"{"platform": "android", "apps": "ios"}"#, "apps and platform"),
        (#"{"platform": ["ios", "macos"], "apps": ["droid"]}"#, "apps and platform"),
        (#"{"device": "phone", "not": {"device": ["phone", "tablet"]}}"#, "device"),
        (#"{"authenticated": true, "not": {"authenticated": true}}"#, "authenticated"),
        (#"{"country": "GB", "not": {"country": ["gb", "fr"]}}"#, "country"),
        (#"{"rollout": 0}"#, "rollout"), (#"{"not": {"rollout": 100}}"#, "rollout"),
        (#"{"traits": {"t": "x"}, "not": {"traits": {"t": ["x", "y"]}}}"#, "traits.t"),
        (#"{"locale": "en-GB", "not": {"locale": "en"}}"#, "locale"),
        (
            #"{"time": {"until": "2026-01-01T00:00:00Z"}, "anyOf": [{"time": {"from": "2026-02-01T00:00:00Z"}}]}"#,
            "time"
        ),
        (
            #"[{"platform": "ios", "not": {"platform": "ios"}}, {"authenticated": true, "not": {"authenticated": true}}]"#,
            "authenticated and platform"
        ),
    ])
    func contradictingConditionIsNamed(_ when: String, _ facts: String) throws {
        let found = try Self.findings(#""path": "/a", "when": \#(when)"#)

        #expect(found.map(\.code) == [.neverTrue])
        #expect(found.map(\.severity) == [.error])
        #expect(found.map(\.path) == ["routes[0].when"])
        let problem = "no caller can satisfy the conditions in 'when' on \(facts)."
        #expect(found.first?.message == "'a' can never match: \(problem)")
    }

    @Test(arguments: [
        (#""path": "/{x:alpha(..0)}""#, "routes[0].path"), (#""path": "/{x(.,..)}""#, "routes[0].path"),
        (#""path": "/a", "fragment": "/{x:alnum(..0)}""#, "routes[0].fragment"),
        (#""path": "/a", "query": {"q": "hex(..0)"}"#, "routes[0].query"),
    ])
    func impossibleLinkIsFound(_ route: String, _ path: String) throws {
        let found = try Self.findings(route)

        #expect(found.map(\.code) == [.neverTrue])
        #expect(found.map(\.path) == [path])
    }

    /// A table built in code may have several conditions on one query item.
    @Test func conditionsOnOneQueryItemMayContradict() throws {
        let route = Route(
            id: try #require(RouteID("a")),
            path: try RoutePattern("/a"),
            query: [
                QueryCondition(name: "q", test: .oneOf(["x"])),
                QueryCondition(
                    name: "q",
                    test: .capture(RoutePattern.Parameter(name: "q", type: .int(nil)), .required)
                ),
            ]
        )
        let found = RouteTable(routes: [route]).check(for: try Fixture.identity())

        #expect(found.filter { $0.severity == .error }.map(\.code) == [.neverTrue])
        #expect(found.first?.path == "routes[0].query")
    }

    @Test(arguments: [
        #"{"platform": "macos", "apps": "ios"}"#, #"{"rollout": 0.01}"#, #"{"not": {"rollout": 99}}"#,
        #"{"anyOf": [{"platform": "ios", "not": {"platform": "ios"}}, {"platform": "android"}]}"#,
        #"{"locale": "en", "not": {"locale": "en-GB"}}"#, #"{"country": "GB", "not": {"country": "FR"}}"#,
        #"{"appVersion": {"from": "3.0-beta", "until": "3.0"}}"#,
    ])
    func satisfiableConditionsHaveNoFinding(_ when: String) throws {
        // A small rollout is unlikely, but satisfiable.
        #expect(try Self.findings(#""path": "/a", "when": \#(when)"#).filter { $0.code != .unlikelyValue } == [])
    }

    @Test func expiredConditionIsReportedIfTheTimeIsKnown() throws {
        let route = #""path": "/a", "when": {"time": {"until": "2026-01-01T00:00:00Z"}}"#
        let before = try #require(Timestamp("2025-12-31T23:59:59Z"))
        let after = try #require(Timestamp("2026-01-01T00:00:00Z"))

        #expect(try Self.findings(route) == [])
        #expect(try Self.findings(route, now: before) == [])
        let found = try Self.findings(route, now: after)
        #expect(found.map(\.code) == [.timeEnded])
        #expect(found.map(\.severity) == [.info])
        #expect(found.first?.path == "routes[0].when")
    }
}
