import LinkRouting
import Testing
import fingerpost

/// Text for people: columns, shares, findings, plans and replays.
struct TextTests {
    private static func node(_ json: String) throws -> JSONNode {
        try JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 16))
    }

    @Test func firstColumnIsLeftAlignedAndTheOthersRight() {
        let lines = TextColumns([["route", "links"], ["product", "7"], ["a", "1234"]]).lines
        #expect(lines == ["route    links", "product      7", "a         1234"])
    }

    @Test func listHasTheNamesOfItsColumnsButNoEmptyOnes() {
        let rows = [["ci", "", "matched"], ["b", "", "x\u{1B}"]]
        let columns = TextColumns(rows, under: ["name", "end", "outcome"])
        #expect(columns.lines == ["name  outcome", "ci    matched", "b     x\\u{1B}"])
        #expect(columns.styledLines[0] == "\u{1B}[1mname\u{1B}[0m  \u{1B}[1moutcome\u{1B}[0m")
        #expect(columns.styledLines[1] == "ci    \u{1B}[32mmatched\u{1B}[0m")
        #expect(TextColumns([], under: ["name"]).lines.isEmpty)
    }

    @Test func eventsAreATableOfFixedColumns() throws {
        let click = try Self.node(
            #"""
            {"seq":7,"recordedAt":"2026-11-21T10:00:00.123Z","kind":"click","outcome":"matched","route":"a-very-long-route-name",
             "scheme":"https","host":"go.acme.test","path":"/item/{token}/and/more/of/it","reason":null,"platform":"ios"}
            """#
        )
        let rejected = try Self.node(
            #"""
            {"seq":12345678,"recordedAt":"2026-11-21T10:00:01.000Z","kind":"resolve","outcome":"rejected","route":null,
             "scheme":"acme","host":null,"path":"/x","reason":"dot_segment","platform":null}
            """#
        )
        #expect(
            EventColumns([click, rejected], isFirst: true).columns.lines == [
                "seq        time                 kind     outcome    route             platform  link",
                "7          2026-11-21 10:00:00  click    matched    a-very-long-rou…  ios       "
                    + "https://go.acme.test/item/{token}/and/more/of/it",
                "12345678   2026-11-21 10:00:01  resolve  rejected   dot_segment       -         acme://x",
            ]
        )
        #expect(EventColumns([click], isFirst: false).columns.lines.count == 1)
    }

    @Test func escapeSequencesOfACellAreVisibleAndCounted() {
        let lines = TextColumns([["a\u{1B}[2J", "1"], ["bb", "22"]]).lines
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
        #expect(Set(lines.map(\.count)).count == 1)
    }

    @Test func sharesAreOfTheTotal() {
        var counts = CountLines(total: 3)
        counts.add(.int(2), ["ios"])
        counts.add(.int(1), ["android"])
        #expect(counts.lines == ["2   66.7 %  ios", "1   33.3 %  android"])
        var none = CountLines(total: 0)
        none.add(.int(0), ["ios"])
        #expect(none.lines == ["0       - %  ios"])
    }

    @Test(arguments: [
        ("shape", "with types instead of values" as String?), ("firstSegment", "only up to their first segment"),
        ("none", "not at all"), ("full", nil),
    ]) func rankingOfUnmatchedPathsExplainsHiddenPaths(_ recorded: String, _ how: String?) {
        let note = JSONNode.object(["unmatchedPath": .string(recorded)]).unmatchedPathNote
        let more = recorded == "firstSegment" ? "full" : "firstSegment or full"
        #expect(
            note
                == how.map {
                    "The tenant's settings record such paths \($0). To see more of them: privacy.unmatchedPath: \(more)."
                }
        )
    }

    @Test func rankingOfRejectedLinksSaysWhatItLeavesOut() {
        #expect(JSONNode.object(["count": .int(0)]).rejectedNote?.contains("stats rejected -' counts") == true)
        #expect(JSONNode.object(["count": .int(1)]).rejectedNote == nil)
    }

    @Test func rankingEndsWithTheRestAndTheTotal() throws {
        let ranking = try Self.node(
            #"{"count":10,"routes":[{"route":"product","count":6},{"route":null,"count":1}],"rest":2,"other":1,"none":0}"#
        )
        #expect(
            ranking.rankingLines("routes", "route") == [
                " 6   60.0 %  product", " 1   10.0 %  -", " 2   20.0 %  (more)", " 1   10.0 %  (other)",
                "10  100.0 %  total",
            ]
        )
    }

    @Test func findingHasItsPlaceExampleAndFix() throws {
        let finding = try Self.node(
            #"{"severity":"error","path":"routes[0]","message":"Two routes are equal.","example":"/a","fix":"Remove one."}"#
        )
        #expect(FindingText(finding).line == "error: routes[0]: Two routes are equal. Example: /a. Remove one.")
        #expect(FindingText(try Self.node("{}")).line == ": ")
    }

    @Test(arguments: [
        (3, nil as String?), (4, "  also: 'r1', 'r2', 'r3'"), (5, "  also: 'r1', 'r2', 'r3' … and 1 more route"),
        (300, "  also: 'r1', 'r2', 'r3' … and 296 more routes"),
    ])
    func equalFindingsOfManyRoutesAreWrittenOnce(_ count: Int, _ others: String?) {
        let nodes = (0..<count).map { index in
            JSONNode.object([
                "code": .string("missing_web"), "severity": .string("warning"),
                "path": .string("table.routes[\(index)].open"), "route": .string("r\(index)"),
                "message": .string("'r\(index)' has no page."), "fix": .string("Add 'web'."),
            ])
        }
        let other = JSONNode.object([
            "code": .string("missing_web"), "severity": .string("warning"), "path": .string("table.routes[1].store"),
            "route": .string("r1"), "message": .string("'r1' has no page."), "fix": .string("Add 'web'."),
        ])
        let first = "warning: table.routes[0].open: 'r0' has no page. Add 'web'."
        let lines = FindingLines(nodes + [other]).lines
        #expect(lines.first == first)
        #expect(lines.last == "warning: table.routes[1].store: 'r1' has no page. Add 'web'.")
        #expect(others.map { lines.dropFirst().dropLast() == [$0] } ?? (lines.count == count + 1), "\(lines)")
    }

    @Test func equalFindingsOfAFileNameTheirLines() {
        let findings = (0..<6).map { index in
            Finding(
                .invalid,
                .error,
                path: "table.routes[\(index)].opne",
                message: "unknown key 'opne'.",
                fix: "",
                position: JSONNode.Position(line: 10 + index, column: 5)
            )
        }
        #expect(
            FindingLines(findings, in: "a.yaml").lines == [
                "error: a.yaml, line 10, column 5: table.routes[0].opne: unknown key 'opne'.",
                "  also: table.routes[1].opne (line 11), table.routes[2].opne (line 12), table.routes[3].opne (line 13)"
                    + " … and 2 more places",
            ]
        )
        // A route with one finding for each variant counts as one route.
        let variants = (0..<6).map { index in
            Finding(
                .missingWeb,
                .warning,
                path: "routes[0].experiment.variants[\(index)]",
                route: RouteID("home"),
                message: "No page.",
                fix: ""
            )
        }
        #expect(FindingLines(variants).lines.count == 6)
    }

    @Test func failuresOfACaseAreOneLine() throws {
        let failures = try (0..<3).map { index in
            try Self.node(
                #"{"suite":"items","line":\#(index < 2 ? 4 : 9),"link":"acme://x","expected":"route","difference":"got \#(index)"}"#
            )
        }
        #expect(
            SuiteFailureLines(failures).lines == [
                "suite 'items', line 4: acme://x: route: got 0 (and 1 more)",
                "suite 'items', line 9: acme://x: route: got 2",
            ]
        )
        #expect(SuiteFailureLines(failures).caseCount == 2)
        let many = try (0..<30).map { try Self.node(#"{"suite":"s","line":\#($0)}"#) }
        #expect(SuiteFailureLines(many).lines.count == 21 && SuiteFailureLines(many).caseCount == 30)
        #expect(SuiteFailureLines(many).lines.last == "… and 10 more cases")
    }

    @Test(arguments: [
        (#"{"settings":[],"changes":{"words":[]},"findings":[],"suiteFailures":[]}"#, true, false),
        (#"{"settings":[{"path":"apps","after":[]}],"changes":{"words":[]}}"#, false, false),
        (#"{"changes":{"words":["route 'a' is new"]},"findings":[{"severity":"warning"}]}"#, false, false),
        (#"{"changes":{"words":["route 'a' is new"]},"findings":[{"severity":"error"}]}"#, false, true),
        (#"{"changes":{"words":["route 'a' is new"]},"suiteFailures":[{"suite":"s","line":1}]}"#, false, true),
        (#"{"changes":{"words":["removes 'a'"]},"undoes":{"words":["removes 'a'"]}}"#, false, true),
        (#"{"changes":{"words":["removes 'a'"]},"removesOthers":{"removed":[{"id":"a"}]}}"#, false, true),
    ])
    func planIsEmptyOrRefused(_ body: String, _ isEmpty: Bool, _ isRefused: Bool) throws {
        let plan = TablePlanning.Plan(body: try Self.node(body), live: "1", settingsRevision: 1)
        #expect(plan.isEmpty == isEmpty)
        #expect(plan.isRefused == isRefused)
        #expect(plan.unasked == nil || plan.isReady(isAccepting: true))
        #expect(plan.lines.contains("nothing would change") == isEmpty)
    }

    @Test func planShowsAtMostTwentyMovedLinks() throws {
        let moves = (0..<23).map { #"{"link":"l\#($0)","app":"A","before":"app","after":"browser"}"# }
        let plan = TablePlanning.Plan(
            body: try Self.node(#"{"moves":[\#(moves.joined(separator: ","))]}"#),
            live: "1",
            settingsRevision: nil
        )
        #expect(plan.lines.first == "the tenant is new")
        #expect(plan.lines.contains("l19: A moves from app to browser"))
        #expect(plan.lines.contains("… and 3 more links that move"))
    }

    @Test(arguments: [(20, nil), (21, "… and 1 more"), (143, "… and 123 more")] as [(Int, String?)])
    func planShowsAtMostTwentyChangesOfAKind(_ count: Int, _ rest: String?) throws {
        let ids = (0..<count).map { "'r\($0)'" }
        let added = ids.map { "adds \($0) for /" }
        let removed = ids.map { "removes \($0) for /" }
        let changed = ids.map { "\($0): path is now 1" }
        let moved = "moves " + ids.joined(separator: ", ")
        let table = (1..<count).map { "table: defaults.x\($0) is now 1" }
        let words: [String] = [added, removed, changed, [moved], table].flatMap(\.self)
        let changes = JSONNode.object([
            "moved": .array((0..<count).map { .string("r\($0)") }), "words": .array(words.map(JSONNode.string)),
        ])
        let plan = TablePlanning.Plan(body: .object(["changes": changes]), live: "1", settingsRevision: 1)

        var expected: [String] = []
        let end = count == 21 ? "" : "s"
        func expect(_ lines: [String], _ noun: String) {
            expected += lines.prefix(20)
            if let rest { expected.append("\(rest) \(noun)\(end)") }
        }
        expect(added, "added route")
        expect(removed, "removed route")
        expect(changed, "changed value")
        let names = ids.prefix(20).joined(separator: ", ")
        expect([rest.map { "moves \(names) \($0) route\(end)" } ?? moved] + table, "change")
        #expect(plan.lines == expected)
    }

    /// Errors of other routes reject the file, too.
    @Test func planForAnOwnerShowsFindingsAboutItsRoutesAndTheTable() throws {
        func finding(_ message: String, _ members: String = "", _ severity: String = "warning") -> String {
            #"{"severity":"\#(severity)","code":"c","message":"\#(message)"\#(members)}"#
        }
        let findings = [
            finding("own", #","route":"a""#), finding("table"), finding("other", #","route":"x""#),
            finding("both", #","route":"x","relatedRoute":"a""#), finding("rejects", #","route":"x""#, "error"),
            finding("note", #","route":"y""#, "info"),
        ]
        let body = try Self.node(
            #"{"changes":{"words":["adds 'a' for /a"]},"findings":[\#(findings.joined(separator: ","))]}"#
        )
        let all = TablePlanning.Plan(body: body, live: "1", settingsRevision: 1)
        #expect(all.lines.count == 7)
        let own = TablePlanning.Plan(body: body, live: "1", settingsRevision: 1, ownRoutes: ["a"])
        #expect(
            own.lines == [
                "adds 'a' for /a", "warning: own", "warning: table", "warning: both", "error: rejects",
                "not shown: 2 findings about routes of others; --json lists all findings",
            ]
        )
        let everyone = TablePlanning.Plan(body: body, live: "1", settingsRevision: 1, ownRoutes: ["a", "x", "y"])
        #expect(everyone.lines == all.lines)
    }

    @Test func replayHasASectionForEachKindOfResult() throws {
        let report = try Self.node(
            """
            {"tenant":"shop","environment":"production","live":3,"from":"F","to":"T","limited":true,"events":12,"replayed":10,
             "unchanged":8,"changed":2,"standIns":1,"hidden":{"rejected":2},"unseen":[],
             "byRoute":[{"route":"product","outcome":"matched","replayed":10,"changed":2,"gained":0}],"moreRoutes":0,
             "changes":[{"from":{"route":"product","outcome":"matched","action":"open_app"},"to":{"route":null,
             "outcome":"fallback","action":null},"differs":["route","screen"],"count":2,
             "samples":[{"link":"acme://p/1","context":{},"from":{"screen":"P"},"to":{}}]}],"moreChanges":4}
            """
        )
        #expect(
            ReplayText(report).lines == [
                "shop in production, against revision 3: 12 recorded links from F to T",
                "Older links were left out; raise --limit to include more.", "replayed 10: 2 change, 8 stay", "",
                "route    replayed  change  gain", "product        10       2     0", "",
                "2 × product open_app → fallback (route, screen)", "    acme://p/1  {}", "        screen: P → nothing",
                "… and 4 more kinds of changes", "", "Not replayed, because data is missing from the log:",
                "  2 rejected links: their text is never recorded",
                "1 of the replayed links had a placeholder instead of a sensitive value.",
            ]
        )
    }

    @Test func replayWithoutLinksSaysWhereThereMayBeSome() throws {
        let report = try Self.node(#"{"tenant":"shop","environment":"production","from":"F","to":"T","events":0}"#)
        let lines = ReplayText(report).lines
        #expect(lines.contains { $0.hasPrefix("No such link was recorded in this period. Use --since ") }, "\(lines)")
    }

    @Test(arguments: [
        (#"{"kept":[],"waiting":[],"dropped":[]}"#, false, "No finished day has rows." as String?),
        (#"{"kept":[{"day":"D","rows":2}],"waiting":[],"dropped":[]}"#, false, nil),
        (#"{"waiting":[{"day":"D","rows":2}]}"#, false, "once 'fingerpost export shop --data DIR'"),
        (#"{"dropped":[{"day":"D","rows":1}]}"#, false, "and --apply drops them now."),
        (#"{"dropped":[{"day":"D","rows":1}]}"#, true, nil),
    ])
    func retentionSaysWhatToDo(_ state: String, _ isApplied: Bool, _ advice: String?) throws {
        let lines = RetentionText(try Self.node(state), of: "shop", isApplied: isApplied).lines
        #expect(lines.count == (advice == nil ? 3 : 4), "\(lines)")
        if let advice { #expect(lines[3].contains(advice), "\(lines)") }
        #expect(lines[2].hasPrefix(isApplied ? "dropped: " : "can be dropped: "), "\(lines)")
        #expect(!state.contains(#""kept":[{"#) || lines[0] == "kept: 2 rows of 1 day, D to D", "\(lines)")
    }
}

/// Entries of the audit log.
struct AuditTextTests {
    @Test(arguments: [
        (
            #""action":"table.publish","environment":"production","subject":"7","after":{"message":"Sale"}"#,
            "table published  shop  production  7    Sale"
        ),
        (
            #""action":"table.publish","subject":"7","after":{"origin":"rollback","originRevision":2,"message":""}"#,
            "table published  shop    7  rollback of 2"
        ),
        (
            #""action":"table.publish","subject":"7","after":{"message":"Sale","overrideReason":"late"}"#,
            "table published  shop    7    Sale  override: late"
        ),
        (
            #""action":"force_retention","subject":"shop","after":{"reason":"full"}"#,
            "retention forced  shop    shop    full"
        ),
        (#""action":"erase_install","subject":"shop","after":{}"#, "install erased  shop    shop"),
        (#""action":"unknown.action","subject":"x""#, "unknown.action  shop    x"),
    ])
    func entryIsALine(_ members: String, _ line: String) throws {
        let entry = try JSONReader.parse(
            #"{"at":"T","actor":{"name":"ci"},"tenant":"shop",\#(members)}"#,
            limits: JSONReader.Limits(maximumBytes: 4_096)
        )
        let cells = try #require(AuditText([entry]).rows.first)
        #expect(cells.count == AuditText.headers.count)
        #expect(cells.joined(separator: "  ").hasPrefix("T  ci  \(line)"))
    }
}

/// The permissions of a new key, and the last line of a check.
struct SummaryTests {
    @Test func newKeyListsItsPermissions() throws {
        let key = try JSONReader.parse(
            #"{"id":"k1","name":"ci","tenant":"shop","scopes":["publish","tables:write"],"pathPrefixes":["/blog/"]}"#,
            limits: JSONReader.Limits(maximumBytes: 4_096)
        )
        #expect(
            KeyGrantText(key).lines == [
                "key k1 (ci), shown only once", "  tenant: shop", "  scopes: publish, tables:write",
                "  environments: all",
                "  writes routes: below /blog/", "  expires: never",
            ]
        )
        let rotated = #"{"id":"k2","replaces":{"id":"k1","expiresAt":"2026-11-22T10:00:00.000Z"}}"#
        let replacement = try JSONReader.parse(rotated, limits: JSONReader.Limits(maximumBytes: 4_096))
        #expect(
            KeyGrantText(replacement).lines.last == "  replaces: k1, which is valid until 2026-11-22T10:00:00.000Z"
        )
        let all = KeyGrantText(.object(["id": .string("k2"), "tenant": .null, "scopes": .array([.string("admin")])]))
        #expect(all.lines.contains("  tenant: all") && all.lines.contains("  writes routes: all"))
    }

    @Test(
        arguments: [
            (
                #""tenant":"shop","scopes":["publish"],"environments":["staging"],"owners":["blog"],"pathPrefixes":["/b/"]"#,
                "shop|publish|only staging|routes of the owners blog and below /b/|no end|never used|"
            ),
            (
                #""tenant":null,"scopes":["admin"],"expiresAt":"T","lastUsedAt":"2026-11-22T10:00:00.000Z","createdBy":"k0""#,
                "all tenants|admin|all environments|all routes|until T|used in the hour from 2026-11-22T10:00Z|k0"
            ),
            (
                #""tenant":"a","scopes":[],"pathPrefixes":["/b/c"],"creatorLimits":[{"pathPrefixes":["/b"]}],"revokedAt":"T""#,
                "a||all environments|routes below /b/c, and only those below /b|revoked T|never used|"
            ),
        ] as [(String, String)]
    )
    func listedKeyShowsItsLimits(members: String, cells: String) throws {
        let text = #"{"id":"k1","name":"ci",\#(members)}"#
        let key = try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 4_096))
        #expect(
            KeyGrantText(key).cells == ["k1", "ci"]
                + cells.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        )
    }

    @Test func checkEndsWithItsCounts() {
        func finding(_ severity: Finding.Severity) -> Finding {
            Finding(.invalid, severity, path: "", message: "", fix: "")
        }
        #expect(FindingSummary([], routes: 13).line == "13 routes, 0 errors, 0 warnings")
        let found = [finding(.error), finding(.warning), finding(.warning), finding(.info)]
        #expect(FindingSummary(found, routes: 1).line == "1 route, 1 error, 2 warnings, 1 note")
        #expect(FindingSummary([finding(.error)], routes: nil).line == "no routes, 1 error, 0 warnings")
    }
}
