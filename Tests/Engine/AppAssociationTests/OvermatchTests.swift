import AppAssociation
import LinkRouting
import Testing

struct OvermatchTests {
    @Test(
        arguments: [
            (
                ["path: \"/a/{x:int}\", open: {screen: A}"],
                ["a slash https://a.example/a/1/~", "a type https://a.example/a/x"]
            ),
            (["path: /a, open: {screen: A}"], []),
            (["path: \"/a/{x...}\", open: {screen: A}"], []),
            (["path: \"/a/{x}\", open: {screen: A}"], ["a slash https://a.example/a/x/~"]),
            (["path: /a, open: {screen: A}, query: {x: int}"], ["a query https://a.example/a?x=~"]),
            (["path: /a, open: {screen: A}, query: {x: present}"], ["a query https://a.example/a"]),
            (["path: /a, open: {screen: A}, trailingSlash: strict"], ["a trailing_slash https://a.example/a/"]),
            (
                ["path: /a%24b, open: {screen: A}"],
                ["a character https://a.example/a~b", "a slash https://a.example/a/b"]
            ),
            (["path: /a, open: {screen: A}, fragment: \"/f/{x}\""], ["a fragment https://a.example/a#/f/x/~/~"]),
            (
                ["path: \"/user/{id}/delete\"", "path: \"/user/{x...}\", open: {screen: A}"],
                ["a exclusion https://a.example/user/x/delete"]
            ),
            (["path: \"/legal/{x...}\"", "path: \"/{x...}\", open: {screen: A}"], []),
        ] as [([String], [String])]
    )
    func everyReasonHasAnExample(_ routes: [String], _ expected: [String]) throws {
        let ids = ["a", "b", "c"]
        let table = zip(ids, routes).map { "    - {id: \($0), \($1)}" }.joined(separator: "\n")
        let router = try Examples.router(
            document: """
                settings:
                  domains: [{host: a.example, serves: association}]
                  apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app}]
                table:
                  routes:
                \(table)
                """
        )
        let found = AASAGenerator(host: "a.example", router: router).overmatches()

        #expect(found.map { "\($0.route?.rawValue ?? "-") \($0.reason.rawValue) \($0.example)" } == expected)
    }

    @Test func coarseFileIsOverOpenForWhatNoRouteOpens() throws {
        let router = try Examples.router("shop")
        let policy = AssociationPolicy(detail: .coarse)
        let found = AASAGenerator(host: "yourappdomain.com", router: router, policy: policy).overmatches()

        #expect(found.map(\.reason) == [.coarse])
        #expect(found.map(\.example) == ["https://yourappdomain.com/x"])
    }
}
