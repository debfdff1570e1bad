import AppAssociation
import LinkRouting
import Testing

/// A table may have files of more than the 16 MiB that are parsed of other authors' files. A plan reads them before it
/// refuses the table.
struct LargeFileTests {
    private static let suffix = String(repeating: "x", count: 8_000)
    private static let settings = """
        settings:
          domains: [{host: a.example, serves: association}]
          apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.example.app}]
        table: {routes: []}
        """

    /// Returns the router of as many routes of 8 kB. Their table is not checked, which takes minutes.
    private static func router(_ routes: Int) throws -> Router {
        let target = RouteTarget(open: Open(screen: "A"))
        let table = RouteTable(
            routes: try (0..<routes).map { index in
                Route(
                    id: try #require(RouteID("r\(index)")),
                    path: try RoutePattern("/a\(index)/\(suffix)"),
                    behaviour: .answer(target)
                )
            }
        )
        return Router(identity: try Examples.router(document: settings).identity, table: table)
    }

    @Test func linksOfALargeFileAreCompared() throws {
        let large = try Self.router(2_150)
        let link = "https://a.example/a2149/\(Self.suffix)"

        let diff = AssociationDiff(of: [link], from: try Self.router(1), to: large, within: .associationFiles)

        #expect(diff.evaluatedCount == 1)
        #expect(diff.moves.map(\.after) == [.app])
    }
}
