import Testing

@testable import LinkRouting

struct RoutePatternTests {
    @Test(arguments: [
        ("/", "", false), ("/product/new", "product | new", false), ("/a/", "a", true), ("/%41%2Fb", "A/b", false),
        (#"/\{\}\*\\"#, #"{}*\"#, false), ("/café", "café", false), ("/{id}", "{id}", false),
        ("/{id:int}", "{id:int}", false),
        ("/{id:string}", "{id}", false), ("/{id:int(1..999999)}", "{id:int(1..999999)}", false),
        ("/{id:int(1..)}", "{id:int(1..)}", false), ("/{id:number(..9.5)}", "{id:number(..9.5)}", false),
        ("/{code:alnum(6)}", "{code:alnum(6)}", false), ("/{code:hex(2..8)}", "{code:hex(2..8)}", false),
        ("/{tab(list,detail)}", "{tab(list,detail)}", false), ("/files/{name}.{ext}", "files | {name}.{ext}", false),
        ("/item-{id:int}", "item-{id:int}", false), ("/docs/{path...}", "docs | {path...}", false),
        ("/a/*/b", "a | * | b", false),
        ("/{a_B9}", "{a_B9}", false), ("/[a]/b;c=1", "[a] | b;c=1", false),
    ]) func patternIsRead(_ text: String, _ segments: String, _ slash: Bool) throws {
        let pattern = try RoutePattern(text)
        #expect(pattern.segments.map(\.description).joined(separator: " | ") == segments)
        #expect(pattern.hasTrailingSlash == slash)
        #expect(pattern.description == text)
    }

    @Test(arguments: [
        ("", "must start with '/'"), ("a/b", "write '/a/b'"), ("https://acme.com/a/{b}", "write '/a/{b}'"),
        ("https://acme.com", "write '/'."), ("/a//b", "remove the doubled '/'"),
        ("//", "remove the doubled '/'"),
        ("/{rest...}/b", "must be the last segment; move '{rest...}' to the end"),
        ("/x{rest...}", "must be a whole segment; write '/{rest...}'"),
        ("/{rest...}x", "must be a whole segment"), ("/{a}{b}", "put a character between them"),
        ("/{a}/{a}", "duplicate parameter name 'a'"),
        ("/{", "is not a parameter"), ("/{}", "is not a parameter"), ("/{1a}", "a name is a letter"),
        ("/{a.b}", "not closed"),
        ("/{a", "not closed"), ("/{a:int", "not closed"), ("/a}", "'}' has no '{'"), ("/a*", "\\* for a literal star"),
        ("/*a", "'*' must be a whole segment; for the rest of the path, write {a...}."), ("/**", "write {rest...}."),
        ("/*-a", "within a segment, write a parameter such as {name}."), ("/a?", "a segment cannot be optional"),
        ("/{id}?/b", "a segment cannot be optional"), ("/a?b", "'?' is not part of a path"),
        (" /a ", "not with white space; write '/a'."), ("\u{A0}a", "write '/a'."),
        ("“/a”", "replace the typographic quotes; write '/a'."),
        ("^/a/[0-9]+$", "regular expressions are not supported; write '/a/{name:int}'."), ("^/a$", "write '/a'."),
        (#"^\/a\/(\d+)$"#, "write '/a/{name:int}'."), (#"/a/(\d+)"#, "write '/a/{name:int}'."),
        (#"/a/:id(\d+)/\w+"#, "write '/a/{id:int}/{name}'."),
        ("/a/{id:[0-9]+}", "regular expressions are not supported; write {id:int}."),
        (#"/a/{id:\w{2}}"#, "regular expressions are not supported; write {id}."),
        ("/{*path}", "for the rest of the path, write {path...}."), ("/{...x}", "write {x...}."),
        ("/{x*}", "write {x...}."),
        ("/{int:id}", "the name comes first; write {id:int}."), ("/{date:dat}", "'dat' is not a type"),
        ("/{product-id:int}", "'{product-id:int}' is not a parameter; write {product_id:int}."),
        ("/{a:alnum{6}}", "write {a:alnum(6)}."), ("/{a:hex{2,8}}", "write {a:hex(2..8)}."),
        ("/{{id}}", "write {id}."), ("/{?}", "a name is a letter"),
        ("/a/{id?}", "write two routes, one with the path /a and one with /a/{id}."),
        ("/{id?}", "write two routes, one with the path / and one with /{id}."),
        ("/a/{id:int?}", "write two routes, one with the path /a and one with /a/{id:int}."),
        ("/{id?}/b", "a parameter cannot be optional; write a route with {id} and one without it."),
        ("/{a:strng}", "'strng' is not a type; use string, int"), ("/{a:int(9..1)}", "put the smaller bound first"),
        ("/{a:int(..)}", "write int(1..9)"), ("/{a:int(x)}", "is not a range"),
        ("/{a:int(1..99999999999999999999)}", "is not a range"),
        ("/{a:bool(1..2)}", "takes no range"), ("/{a:alnum(0)}", "is not a range"),
        ("/{a:alnum(+6)}", "is not a range"), ("/{a:hex(-1..2)}", "is not a range"), ("/{a:int(1..2}", "is not closed"),
        ("/{a(x,)}", "an empty value"), ("/{a(x,x)}", "lists 'x' twice"), ("/{a(x", "is not closed"),
        ("/{a()}", "an empty value"),
        ("/%4", "write %25"), ("/%zz", "write %25"), ("/%00", "no control"), ("/a?b", "use 'query'"),
        ("/a#b", "use 'query' or 'fragment'"),
        ("/%ff", "not UTF-8"), ("/..", "no link can have a segment"), ("/a/./b", "no link can have a segment"),
        (#"/\a"#, "a backslash can escape only"),
        ("/a\u{1}", "control character"), ("/" + String(repeating: "a/", count: 65), "at most 64 segments"),
        ("/" + (0..<9).map { "{a\($0)}" }.joined(separator: "-"), "at most 8 parameters"),
    ]) func malformedPatternIsRefusedWithAdvice(_ text: String, _ hint: String) {
        let error = #expect(throws: RoutePattern.SyntaxError.self) { try RoutePattern(text) }
        let hint = hint == "no control" ? "control character" : hint
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix("Pattern '\(text)': ") == true)
        #expect((0...text.utf8.count).contains(error?.offset ?? -1))
    }

    @Test(arguments: [
        ("links.acme.com", "links.acme.com"), ("LINKS.acme.com.", "links.acme.com"),
        ("{shop}.acme.link", "{shop}.acme.link"),
        ("*.acme.link", "*.acme.link"), ("{shop:slug}.acme.link", "{shop:slug}.acme.link"),
        ("XN--BCHER-KVA.example", "bücher.example"),
    ]) func hostPatternIsRead(_ text: String, _ description: String) throws {
        #expect(try HostPattern(text).description == description)
    }

    @Test(arguments: [
        ("", "leave 'host' out"), ("{shop}", "must be a whole label"), ("{shop}x.acme.link", "must be a whole label"),
        ("*", "must be a whole label"),
        ("a.{shop}.acme.link", "not a host"), ("{shop...}.acme.link", "exactly one label"),
        ("https://a.example", "not a host"),
        ("a.example/b", "not a host"), ("a.example:80", "not a host"), ("{shop}.", "not a host"),
    ]) func malformedHostPatternIsRefusedWithAdvice(_ text: String, _ hint: String) {
        let error = #expect(throws: RoutePattern.SyntaxError.self) { try HostPattern(text) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }

    @Test func hostPatternMeetsBothFormsOfAName() throws {
        let router = try Fixture.router(
            [
                #"{"id": "exact", "host": "bücher.example", "path": "/a", "open": {"screen": "S"}}"#,
                #"{"id": "label", "host": "{shop}.bücher.example", "path": "/a", "open": {"screen": "S"}}"#,
            ],
            settings: #"{"domains": ["bücher.example", "*.bücher.example"]}"#
        )
        for host in ["bücher.example", "xn--bcher-kva.example", "BU\u{308}CHER.example"] {
            #expect(router.resolve("https://\(host)/a", in: LinkContext()).route?.rawValue == "exact")
            #expect(router.resolve("https://s1.\(host)/a", in: LinkContext()).parameters.first?.text == "s1")
        }
    }

    @Test func customSchemeHasNoHostPattern() throws {
        let router = try Fixture.router([#"{"id": "a", "host": "go.acme.com", "path": "/a", "open": {"screen": "S"}}"#])
        #expect(router.winner("/a") == "/a")
        #expect(router.resolve("acme://a", in: LinkContext()).outcome == .unmatched)
    }
}
