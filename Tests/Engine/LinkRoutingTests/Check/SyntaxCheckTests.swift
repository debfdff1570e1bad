import LinkRouting
import Testing

/// Patterns that are written for another router.
struct SyntaxCheckTests {
    private func findings(_ routes: [String]) throws -> [Finding] {
        try Fixture.table(routes).check(for: try Fixture.identity())
    }

    /// Syntax of other routers in a path, and the path to write instead; nil for a path that is as it should be.
    @Test(
        arguments: [
            ("/user/<id>", "/user/{id}", .error), ("/user/<int:id>", "/user/{id:int}", .error),
            ("/user/<id:int>", "/user/{id:int}", .error), ("/f/<path:rest>", "/f/{rest...}", .error),
            ("/u/<string:user-name>.html", "/u/{user_name}.html", .error), ("/u/<uuid:id>/x", "/u/{id:uuid}/x", .error),
            ("/user/[id]", "/user/{id}", .error), ("/docs/[...rest]", "/docs/{rest...}", .error),
            ("/docs/[[...rest]]", "/docs/{rest...}", .error), ("/user/[id=int]", "/user/{id:int}", .error),
            ("/user/:id", "/user/{id}", .error), ("/user/:id/edit", "/user/{id}/edit", .error),
            ("/flights/:from-:to", "/flights/{from}-{to}", .error), ("/:user-:id.json", "/{user}-{id}.json", .error),
            ("/docs/:rest+", "/docs/{rest...}", .error), ("/feed/:tab(new|top)", "/feed/{tab(new,top)}", .error),
            ("/@:user", "/@{user}", .error), ("/(:lang)/x", "/{lang}/x", .error),
            ("/feed/{tab(new|top)}", "/feed/{tab(new,top)}", .error), ("/b/(x|y)", "/b/{name(x,y)}", .error),
            ("/p/[0-9]+", "/p/{name:int}", .error), ("/p/[0-9]+/[a-z]+", "/p/{name:int}/{name2}", .error),
            ("/p/^x", "/p/{name}", .error),
            // Somebody may mean these texts.
            ("/user/$id", "/user/{id}", .warning), ("/$5", "/{name}", .warning),
            ("/files/$", "/files/{rest...}", .warning),
            ("/@name", "/@{name}", .warning), ("/(tabs)/home", "/home", .warning), ("/(tabs)", "/", .warning),
            ("/${id}", "/{id}", .warning),
            ("/user/{id:int}", nil, nil), ("/a/*/b", nil, nil), ("/{path...}", nil, nil), ("/a:b/12:30", nil, nil),
            ("/@{name}", nil, nil), ("/{tab(a,b)}", nil, nil), ("/a+b/user@acme.com", nil, nil), ("/%3Aid", nil, nil),
            ("/%5Bid%5D", nil, nil), ("/a(b)/c$", nil, nil), ("/\\{id\\}", nil, nil), ("/{x(:id)}", nil, nil),
            ("/a-{b}.{c}", nil, nil),
        ] as [(String, String?, Finding.Severity?)]
    )
    func syntaxOfAnotherRouterIsFound(_ path: String, _ correction: String?, _ severity: Finding.Severity?) throws {
        let route = #"{"id": "a", "path": \#(JSONNode.string(path).json()), "web": "https://www.acme.com/"}"#
        let found = try findings([route])
        #expect(found.map(\.code) == (correction == nil ? [] : [Finding.Code.foreignSyntax]))
        #expect(found.first?.path ?? "routes[0].path" == "routes[0].path")
        #expect(found.first?.severity == severity)
        #expect(found.first?.fix == correction.map { "Write \($0)." })
    }

