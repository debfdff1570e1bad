import LinkRouting
import Testing

struct ScreenCheckTests {
    private static let screens = #"""
        {"Home": {}, "List": {"arguments": {"ids": "list(int)?"}},
         "Item": {"arguments": {"id": "int", "tab": "(list,detail)?", "note": "string?"}},
         "User": {"arguments": {"id": {"type": "uuid", "note": "Who."}, "since": "date?"}},
         "Page": {"arguments": {"path": "list(string)", "extra": "json?", "rate": "number?", "isNew": "bool?"}}}
        """#

    private static func findings(
        _ route: String,
        defaults: String = "{}",
        now: Timestamp? = nil
    ) throws -> [Finding] {
        let text = #"{"defaults": \#(defaults), "screens": \#(screens), "routes": [{"id": "a", \#(route)}]}"#
        return try RouteTable(try Fixture.field(text)).check(for: try Fixture.identity(), now: now)
            .filter { $0.code != .missingWeb }
    }

    @Test(
        arguments: [
            #""path": "/", "open": {"screen": "Home"}"#,
            #""path": "/{id:int}", "open": {"screen": "Item", "arguments": {"id": "{id}"}, "stack": ["Home", "Item"]}"#,
            #""path": "/{id:int(1..)}", "open": {"screen": "Item", "arguments": {"id": "{id}", "tab": "list"}}"#,
            #""path": "/{t(detail)}", "open": {"screen": "Item", "arguments": {"id": 7, "tab": "{t}"}}"#,
            #""path": "/{a:slug}", "open": {"screen": "Item", "arguments": {"id": 7, "note": "{a} and more"}}"#,
            #""path": "/{a:uuid}", "open": {"screen": "Item", "arguments": {"id": 7, "note": "{a}"}}"#,
            #""path": "/{id:uuid}", "open": {"screen": "User", "arguments": {"id": "{id}", "since": "2026-02-28"}}"#,
            #""path": "/{p...}", "open": {"screen": "Page", "arguments": {"path": "{p}", "extra": {"a": [1]}}}"#,
            #""path": "/", "open": {"screen": "Page", "arguments": {"path": ["a"], "rate": 3, "isNew": true}}"#,
            #""path": "/{n:int}", "open": {"screen": "Page", "arguments": {"path": [], "rate": "{n}", "extra": "{n}"}}"#,
            #""path": "/", "query": {"id": "int = 1"}, "open": {"screen": "Item", "arguments": {"id": "{id}"}}"#,
            #""path": "/", "query": {"n": "string?"}, "open": {"screen": "Item", "arguments": {"id": 1, "note": "{n}"}}"#,
            #""path": "/", "block": "no""#,
            #""path": "/x", "web": "https://www.acme.com/""#,
        ]
    )
    func tableThatFitsItsScreensHasNoFinding(_ route: String) throws {
        #expect(try Self.findings(route) == [])
    }

    static let mistakes: [(route: String, code: Finding.Code, path: String, text: String)] = [
        (#""path": "/", "open": {"screen": "Hone"}"#, .unknownScreen, "open.screen", "Did you mean 'Home'?"),
        (#""path": "/", "open": {"screen": "Basket"}"#, .unknownScreen, "open.screen", "add the screen to 'screens'"),
        (
            #""path": "/", "open": {"screen": "Home", "stack": ["Hom", "Home"]}"#, .unknownScreen,
            "open.stack[0].screen",
            "'Hom'"
        ),
        (#""path": "/", "open": {"screen": "Item"}"#, .missingArgument, "open.arguments", "'id' (int)"),
        (
            #""path": "/", "open": {"screen": "Home", "stack": [{"screen": "Item"}]}"#, .missingArgument,
            "open.stack[0].arguments", "'id' (int)"
        ),
        (
            #""path": "/", "query": {"id": "int?"}, "open": {"screen": "Item", "arguments": {"id": "{id}"}}"#,
            .missingArgument, "open.arguments.id", "declare the argument as optional: int?"
        ),
        (
            #""path": "/", "open": {"screen": "Item", "arguments": {"id": 1, "tba": "list"}}"#, .unknownArgument,
            "open.arguments.tba", "Did you mean 'tab'?"
        ),
        (
            #""path": "/", "open": {"screen": "Home", "arguments": {"x": 1}}"#, .unknownArgument, "open.arguments.x",
            "It has no arguments."
        ),
        (
            #""path": "/{id}", "open": {"screen": "Item", "arguments": {"id": "{id}"}}"#, .mistypedArgument,
            "open.arguments.id", "is int, but its value is string"
        ),
        (
            #""path": "/{id:int}", "open": {"screen": "Item", "arguments": {"id": "{id}0"}}"#, .mistypedArgument,
            "open.arguments.id", "its value is string"
        ),
        (
            #""path": "/", "open": {"screen": "Item", "arguments": {"id": "7"}}"#, .mistypedArgument,
            "open.arguments.id",
            #"its value is "7""#
        ),
        (
            #""path": "/", "open": {"screen": "Item", "arguments": {"id": 7.5}}"#, .mistypedArgument,
            "open.arguments.id",
            "its value is 7.5"
        ),
        (
            #""path": "/{t(list,map)}", "open": {"screen": "Item", "arguments": {"id": 1, "tab": "{t}"}}"#,
            .mistypedArgument, "open.arguments.tab", "its value is (list,map)"
        ),
        (
            #""path": "/{t(list,detail)}", "caseSensitive": false, "open": {"screen": "Item", "arguments": {"id": 1, "tab": "{t}"}}"#,
            .mistypedArgument, "open.arguments.tab", "its value is string"
        ),
        (
            #""path": "/", "open": {"screen": "Item", "arguments": {"id": 1, "tab": "map"}}"#, .mistypedArgument,
            "open.arguments.tab", "(list,detail)"
        ),
        (
            #""path": "/{id:hex}", "open": {"screen": "User", "arguments": {"id": "{id}"}}"#, .mistypedArgument,
            "open.arguments.id", "is uuid"
        ),
        (
            #""path": "/{id:uuid}", "open": {"screen": "User", "arguments": {"id": "{id}", "since": "2026-02-30"}}"#,
            .mistypedArgument, "open.arguments.since", "is date"
        ),
        (
            #""path": "/{p...}", "open": {"screen": "List", "arguments": {"ids": "{p}"}}"#, .mistypedArgument,
            "open.arguments.ids", "is list(int), but its value is list(string)"
        ),
        (
            #""path": "/", "open": {"screen": "List", "arguments": {"ids": [1, "2"]}}"#, .mistypedArgument,
            "open.arguments.ids", "is list(int)"
        ),
        (
            #""path": "/", "open": {"screen": "Page", "arguments": {"path": [], "extra": null}}"#, .mistypedArgument,
            "open.arguments.extra", "is json, but its value is null"
        ),
        (
            #""path": "/", "open": {"screen": "Home"}, "experiment": {"id": "e", "variants": [{"name": "x"}, {"name": "y", "open": {"screen": "Hime"}}]}"#,
            .unknownScreen, "experiment.variants[1].open.screen", "Did you mean 'Home'?"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakeIsFound(_ route: String, _ code: Finding.Code, _ path: String, _ text: String) throws {
        let findings = try Self.findings(route)
        try #require(findings.count == 1, "\(findings)")
        #expect(findings[0].code == code)
        #expect(findings[0].severity == .error)
        #expect(findings[0].path == "routes[0].\(path)")
        #expect(findings[0].route?.rawValue == "a")
        #expect("\(findings[0].message) \(findings[0].fix)".contains(text), "\(findings[0])")
    }

    @Test func fallbackIsCompared() throws {
        let findings = try Self.findings(
            #""path": "/", "open": {"screen": "Home"}"#,
            defaults: #"{"fallback": {"open": {"screen": "Hme"}}}"#
        )
        #expect(findings.map(\.code) == [.unknownScreen])
        #expect(findings.map(\.path) == ["defaults.fallback.open.screen"])
    }

    @Test func unusedScreenIsAdvice() throws {
        let route = #""path": "/", "open": {"screen": "Home", "stack": [{"screen": "Item", "arguments": {"id": 1}}]}"#
        let advice = try Self.findings(route, now: Timestamp("2026-11-21T10:00:00Z")).filter {
            $0.code == .unusedScreen
        }
        #expect(advice.map(\.severity) == [.info])
        #expect(advice.map(\.message) == ["No route opens these screens: List, User, Page."])
        #expect(try Self.findings(route) == [])
    }

    @Test func declaredScreensDoNotChangeResolutions() throws {
        let routes = #"[{"id": "a", "path": "/{id:int}", "open": {"screen": "Item", "arguments": {"id": "{id}"}}}]"#
        let table = try RouteTable(try Fixture.field(#"{"screens": \#(Self.screens), "routes": \#(routes)}"#))
        let plain = try RouteTable(try Fixture.field(#"{"routes": \#(routes)}"#))
        let identity = try Fixture.identity()
        for link in ["acme://7", "acme://x", "https://go.acme.com/8"] {
            let context = LinkContext(platform: .ios)
            #expect(
                Router(identity: identity, table: table).resolve(link, in: context)
                    == Router(identity: identity, table: plain).resolve(link, in: context)
            )
        }
    }

    /// A million comparisons of misspelled names would keep the check busy for minutes.
    @Test func manyMisspelledScreensAreCheckedQuickly() throws {
        let declared = (0..<2_000).map { #""Screen\#($0)": {}"# }.joined(separator: ",")
        let routes = (0..<1_200).map { #"{"id": "r\#($0)", "path": "/\#($0)", "open": {"screen": "Scren\#($0)"}}"# }
        let text = #"{"screens": {\#(declared)}, "routes": [\#(routes.joined(separator: ","))]}"#
        let findings = try RouteTable(try Fixture.field(text)).check(for: try Fixture.identity())
        let unknown = findings.filter { $0.code == .unknownScreen }
        #expect(unknown.count == 1_001)
        #expect(unknown.first?.fix.hasPrefix("Did you mean 'Screen0'?") == true)
    }

    @Test(
        arguments: [
            (#"{"Home": null}"#, "screens.Home", "write an object"),
            (#"{"": {}}"#, "screens.", "a name is empty"),
            (#"{"Home": {"argument": {}}}"#, "screens.Home.argument", "did you mean 'arguments'?"),
            (#"{"Home": {"arguments": {"a": "integer"}}}"#, "screens.Home.arguments.a", "'integer' is not a type"),
            (#"{"Home": {"arguments": {"a": "itn"}}}"#, "screens.Home.arguments.a", "Did you mean 'int'?"),
            (#"{"Home": {"arguments": {"a": "(x,x)"}}}"#, "screens.Home.arguments.a", "duplicate value"),
            (#"{"Home": {"arguments": {"a": "list(list(int))"}}}"#, "screens.Home.arguments.a", "is not a type"),
            (#"{"Home": {"arguments": {"a": ["string"]}}}"#, "screens.Home.arguments.a", "write a type"),
            (#"{"Home": {"arguments": {"a": {"note": "x"}}}}"#, "screens.Home.arguments.a", "'type' is missing"),
            (#"["Home"]"#, "screens", "write an object"),
        ]
    )
    func wrongDeclarationIsAnError(_ screens: String, _ path: String, _ text: String) throws {
        do {
            _ = try RouteTable(try Fixture.field(#"{"screens": \#(screens), "routes": []}"#))
            Issue.record("the declaration was accepted")
        } catch let error as RouteTable.DecodingErrors {
            #expect(error.errors.map(\.path) == [path])
            #expect(error.errors[0].message.contains(text), "\(error)")
        }
    }

    @Test func typesAreWrittenAsTheyAreRead() throws {
        for text in ["string", "int", "number", "bool", "uuid", "date", "json", "(a,b c)", "list(int)", "list((a,b))"] {
            #expect(try ArgumentType(text).description == text)
        }
    }

    @Test func joinedTypeAcceptsBoth() throws {
        let types = try [
            "string", "int", "number", "bool", "uuid", "date", "json", "(a,b)", "(b,c)", "list(int)", "list(uuid)",
        ]
        .map { try ArgumentType($0) }
        for left in types {
            for right in types {
                let joined = left.joined(with: right)
                #expect(joined.accepts(left) && joined.accepts(right), "\(left) \(right) \(joined)")
            }
        }
        #expect(try ArgumentType("(a,b)").joined(with: try ArgumentType("(b,c)")).description == "(a,b,c)")
        #expect(ArgumentType.int.joined(with: .number) == .number)
        #expect(ArgumentType.uuid.joined(with: .date) == .string)
        #expect(ArgumentType.int.joined(with: .string) == .json)
    }
}
