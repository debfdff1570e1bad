import LinkCatalog
import LinkRouting
import Testing

/// The differences between two tables, by route and as text.
struct TableDiffTests {
    private func table(_ text: String) throws -> JSONNode { try Document.readYAML(text) }

    @Test func everyKindOfChangeIsReported() throws {
        let before = try table(
            """
            defaults: {fallback: {web: "https://a.example/"}}
            routes:
              - {id: home, path: /}
              - {id: old, path: /old}
              - {id: item, path: "/item/{id}", open: {screen: Item, arguments: {id: "{id}"}}}
            """
        )
        let after = try table(
            """
            defaults: {fallback: {web: "https://b.example/"}}
            routes:
              - {id: home, path: /}
              - {id: item, path: "/item/{id:int}", open: {screen: Item, stack: [Home]}, signIn: required}
              - {id: new, path: /new}
            """
        )
        let diff = TableDiff(from: before, to: after)

        #expect(
            diff.words == [
                "adds 'new' for /new", "removes 'old' for /old",
                #"'item': path changes from "/item/{id}" to "/item/{id:int}""#,
                #"'item': open.arguments is no longer {"id":"{id}"}"#, #"'item': open.stack is now ["Home"]"#,
                #"'item': signIn is now "required""#,
                #"table: defaults.fallback.web changes from "https://a.example/" to "https://b.example/""#,
            ]
        )
        #expect(diff.added.map(\.id) == ["new"] && diff.removed.map(\.id) == ["old"] && diff.moved.isEmpty)
    }

    /// A command says whether the routes of other owners are removed.
    @Test func routeOfTheJSONHasItsOwner() throws {
        let before = try table("routes: [{id: a, path: /a, owner: blog}, {id: b, path: /b}]")
        let json = TableDiff(from: before, to: try table("routes: [{id: c, path: /c, owner: shop}]")).json

        #expect(json["removed"]?.json() == #"[{"id":"a","path":"/a","owner":"blog"},{"id":"b","path":"/b"}]"#)
        #expect(json["added"]?.json() == #"[{"id":"c","path":"/c","owner":"shop"}]"#)
    }

    /// Each difference repeats its path, so an object under a long key would multiply it. It is compared as a whole.
    @Test(arguments: [(247, 2_000), (248, 1), (100_000, 1)])
    func objectUnderALongPathIsComparedAsAWhole(_ bytes: Int, _ differences: Int) {
        func route(_ value: Int64) -> JSONNode {
            let members = (0..<2_000).map { JSONNode.Member("m\($0)", .int(value)) }
            let object = JSONNode(.object(members))
            let key = String(repeating: "k", count: bytes)
            return .object(["settings": JSONNode(.object([JSONNode.Member(key, object)]))])
        }
        #expect(TableDiff.fields(from: route(1), to: route(2)).count == differences)
    }

    /// Beyond 100,000 differences, whole objects are compared.
    @Test func numberOfDifferencesIsLimited() {
        func table(_ value: Int64) -> JSONNode {
            let leaves = JSONNode(.object((0..<60_000).map { JSONNode.Member("m\($0)", .int(value)) }))
            return .object(["a": leaves, "b": leaves, "c": leaves])
        }
        let fields = TableDiff.fields(from: table(1), to: table(2))
        #expect(fields.count == 120_001)
        #expect(fields.last?.path == "c")
    }

    @Test func orderOfKeysIsNoChange() throws {
        let before = try table("routes: [{id: a, path: /a, open: {screen: A, stack: [B]}}]\ndefaults: {}")
        let after = try table("defaults: {}\nroutes: [{path: /a, open: {stack: [B], screen: A}, id: a}]")

        #expect(TableDiff(from: before, to: after).isEmpty)
    }

    @Test(arguments: [
        ("a b c d", "a b c d", ""), ("a b c d", "b c d a", "a"), ("a b c d", "a c b d", "b"), ("a b c", "c b a", "b a"),
        ("a b c d e", "a x d b c e", "d"), ("a b", "b", ""), ("", "a", ""),
    ])
    func movedRoutesAreThoseOutsideTheLongestCommonOrder(before: String, after: String, moved: String) throws {
        func routes(_ names: String) throws -> JSONNode {
            let routes = names.split(separator: " ").map { "{id: \($0), path: /\($0)}" }
            return try table("routes: [\(routes.joined(separator: ", "))]")
        }
        let found = TableDiff(from: try routes(before), to: try routes(after)).moved.map(\.rawValue)

        #expect(found.count == moved.split(separator: " ").count, "\(found)")
        #expect(TableDiff(from: try routes(before), to: try routes(before)).moved.isEmpty)
    }
}