    @Test(
        arguments: [
            (#""fragment": "/item/:id""#, "fragment", .error, "Write /item/{id}."),
            (#""fragment": "/item/[id]""#, "fragment", .error, "Write /item/{id}."),
            (#""fragment": "/@name""#, "fragment", .warning, "Write /@{name}."),
            (
                #""fragment": "!/item/{id:int}""#, "fragment", .error,
                "Only a fragment that begins with '/' is a pattern"
            ),
            (#""fragment": "!/item/:id""#, "fragment", .error, "Only a fragment that begins with '/' is a pattern"),
            (##""fragment": "#/item/:id""##, "fragment", .error, "Write /item/{id}: the fragment begins behind"),
            (##""fragment": "#top""##, "fragment", .error, "Write top:"),
            (#""fragment": "item/{id}""#, "fragment", .error, "write /item/{id} for links"),
            (#""fragment": "item/:id""#, "fragment", .error, "write /item/{id} for links"),
            (#""fragment": "*rest""#, "fragment", .error, "write /{rest...} for links"),
            (#""query": {"id": {"equals": ":id"}}"#, "query", .error, "Write 'id: string'"),
            (#""query": {"id": {"equals": "[0-9]+"}}"#, "query", .error, "Write 'id: int'"),
            (#""query": {"id": {"equals": "<int:id>"}}"#, "query", .error, "Write 'id: int'"),
            (#""query": {"id": {"oneOf": ["a", "{id}"]}}"#, "query", .error, "Write 'id: string'"),
            (#""query": {"id": {"equals": "*"}}"#, "query", .warning, "Write 'id: present'"),
            (#""query": {"id": {"equals": "$5"}}"#, "query", .warning, "Write 'id: string'"),
        ] as [(String, String, Finding.Severity, String)]
    )
    func syntaxOfAnotherRouterOutsideThePathIsFound(
        _ key: String,
        _ place: String,
        _ severity: Finding.Severity,
        _ fix: String
    ) throws {
        let found = try findings([#"{"id": "a", "path": "/a", \#(key), "web": "https://www.acme.com/"}"#])
        #expect(found.map(\.code) == [.foreignSyntax])
        #expect(found.first?.path == "routes[0].\(place)")
        #expect(found.first?.severity == severity)
        #expect(found.first?.fix.contains(fix) == true, "\(found)")
    }

    @Test(arguments: [
        #""fragment": "/item/{id:int}""#, #""fragment": "top""#, #""fragment": "section-1:2""#, #""fragment": "a{}b""#,
        #""query": {"id": {"equals": "a@b.com"}}"#, #""query": {"q": {"oneOf": ["c++", "a|b", "{}", "12:30"]}}"#,
    ])
    func ownSyntaxOutsideThePathHasNoFinding(_ key: String) throws {
        #expect(try findings([#"{"id": "a", "path": "/a", \#(key), "web": "https://www.acme.com/"}"#]) == [])
    }

    /// An optional group needs two routes.
    @Test(
        arguments: [
            ("/a(/:id)", .error, "Write two routes, one with the path /a and one with /a/{id}."),
            ("/a(/:id)/edit", .error, "Write two routes, one with the path /a/edit and one with /a/{id}/edit."),
            ("/a(/b)", .warning, "Write two routes, one with the path /a and one with /a/b."),
            ("/:a(/:b(/:c))", .error, "Write a route for each form of the path."),
        ] as [(String, Finding.Severity, String)]
    )
    func optionalGroupIsFound(_ path: String, _ severity: Finding.Severity, _ fix: String) throws {
        let found = try findings([#"{"id": "a", "path": "\#(path)", "web": "https://www.acme.com/"}"#])
        #expect(found.map(\.code) == [.foreignSyntax])
        #expect(found.first?.severity == severity && found.first?.fix == fix, "\(found)")
    }

    /// Parameters of other languages in templates are literal text.
    @Test(
        arguments: [
            (Self.argument("${id}"), "open.arguments.x", "The '$' of '${id}' is literal text here."),
            (Self.argument("%{id}"), "open.arguments.x", "The '%' of '%{id}' is literal text here."),
            (Self.argument("$id"), "open.arguments.x", "'$id' is literal text here, no parameter."),
            (Self.argument("no :id"), "open.arguments.x", "':id' is literal text here, no parameter."),
            (Self.argument("<id>"), "open.arguments.x", "'<id>' is literal text here, no parameter."),
            (Self.argument("<int:id>"), "open.arguments.x", "'<int:id>' is literal text here, no parameter."),
            (Self.argument("$1"), "open.arguments.x", "'$1' is literal text here, no parameter."),
            (
                #""open": {"screen": "S", "stack": [{"screen": "T", "arguments": {"x": ":id"}}]}, \#(page)"#,
                "open.stack[0].arguments.x", "':id' is literal text here, no parameter."
            ),
            (
                #""open": {"screen": "S", "uri": "acme://item/:id"}, \#(page)"#, "open.uri",
                "':id' is literal text here, no parameter."
            ),
            (#""campaign": "$id", \#(page)"#, "campaign", "'$id' is literal text here, no parameter."),
            (#""web": "https://www.acme.com/a/:id""#, "web", "':id' is literal text here, no parameter."),
            (#""web": "https://www.acme.com/a/$1""#, "web", "'$1' is literal text here, no parameter."),
            (#""web": {"ios": "https://www.acme.com/?x=${id}", \#(other)}"#, "web", "The '$' of '${id}' is literal"),
        ] as [(String, String, String)]
    )
    func parameterOfAnotherLanguageInATemplateIsFound(_ keys: String, _ place: String, _ message: String) throws {
        let found = try findings([#"{"id": "a", "path": "/a/{id}", \#(keys)}"#])
        #expect(found.map(\.code) == [.foreignSyntax] && found.first?.severity == .warning)
        #expect(found.first?.path == "routes[0].\(place)" && found.first?.fix == "Write {id}.")
        #expect(found.first?.message.hasPrefix(message) == true, "\(found)")
    }

    private static let page = #""web": "https://www.acme.com/""#
    private static let other = #""default": "https://www.acme.com/""#

    private static func argument(_ text: String) -> String {
        #""open": {"screen": "S", "arguments": {"x": \#(JSONNode.string(text).json())}}, \#(page)"#
    }

    @Test(arguments: [
        ":other", "12:30", "a:id", "$5.99", "Save $5", "$10", "{id}%", "US${id}", "$\\{id\\}", "<b>id</b>", "{id}:id",
    ])
    func otherTextInAnArgumentHasNoFinding(_ text: String) throws {
        #expect(try findings([#"{"id": "a", "path": "/a/{id}", \#(Self.argument(text))}"#]) == [])
    }

    @Test(arguments: [":8080/{id}", "/12:30/$", "/%7Bid%7D", "/a:id"])
    func otherTextInAPageHasNoFinding(_ rest: String) throws {
        #expect(try findings([#"{"id": "a", "path": "/a/{id}", "web": "https://www.acme.com\#(rest)"}"#]) == [])
    }

    @Test func numberWithoutOneParameterNamesThemAll() throws {
        for (path, fix) in [
            ("/a", "Nothing is captured here; write the value itself."),
            ("/{b}/{a}", "Write one of the captured parameters: {a}, {b}."),
        ] {
            let found = try findings([#"{"id": "a", "path": "\#(path)", "web": "https://www.acme.com/$2"}"#])
            #expect(found.map(\.fix) == [fix])
        }
    }
}
