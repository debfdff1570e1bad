import LinkRouting
import Testing

struct TableDecodingTests {
    private static let open = #""open": {"screen": "S"}"#

    @Test(arguments: [
        // table, path, line, hint
        (#"{"routes": {}}"#, "routes", 1, "write a list"),
        (#"{"formatVersion": 2}"#, "formatVersion", 1, "this engine reads formatVersion: 1"),
        (#"{"formatVersion": "1"}"#, "formatVersion", 1, "Remove the quotes."),
        (#"{"requires": ["warp"]}"#, "requires", 1, "this engine does not support warp"),
        (#"{"route": []}"#, "route", 1, "did you mean 'routes'?"),
        (
            "{\"routes\": [\n{\"id\": \"a\", \"path\": \"/a\", \(open)},\n{\"id\": \"a\", \"path\": \"/b\", \(open)}]}",
            "routes[1]", 3, "duplicate id 'a', first used at routes[0]"
        ),
        (#"{"routes": [{"path": "/a"}]}"#, "routes[0]", 1, "'id' is missing"),
        (#"{"routes": [{"id": "a"}]}"#, "routes[0]", 1, "'path' is missing"),
        (#"{"routes": [{"id": "A B", "path": "/a"}]}"#, "routes[0].id", 1, "is not an id; use 1 to 64 of a-z"),
        ("{\"routes\": [{\"id\": \"a\",\n  \"path\": \"a\"}]}", "routes[0].path", 2, "write '/a'"),
        (#"{"routes": [{"id": "a", "path": 7}]}"#, "routes[0].path", 1, "write a string"),
        (#"{"routes": [{"id": "a", "path": "/a", "opne": {}}]}"#, "routes[0].opne", 1, "did you mean 'open'?"),
        (#"{"routes": [{"id": "a", "path": "/a", "open": {}}]}"#, "routes[0].open", 1, "'screen' is missing"),
        (#"{"routes": [{"id": "a", "path": "/a", "open": {"screen": ""}}]}"#, "routes[0].open", 1, "'screen' is empty"),
        (
            #"{"routes": [{"id": "a", "path": "/a", "open": {"screen": "S", "arguments": {"x": "{"}}}]}"#,
            "routes[0].open.arguments.x", 1, "has no '}'"
        ),
        (#"{"routes": [{"id": "a", "path": "/a", "web": "/relative"}]}"#, "routes[0].web", 1, "start with its scheme"),
        (#"{"routes": [{"id": "a", "path": "/a", "web": "acme://x"}]}"#, "routes[0].web", 1, "not a web page"),
        (#"{"routes": [{"id": "a", "path": "/a", "web": {}}]}"#, "routes[0].web", 1, "write a URL, or an object"),
        (#"{"routes": [{"id": "a", "path": "/a", "block": ""}]}"#, "routes[0].block", 1, "write a reason"),
        (
            #"{"routes": [{"id": "a", "path": "/a", "block": "x", "web": "https://www.acme.com"}]}"#, "routes[0].web",
            1, "remove 'web' or 'block'"
        ),
        (#"{"routes": [{"id": "a", "path": "/a", "signIn": true}]}"#, "routes[0].signIn", 1, "required, optional"),
        (
            #"{"routes": [{"id": "a", "path": "/a", "signIn": "always"}]}"#, "routes[0].signIn", 1,
            "not one of: required, optional"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "forward": "some"}]}"#, "routes[0].forward", 1,
            "write all, none, or a list"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "audience": "me"}]}"#, "routes[0].audience", 1,
            "not one of: everyone, server"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "trailingSlash": "maybe"}]}"#, "routes[0].trailingSlash", 1,
            "not one of: ignore, strict"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "minimumVersion": "new"}]}"#, "routes[0].minimumVersion", 1,
            "is not a version"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a/{x}", "query": {"x": "int"}}]}"#, "routes[0]", 1,
            "'x' is captured twice"
        ),
        (
            "{\"routes\": [{\"id\": \"a\", \"path\": \"/a/{y}\",\n \"sensitive\": [\"y\", \"x\"]}]}",
            "routes[0].sensitive[1]", 2, "'sensitive' names 'x', which the route does not capture"
        ),
        (#"{"routes": [{"id": "a", "path": "/a", "sensitive": "x"}]}"#, "routes[0].sensitive", 1, "does not capture"),
        (
            #"{"routes": [{"id": "a", "path": "/a/{y}", "sensitive": true}]}"#, "routes[0].sensitive", 1,
            "write a list of parameters, such as [y]"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "forward": true}]}"#, "routes[0].forward", 1,
            "true is not valid; write all, none, or a list"
        ),
        (#"{"routes": [{"id": "a", "path": "/a", "host": "a b"}]}"#, "routes[0].host", 1, "not a host"),
        (
            #"{"routes": [{"id": "a", "path": "/a", "experiment": {"id": "x", "variants": []}}]}"#,
            "routes[0].experiment", 1, "1 to 100 variants"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "experiment": {"id": "x", "variants": [{"name": "a"}, {"name": "a"}]}}]}"#,
            "routes[0].experiment.variants[1]", 1, "duplicate variant name 'a'"
        ),
        (
            #"{"routes": [{"id": "a", "path": "/a", "block": "x", "experiment": {"id": "x", "variants": [{"name": "a"}]}}]}"#,
            "routes[0].experiment", 1, "cannot have variants"
        ),
    ]) func errorNamesPlaceAndRemedy(_ text: String, _ path: String, _ line: Int, _ hint: String) throws {
        let error = #expect(throws: RouteTable.DecodingErrors.self) { try RouteTable(try Fixture.field(text)) }
        let first = try #require(error?.errors.first)
        #expect(first.path == path)
        #expect(first.position.line == line)
        #expect(first.message.contains(hint), "\(first)")
    }

    @Test func everyRouteIsReadSoThatAllErrorsAreReported() {
        let error = #expect(throws: RouteTable.DecodingErrors.self) {
            try Fixture.table([
                #"{"id": "a", "path": "a"}"#, #"{"id": "b", "path": "/b"}"#, #"{"id": "c", "path": "/{"}"#,
            ])
        }
        #expect(error?.errors.map(\.path) == ["routes[0].path", "routes[2].path"])
    }

