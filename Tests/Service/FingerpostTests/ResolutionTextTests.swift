import LinkRouting
import Testing
import fingerpost

/// What `fingerpost resolve` prints for people.
struct ResolutionTextTests {
    private func node(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 10_000))
    }

    private func lines(_ answer: String, landings: [(String, String)] = []) throws -> [String] {
        ResolutionText(
            try node(answer),
            landings: try landings.map { ResolutionText.Landing(name: $0.0, answer: try node($0.1)) }
        ).lines
    }

    @Test func matchedLinkShowsRouteScreenAndLandings() throws {
        let item = #"{"route": {"id": "item", "pattern": "/item/{id:int}"}, "#
        let found = try lines(
            #"""
            {"outcome": "matched", "action": "open_app", "route": {"id": "item", "pattern": "/item/{id:int}"},
             "parameters": {"id": 7, "name": "a b"},
             "destination": {"screen": "Item", "arguments": {"id": 7},
                             "stack": [{"screen": "Home"}, {"screen": "Item", "arguments": {"id": 7}}]},
             "warnings": ["'colour' is unknown."]}
            """#,
            landings: [
                ("ios", item + #""action": "open_app", "destination": {"uri": "acme://item/7"}}"#),
                ("ios, no app", item + #""action": "open_store", "destination": {"store": "https://s.example/"}}"#),
                ("android", item + #""action": "update_app", "destination": {"store": "https://p.example/"}}"#),
                (
                    "elsewhere",
                    #"{"outcome": "fallback", "action": "open_web", "destination": {"web": "https://w.example/"}}"#
                ),
                ("tv", #"{"outcome": "unmatched", "action": null, "destination": null}"#),
            ]
        )
        #expect(
            found == [
                "matched: route 'item', /item/{id:int}",
                "  parameters   id: 7, name: a b",
                "  screen       Home > Item(id: 7)",
                "  ios          opens the app: acme://item/7",
                "  ios, no app  opens the store: https://s.example/",
                "  android      asks for an update of the app: https://p.example/",
                "  elsewhere    fallback: opens the page https://w.example/",
                "  tv           unmatched: leads nowhere",
                "warning: 'colour' is unknown.",
            ]
        )
    }

    /// The stack of a route lists the screens beneath the screen; it may end with the screen itself.
    @Test(arguments: [
        ("", "One"),
        (#", "stack": []"#, "One"),
        (#", "stack": [{"screen": "One"}]"#, "One"),
        (#", "stack": [{"screen": "Home"}]"#, "Home > One"),
        (#", "stack": [{"screen": "Home"}, {"screen": "One", "arguments": {}}]"#, "Home > One"),
        (#", "arguments": {"id": 7}, "stack": [{"screen": "Home"}]"#, "Home > One(id: 7)"),
        (
            #", "arguments": {"id": 7}, "stack": [{"screen": "Home"}, {"screen": "One", "arguments": {"id": 7}}]"#,
            "Home > One(id: 7)"
        ),
        (
            #", "arguments": {"id": 7}, "stack": [{"screen": "One", "arguments": {"id": 6}}]"#,
            "One(id: 6) > One(id: 7)"
        ),
    ])
    func screenIsShownAboveItsStack(_ rest: String, _ shown: String) throws {
        let answer = #"""
            {"outcome": "matched", "route": {"id": "a", "pattern": "/a"}, "destination": {"screen": "One"\#(rest)}}
            """#
        #expect(try lines(answer) == ["matched: route 'a', /a", "  screen  \(shown)"])
    }

    @Test func endedShortLinkShowsWhatAClickGets() throws {
        let rest =
            #""route": {"id": "go", "pattern": "/s/{code}"}, "reason": {"code": "link_expired", "message": "Over."}}"#
        let web =
            #"{"outcome": "fallback", "action": "open_web", "destination": {"web": "https://w.example/"}, "# + rest
        let app = #"{"outcome": "fallback", "action": "open_app", "destination": {"uri": "acme://home"}, "# + rest
        #expect(
            try lines(web, landings: [("ios", app), ("ios, no app", web), ("elsewhere", web)]) == [
                "fallback: route 'go', /s/{code}", "  click  gets status 410: Over.",
                "  ios    opens the app: acme://home",
            ]
        )
    }

    @Test func blockedAndRejectedLinksShowTheReason() throws {
        let blocked =
            #"{"outcome": "matched", "action": "block", "route": {"id": "d", "pattern": "/d"}, "reason": {"code": "blocked", "message": "Not by link."}}"#
        #expect(
            try lines(blocked, landings: [("ios", blocked)]) == [
                "matched: route 'd', /d", "  ios  is blocked: Not by link.",
            ]
        )
        let rejected =
            #"{"outcome": "rejected", "action": null, "reason": {"code": "user_info", "message": "Remove it."}}"#
        #expect(try lines(rejected, landings: [("ios", rejected)]) == ["rejected: Remove it."])
    }

    @Test func routesThatCameNearAreExplained() throws {
        let far = (0..<5).map {
            #"{"route": "far\#($0)", "failed": "path", "at": 0, "expected": "far", "found": "item"}"#
        }
        let entries = [
            #"{"route": "item", "failed": "type", "at": 1, "parameter": "id", "expected": "int", "found": "abc"}"#,
            #"{"route": "old", "failed": "when", "at": "appVersion", "expected": "< 2.0", "found": "3.1"}"#,
            #"{"route": "end", "failed": "trailingSlash"}"#,
        ]
        let found = try lines(
            #"{"outcome": "unmatched", "trace": [\#((entries + far).joined(separator: ","))]}"#
        )
        #expect(
            found == [
                "unmatched", "routes that do not match:",
                "  item  segment 2 {id}: 'abc', expected int",
                "  old   when 'appVersion': '3.1', expected < 2.0",
                "  end   trailingSlash",
                "  far0  segment 1: 'item', expected far",
                "  far1  segment 1: 'item', expected far",
                "  … and 3 more; --json prints all",
            ]
        )
    }

    /// A part that depends on the install is named, because another person may see something else.
    @Test(arguments: [
        (
            #"{"experiment":{"id":"look","variant":"new","assigned":true},"#, "look: new (old 50%, new 50%)",
            #""2.0""#, "from 2.0; older: asks for an update"
        ),
        (
            #"{"experiment":{"id":"look","variant":"old","assigned":false},"#,
            "look: old, because the context has no stickyKey (old 50%, new 50%)",
            #"{"ios": "2.0", "android": {"build": 7}}"#,
            "android: from build 7, ios: from 2.0; older: asks for an update"
        ),
    ])
    func partsThatDependOnTheInstallAreNamed(
        _ start: String,
        _ experiment: String,
        _ minimum: String,
        _ version: String
    ) throws {
        let document = try node(
            #"""
            {"routes": [{"id": "sale", "path": "/sale", "when": {"anyOf": [{"rollout": 12.5}, {"platform": "ios"}]},
             "open": {"screen": "Sale"}, "minimumVersion": \#(minimum),
             "experiment": {"id": "look", "variants": [
                {"name": "old", "weight": 2}, {"name": "new", "weight": 2}]}}]}
            """#
        )
        let route = try RouteTable(DocumentField(document, path: "table")).routes[0]
        let answer = try node(start + #""outcome":"matched","route":{"id":"sale","pattern":"/sale"}}"#)
        #expect(
            ResolutionText(answer, landings: [], route: route).lines == [
                "matched: route 'sale', /sale",
                "  experiment   \(experiment)",
                "  app version  \(version)",
                "  rollout      12.5% of the installs, by their stickyKey",
            ]
        )
    }

    @Test func explanationShowsTheEventItsResolutionAndWhatIsMissing() throws {
        let explanation = #"""
            {"event": {"seq": 7, "recordedAt": "2026-11-21T10:00:00.000Z", "kind": "click", "outcome": "matched",
                       "route": "reset", "action": "open_store", "reason": null},
             "link": "https://a.example/reset/{token}", "context": {"platform": "ios", "installed": false},
             "resolution": {"outcome": "matched", "action": "open_store",
                            "route": {"id": "reset", "pattern": "/reset/{token}"}, "parameters": {"token": "x"},
                            "destination": {"store": "https://s.example/"},
                            "trace": [{"route": "item", "failed": "path", "at": 0, "expected": "item", "found": "reset"}]},
             "differs": [], "notes": ["The sensitive value of {token} is never recorded."]}
            """#
        #expect(
            ExplanationText(try node(explanation)).lines == [
                "2026-11-21T10:00:00.000Z click, seq 7",
                "  link      https://a.example/reset/{token}",
                #"  context   {"platform":"ios","installed":false}"#,
                "  recorded  matched, route 'reset', open_store",
                "matched: route 'reset', /reset/{token}",
                "  parameters   token: x",
                "  ios, no app  opens the store: https://s.example/",
                "routes that do not match:",
                "  item  segment 1: 'reset', expected item",
                "note: The sensitive value of {token} is never recorded.",
            ]
        )
        let rejected = #"""
            {"event": {"seq": 8, "recordedAt": "2026-11-21T10:00:00.000Z", "kind": "resolve", "outcome": "rejected",
                       "route": null, "action": null, "reason": "dot_segment"},
             "link": null, "context": null, "resolution": null, "differs": [], "notes": []}
            """#
        #expect(
            ExplanationText(try node(rejected)).lines == [
                "2026-11-21T10:00:00.000Z resolve, seq 8", "  link      not recorded",
                "  context   no facts were recorded", "  recorded  rejected, dot_segment",
            ]
        )
    }
}
