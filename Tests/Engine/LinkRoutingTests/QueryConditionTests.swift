import LinkRouting
import Testing

struct QueryConditionTests {
    private func resolution(_ query: String, _ path: String, defaults: String = "{}") throws -> Resolution {
        try Fixture.router(
            [#"{"id": "a", "path": "/a", "query": \#(query), "open": {"screen": "S"}}"#],
            defaults: defaults
        )
        .resolve("https://go.acme.com/a" + path, in: LinkContext(platform: .ios))
    }

    static let rows: [(query: String, link: String, holds: Bool)] = [
        (#"{"q": "present"}"#, "?q", true), (#"{"q": "present"}"#, "?q=%zz", true), (#"{"q": true}"#, "?%71=1", true),
        (#"{"q": "present"}"#, "?Q", false),
        (#"{"q": "present"}"#, "?%zz&q2", false), (#"{"q": "absent"}"#, "", true),
        (#"{"q": "absent"}"#, "?q=%zz", false), (#"{"q": false}"#, "?q", false),
        (#"{"q": {"equals": "x y"}}"#, "?q=x%20y", true), (#"{"q": {"equals": "x y"}}"#, "?q=x+y", false),
        (#"{"q": {"equals": ""}}"#, "?q", true),
        (#"{"q": {"equals": ""}}"#, "?q=", true), (#"{"q": {"equals": "1"}}"#, "?q=1&q=1", true),
        (#"{"q": {"equals": "1"}}"#, "?q=1&q=2", false),
        (#"{"q": {"equals": "1"}}"#, "?q=1&q=%zz", false), (#"{"q": {"equals": 1}}"#, "?q=1", true),
        (#"{"q": {"equals": "é"}}"#, "?q=e%CC%81", false),
        (#"{"q": {"oneOf": ["1", "2"]}}"#, "?q=2&q=1", true), (#"{"q": {"oneOf": ["1", "2"]}}"#, "?q=3", false),
        (#"{"q": {"oneOf": ["1"]}}"#, "", false),
        (#"{"q": "int"}"#, "?q=7", true), (#"{"q": "int"}"#, "", false), (#"{"q": "int"}"#, "?q", false),
        (#"{"q": "int"}"#, "?q=7&q=x", false),
        (#"{"q": "int?"}"#, "", true), (#"{"q": "int?"}"#, "?q=x", false), (#"{"q": "int = 1"}"#, "", true),
        (#"{"q": "int = 1"}"#, "?q=x", false),
        (#"{"q": "int = 1"}"#, "?q", false), (#"{"q": "string"}"#, "?q", true), (#"{"q": "(a,b)"}"#, "?q=b", true),
        (#"{"q": "(a,b)?"}"#, "?q=c", false),
        (#"{"b[]": {"capture": "int", "as": "b"}}"#, "?b[]=1", true), (#"{"b[]": "present"}"#, "?b%5B%5D", true),
        (#"{"q": "present"}"#, "?x=1&q&y", true),
        (#"{"q": {"oneOf": ["1", "2"]}}"#, "?" + occurrences(["1", "2"]), true),
        (#"{"q": {"oneOf": ["1", "2"]}}"#, "?" + occurrences(["1", "2"]) + "&q=3", false),
        (#"{"q": {"oneOf": ["1", "2"]}}"#, "?" + occurrences(["1", "2"]) + "&q=%zz", false),
        (#"{"q": {"oneOf": ["é", "1"]}}"#, "?" + occurrences(["1"]) + "&q=e%CC%81", false),
        (#"{"q": {"oneOf": ["é", "1"]}}"#, "?" + occurrences(["1"]) + "&q=%C3%A9&%71=1", true),
        (#"{"q": "(a,b)"}"#, "?" + occurrences(["a", "b"]), true),
        (#"{"q": "(a,b)"}"#, "?" + occurrences(["a", "b"]) + "&q=A", false),
        (#"{"q": "int"}"#, "?" + occurrences(["1", "x"]), false),
        (#"{"q": "absent"}"#, "?" + occurrences(["1"]), false),
        // An optional item that cannot be decoded counts as absent.
        (#"{"q": "int?"}"#, "?q=%00", true), (#"{"q": "int?"}"#, "?q=%zz&q=7", true),
        (#"{"q": "int?"}"#, "?q=%zz&q=x", false),
        (#"{"q": "int = 1"}"#, "?q=%C3", true), (#"{"q": "int"}"#, "?q=%0A", false),
        (#"{"q": "(a,b)?"}"#, "?q=%zz", true),
        (#"{"q": "int?"}"#, "?" + occurrences(["%zz"]), true),
        (#"{"q": "int?"}"#, "?" + occurrences(["%zz", "7"]), true),
        (#"{"q": "int?"}"#, "?" + occurrences(["%zz", "x"]), false),
        (#"{"q": "int"}"#, "?" + occurrences(["7", "%zz"]), false),
    ]

    /// Twelve items `q` with these values in turn.
    private static func occurrences(_ values: [String]) -> String {
        (0..<12).map { "q=\(values[$0 % values.count])" }.joined(separator: "&")
    }

    @Test(arguments: rows) func conditionHoldsOrNot(_ query: String, _ link: String, _ holds: Bool) throws {
        #expect((try resolution(query, link).outcome == .matched) == holds)
    }

    /// After many conditions, the items of a link with many of them are looked up by name.
    @Test(arguments: rows) func conditionOfTheLastOfManyRoutesHoldsOrNot(_ query: String, _ link: String, _ holds: Bool)
        throws
    {
        let others = (0..<40).map {
            #"{"id": "r\#($0)", "path": "/a", "query": {"other\#($0)": "present"}, "open": {"screen": "S"}}"#
        }
        let router = try Fixture.router(
            others + [#"{"id": "a", "path": "/a", "query": \#(query), "open": {"screen": "S"}}"#]
        )
        let items = (0..<20).map { "more\($0)=1" }.joined(separator: "&")
        let long = link.isEmpty ? "?\(items)" : "\(link)&\(items)"
        let resolution = router.resolve(
            "https://go.acme.com/a\(long)",
            in: LinkContext(platform: .ios),
            explanation: .included
        )

        #expect((resolution.route?.rawValue == "a") == holds)
        #expect((resolution.trace?.entries.contains { $0.route.rawValue == "a" } == true) == !holds)
    }

    /// A link of 8 KiB and a table whose routes have many conditions that each compare all items.
    @Test(.timeLimit(.minutes(5))) func manyItemsAndManyConditionsAreComparedInTime() throws {
        let absent = (0..<62).map { #""q\#($0)": "absent""# }.joined(separator: ",")
        let values = (0..<900).map { #""\#($0)""# }.joined(separator: ",")
        let router = try Fixture.router(
            (0..<400).map {
                #"{"id": "r\#($0)", "path": "/a", "query": {\#(absent), "z": {"equals": "\#($0)"}}, "open": {"screen": "S"}}"#
            }
                + (0..<40).map {
                    #"{"id": "s\#($0)", "path": "/a", "query": {"v": {"oneOf": [\#(values)]}, "y": "present"}, "open": {"screen": "S"}}"#
                }
        )
        let items = (0..<1_000).map { "v=\($0 % 900)" } + (0..<300).map { "x\($0)" } + ["z=none"]
        let resolution = router.resolve(
            "https://go.acme.com/a?" + items.joined(separator: "&"),
            in: LinkContext(platform: .ios)
        )

        #expect(resolution.outcome == .unmatched)
    }

    @Test(arguments: [
        (#"{"q": "int"}"#, "?q=7&q=8", "7"), (#"{"q": "int?"}"#, "", nil), (#"{"q": "int = 1"}"#, "", "1"),
        (#"{"q": "string"}"#, "?q", ""),
        (#"{"q": "int"}"#, "?q=%37", "7"), (#"{"q": {"capture": "string", "as": "name"}}"#, "?q=x", "x"),
    ]) func firstOccurrenceIsCaptured(_ query: String, _ link: String, _ captured: String?) throws {
        #expect(try resolution(query, link).parameters.first?.text == captured)
    }

    @Test func plusIsASpaceIfTheTableDeclaresIt() throws {
        let query = #"{"x y": {"equals": "1 2"}}"#
        #expect(try resolution(query, "?x+y=1+2", defaults: #"{"plusIsSpace": true}"#).outcome == .matched)
        #expect(try resolution(query, "?x+y=1+2").outcome == .unmatched)
    }

    @Test(arguments: [
        (#"{"": "present"}"#, "needs a name"), (#"{"q": "premium"}"#, "with a string, write {equals: premium}"),
        (#"{"q": "int = x"}"#, "the default 'x' does not match the type int"),
        (#"{"a-b": "int"}"#, "write {capture: int, as: name}"), (#"{"q": {}}"#, "write present, absent, a type"),
        (#"{"q": {"equal": "1"}}"#, "did you mean 'equals'?"),
        (#"{"q": "{q}"}"#, "'{q}' is not a type; write string to capture the value, or present for any value."),
        (#"{"q": "{q:int}"}"#, "write int to capture the value"), (#"{"q": ":q"}"#, "write string to capture"),
        (#"{"q": "two words"}"#, #"with a string, write {equals: "two words"}"#),
        (#"{"q": 1}"#, "write an object"),
    ]) func malformedConditionIsRefusedWithAdvice(_ query: String, _ hint: String) throws {
        let error = #expect(throws: RouteTable.DecodingErrors.self) {
            try Fixture.table([#"{"id": "a", "path": "/a", "query": \#(query), "open": {"screen": "S"}}"#])
        }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }
}

struct FragmentConditionTests {
    @Test(arguments: [
        (#""top""#, "#top", true), (#""top""#, "#%74op", true), (#""top""#, "", false), (#""top""#, "#Top", false),
        (#""top""#, "#top%zz", false),
        (#"{"equals": "/a"}"#, "#/a", true), (#""/item/{id:int}""#, "#/item/7", true),
        (#""/item/{id:int}""#, "#/item/x", false),
        (#""/item/{id:int}""#, "#item/7", false), (#""/item/{id:int}""#, "#/item/7/", true),
        (#""/{rest...}""#, "#//x", true), (#""/{a}""#, "#//x", true),
        (#""/{a}/{b}""#, "#/x?y/z", true), (#""/{a}""#, "#/x/..", false),
    ]) func conditionHoldsOrNot(_ fragment: String, _ link: String, _ holds: Bool) throws {
        let router = try Fixture.router([
            #"{"id": "a", "path": "/a", "fragment": \#(fragment), "open": {"screen": "S"}}"#
        ])
        #expect((router.winner("/a" + link) != nil) == holds)
    }

    @Test func fragmentPathIsCaptured() throws {
        let router = try Fixture.router([
            #"{"id": "a", "path": "/a", "fragment": "/{tab}/{rest...}", "open": {"screen": "S"}}"#
        ])
        let resolution = router.resolve("https://go.acme.com/a#/x%2Fy//z?q", in: LinkContext(platform: .ios))
        #expect(resolution.parameters.map(\.value) == [.string("x/y"), .list(["", "z?q"])])
        #expect(resolution.parameters.map(\.location) == [.fragment, .fragment])
    }
}
