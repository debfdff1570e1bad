import LinkRouting
import ScreenCode
import Testing

/// Without `screens`, the screens and their types are inferred from the routes.
struct ScreenCatalogTests {
    @Test(
        arguments: [
            (#"{"id": "a", "path": "/{x}", "open": {"screen": "S", "arguments": {"x": "{x}"}}}"#, ["S(x: string)"]),
            (
                #"{"id": "a", "path": "/{x:int}/{y:number}/{z:bool}/{u:uuid}/{d:date}/{s(a,b)}/{r...}", "open": {"screen": "S", "arguments": {"x": "{x}", "y": "{y}", "z": "{z}", "u": "{u}", "d": "{d}", "s": "{s}", "r": "{r}"}}}"#,
                ["S(d: date, r: list(string), s: (a,b), u: uuid, x: int, y: number, z: bool)"]
            ),
            // Optional, because one route lacks it.
            (
                #"{"id": "a", "path": "/a", "open": {"screen": "S"}}, {"id": "b", "path": "/{x:int}", "open": {"screen": "S", "arguments": {"x": "{x}"}}}"#,
                ["S(x: int?)"]
            ),
            // Optional, because the query item is.
            (
                #"{"id": "a", "path": "/a", "query": {"x": "int?", "y": "int = 1"}, "open": {"screen": "S", "arguments": {"x": "{x}", "y": "{y}"}}}"#,
                ["S(x: int?, y: int)"]
            ),
            // A type that accepts the values of both routes.
            (
                #"{"id": "a", "path": "/{x:uuid}", "open": {"screen": "S", "arguments": {"x": "{x}", "n": 1}}}, {"id": "b", "path": "/b", "open": {"screen": "S", "arguments": {"x": "none", "n": 2.5}}}"#,
                ["S(n: number, x: string)"]
            ),
            (
                #"{"id": "a", "path": "/a", "open": {"screen": "S", "arguments": {"x": 1, "y": [1], "z": [], "w": null}}}, {"id": "b", "path": "/b", "open": {"screen": "S", "arguments": {"x": "a", "y": [2.5], "z": ["a"], "w": 3}}}"#,
                ["S(w: json?, x: json, y: list(number), z: json)"]
            ),
            // Stacks and variants.
            (
                #"{"id": "a", "path": "/a", "open": {"screen": "S", "stack": ["R", {"screen": "Q", "arguments": {"x": true}}, "S"]}}"#,
                ["Q(x: bool)", "R()", "S()"]
            ),
            (
                #"{"id": "a", "path": "/a", "open": {"screen": "S"}, "experiment": {"id": "e", "variants": [{"name": "v"}, {"name": "w", "open": {"screen": "T"}}]}}"#,
                ["S()", "T()"]
            ),
            (#"{"id": "a", "path": "/a", "web": "https://a.example.com/"}"#, []),
        ]
    )
    func typesAreThoseOfTheRoutes(_ routes: String, _ expected: [String]) throws {
        #expect(try Tables.inferred(routes).lines == expected)
    }

    @Test func fallbackIsAUse() throws {
        let catalog = try Tables.inferred(
            #"{"id": "a", "path": "/{x:int}", "open": {"screen": "S", "arguments": {"x": "{x}"}}}"#,
            defaults: #"{"fallback": {"open": {"screen": "S"}}}"#
        )
        #expect(catalog.lines == ["S(x: int?)"])
    }

    @Test func orderOfRoutesHasNoEffectOnNames() throws {
        let a = #"{"id": "a", "path": "/a", "open": {"screen": "S", "arguments": {"x": 1, "y": 2}}}"#
        let b = #"{"id": "b", "path": "/b", "open": {"screen": "R", "arguments": {"y": 1, "x": 2}}}"#
        let (one, other) = (try Tables.inferred("\(a), \(b)"), try Tables.inferred("\(b), \(a)"))
        #expect(one == other)
    }

    @Test func screenListsItsRoutes() throws {
        let source = try Tables.awkward()
        let screens = ScreenCatalog(tenant: source.tenant, table: source.table).screens
        #expect(screens.first { $0.name == "List" }?.routes.map(\.rawValue) == ["list"])
        #expect(screens.first { $0.name == "none" }?.routes == [])
    }
}

extension ScreenCatalog {
    /// `Screen(argument: type, …)`, sorted by name.
    var lines: [String] {
        screens.map { screen in
            let arguments = screen.arguments.map { "\($0.name): \($0.type)\($0.isOptional ? "?" : "")" }
            return "\(screen.name)(\(arguments.joined(separator: ", ")))"
        }
    }
}