    /// These limits bound the work per link. Tables stored by older versions are read even if they exceed them.
    @Test(arguments: [
        // a route's member at its limit, one more, the error message
        (Self.query(64), Self.query(65), "at most 64 query items"),
        (Self.when(64), Self.when(65), "a route can have at most 64"),
        (Self.traits(1_000), Self.traits(1_001), "at most 1000 are allowed"),
        (
            #""path": "/a", "query": {"q": {"oneOf": [\#(Self.list(500))]}}, "when": {"locale": [\#(Self.tags(500))]}"#,
            #""path": "/a", "query": {"q": {"oneOf": [\#(Self.list(501))]}}, "when": {"locale": [\#(Self.tags(500))]}"#,
            "at most 1000 are allowed"
        ),
        (#""path": "/{x(\#(Self.set(1_000)))}""#, #""path": "/{x(\#(Self.set(1_001)))}""#, "at most 1000 values"),
        (#""path": "/-{x(\#(Self.set(1_000)))}""#, #""path": "/-{x(\#(Self.set(1_001)))}""#, "at most 1000 values"),
        (
            #""path": "/a", "query": {"q": "(\#(Self.set(1_000)))"}"#,
            #""path": "/a", "query": {"q": "(\#(Self.set(1_001)))"}"#, "at most 1000 values"
        ),
        (
            #""path": "/\#(String(repeating: "x", count: 8_191))""#,
            #""path": "/\#(String(repeating: "x", count: 8_192))""#, "at most 8192 bytes"
        ),
        (
            #""path": "/a", "query": {"\#(Self.text(256))": "present"}"#,
            #""path": "/a", "query": {"\#(Self.text(257))": "present"}"#, "query item has 257 bytes"
        ),
        (
            #""path": "/a", "query": {"q": {"capture": "int", "as": "\#(Self.text(64))"}}"#,
            #""path": "/a", "query": {"q": {"capture": "int", "as": "\#(Self.text(65))"}}"#, "has 65 bytes"
        ),
        (
            #""path": "/a", "query": {"q": "string = \#(Self.text(256))"}"#,
            #""path": "/a", "query": {"q": "string = \#(Self.text(257))"}"#, "default has 257 bytes"
        ),
        (
            #""path": "/a", "when": {"traits": {"\#(Self.text(128))": "a"}}"#,
            #""path": "/a", "when": {"traits": {"\#(Self.text(129))": "a"}}"#, "trait has 129 bytes"
        ),
        (
            #""path": "/a", "when": {"traits": {"t": "\#(Self.text(256))"}}"#,
            #""path": "/a", "when": {"traits": {"t": "\#(Self.text(257))"}}"#, "value has 257 bytes"
        ),
        (
            #""path": "/a", "when": {"rollout": {"percent": 1, "salt": "\#(Self.text(128))"}}"#,
            #""path": "/a", "when": {"rollout": {"percent": 1, "salt": "\#(Self.text(129))"}}"#, "has 129 bytes"
        ),
    ]) func sizeOfARouteIsBounded(_ most: String, _ tooMuch: String, _ hint: String) throws {
        try expectBound("\(most), \(Self.open)", "\(tooMuch), \(Self.open)", hint)
    }

    /// These limits bound the responses and the work for them.
    @Test(arguments: [
        // a destination at its limit, one more, the error message
        (
            #""open": {"screen": "\#(Self.text(8_190))"}"#, #""open": {"screen": "\#(Self.text(8_191))"}"#,
            "'open' has 8193 bytes besides its 'uri'"
        ),
        (
            #""open": {"screen": "S", "stack": [\#(Self.list(16))]}"#,
            #""open": {"screen": "S", "stack": [\#(Self.list(17))]}"#, "'stack' has 17 screens; at most 16"
        ),
        (
            #""web": "https://www.acme.com/?\#(Self.items(64))""#,
            #""web": "https://www.acme.com/?\#(Self.items(65))""#, "at most 64 query items"
        ),
        (
            #""forward": [\#(Self.list(64))]"#, #""forward": [\#(Self.list(65))]"#,
            "at most 64 query items can be forwarded"
        ),
        (
            #""campaign": "\#(Self.placeholders(64))""#, #""campaign": "\#(Self.placeholders(65))""#,
            "uses 65 parameters; at most 64"
        ),
        (
            #""web": "https://www.acme.com/\#(Self.placeholders(64))""#,
            #""web": "https://www.acme.com/\#(Self.placeholders(65))""#, "uses 65 parameters; at most 64"
        ),
        (#""campaign": "\#(Self.text(1_024))""#, #""campaign": "\#(Self.text(1_025))""#, "has 1025 bytes"),
        (
            #""store": {"campaign": "\#(Self.text(1_024))"}"#, #""store": {"campaign": "\#(Self.text(1_025))"}"#,
            "has 1025 bytes"
        ),
        (
            #""minimumVersion": {\#(Self.minimums(256))}"#, #""minimumVersion": {\#(Self.minimums(257))}"#,
            "at most 256 apps"
        ),
        (#""block": "\#(Self.text(4_096))""#, #""block": "\#(Self.text(4_097))""#, "has 4097 bytes"),
        (
            #""experiment": {"id": "\#(Self.text(128))", "variants": [{"name": "\#(Self.text(128))"}]}"#,
            #""experiment": {"id": "\#(Self.text(129))", "variants": [{"name": "a"}]}"#, "has 129 bytes"
        ),
        (
            #""experiment": {"id": "x", "variants": [\#(Self.variants(100))]}"#,
            #""experiment": {"id": "x", "variants": [\#(Self.variants(101))]}"#, "1 to 100 variants"
        ),
    ]) func sizeOfADestinationIsBounded(_ most: String, _ tooMuch: String, _ hint: String) throws {
        try expectBound(#""path": "/a", \#(most)"#, #""path": "/a", \#(tooMuch)"#, hint)
    }

    private func expectBound(_ most: String, _ tooMuch: String, _ hint: String) throws {
        func field(_ route: String) throws -> DocumentField {
            try Fixture.field(#"{"routes": [{"id": "a", \#(route)}]}"#)
        }
        _ = try RouteTable(try field(most))
        let error = #expect(throws: RouteTable.DecodingErrors.self) { try RouteTable(try field(tooMuch)) }
        let message = try #require(error?.errors.first).message
        #expect(message.contains(hint), "\(message)")
        #expect(message.utf8.count < 1_000)
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static func placeholders(_ count: Int) -> String { String(repeating: "{a}", count: count) }
    private static func items(_ count: Int) -> String { (0..<count).map { "q\($0)=1" }.joined(separator: "&") }
    private static func minimums(_ count: Int) -> String { joined(count) { "\"a\($0)\": \"1.0\"" } }
    private static func variants(_ count: Int) -> String { joined(count) { "{\"name\": \"v\($0)\"}" } }

    private static func joined(_ count: Int, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: ",")
    }
    private static func list(_ count: Int) -> String { joined(count) { "\"v\($0)\"" } }
    private static func tags(_ count: Int) -> String { joined(count) { "\"en-x-a\($0)\"" } }
    private static func set(_ count: Int) -> String { joined(count) { "v\($0)" } }
    private static func query(_ count: Int) -> String {
        #""path": "/a", "query": {\#(joined(count) { "\"q\($0)\": \"absent\"" })}"#
    }
    private static func when(_ count: Int) -> String {
        #""path": "/a", "when": [\#(joined(count) { "{\"not\": {\"appBuild\": {\"from\": \($0)}}}" })]"#
    }
    private static func traits(_ count: Int) -> String {
        #""path": "/a", "when": {"traits": {"t": [\#(list(count))]}}"#
    }

    @Test func dataIsBoundedByItsBytes() throws {
        func table(_ count: Int) throws -> RouteTable {
            try Fixture.table([#"{"id": "a", "path": "/a", "data": "\#(String(repeating: "x", count: count))"}"#])
        }
        #expect(throws: Never.self) { try table(4_094) }
        let error = #expect(throws: RouteTable.DecodingErrors.self) { try table(4_095) }
        #expect(error?.errors.first?.message.contains("more than 4096 bytes") == true)
    }

    @Test func routeThatNeedsANewerEngineIsUndecidedNeverMatched() throws {
        let router = try Fixture.router([
            #"{"id": "future", "path": "/a", "requires": ["warp"], "warp": {"speed": 9}}"#,
            #"{"id": "b", "path": "/{x}", \#(Self.open)}"#,
        ])
        #expect(router.resolve("https://go.acme.com/a", in: LinkContext(platform: .ios)).outcome == .undecided)
        #expect(router.resolve("https://go.acme.com/b", in: LinkContext(platform: .ios)).outcome == .matched)
    }

    @Test(arguments: [
        (#"{"domains": ["https://a.example"]}"#, "not a host"), (#"{"domains": ["intranet"]}"#, "is not a domain"),
        (#"{"domains": ["ｇｏ.example"]}"#, "maps to other characters"),
        (#"{"domains": ["a.example", "A.example."]}"#, "duplicate domain"),
        (#"{"domains": [{"host": "a.example", "serves": "all"}]}"#, "not one of: links, association"),
        (#"{"domains": [{"host": "a.example", "port": 0}]}"#, "from 1 to 65535"),
        (#"{"schemes": ["https"]}"#, "is a system scheme"),
        (#"{"schemes": ["JavaScript"]}"#, "is a system scheme"),
        (#"{"schemes": ["a_b"]}"#, "is not a scheme"), (#"{"schemes": ["acme", "ACME"]}"#, "duplicate scheme"),
        (#"{"schemes": [{"name": "acme", "host": "drop"}]}"#, "write ignore, segment"),
        (#"{"destinations": {"schemes": ["intent"]}}"#, "is never allowed as a destination"),
        (#"{"destinations": {"schemes": ["https"]}}"#, "under 'hosts'"),
        (#"{"destinations": {"hosts": ["a b"]}}"#, "not a host"),
        (
            #"{"apps": [{"id": "ios", "platform": "ios", "teamID": "abc", "bundleID": "com.acme"}]}"#,
            "10 capital letters"
        ),
        (
            #"{"apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "acme"}]}"#,
            "is not a bundle ID"
        ),
        (#"{"apps": [{"id": "d", "platform": "android", "package": "com.acme", "fingerprints": ["AB"]}]}"#, "32 pairs"),
    ]) func malformedSettingsAreRefusedWithAdvice(_ settings: String, _ hint: String) {
        let error = #expect(throws: DocumentError.self) { try Fixture.identity(settings) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }
}

extension TableDecodingTests {
    /// Equal lists of arguments are stored once. Texts that look alike and differ in bytes stay separate.
    @Test func argumentsThatAreEqualKeepTheirOwnBytes() throws {
        let (composed, apart) = ("\u{E9}", "e\u{301}")
        let texts = ["{id}", "{id}", composed, apart, "\(composed){id}", "\(apart){id}", "x", "{other}"]
        let routes = texts.enumerated().map { index, text in
            #"{"id": "r\#(index)", "path": "/r\#(index)/{id}/{other}", "#
                + #""open": {"screen": "S", "arguments": {"a": "\#(text)"}}}"#
        }
        let router = try Fixture.router(routes)
        let answers: [ResolvedDestination.Argument] = try texts.indices.map { index in
            let answer = router.resolve("https://go.acme.com/r\(index)/1/2", in: LinkContext())
            return try #require(answer.destination?.arguments.first)
        }
        let expected = ["1", "1", composed, apart, "\(composed)1", "\(apart)1", "x", "2"]
        for (answer, expected) in zip(answers, expected) {
            guard case .parameter(.string(let text)) = answer.value else {
                Issue.record("\(answer) is no text")
                continue
            }
            #expect(text.utf8.elementsEqual(expected.utf8))
        }
    }
}
