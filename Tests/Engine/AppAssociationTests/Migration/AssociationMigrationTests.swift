import AppAssociation
import FoundationEssentials
import LinkCatalog
import LinkRouting
import Testing

struct AssociationMigrationTests {
    /// Paths of a file and the equivalent patterns.
    @Test(
        arguments: [
            (["/buy"], ["/buy"]), (["/buy/"], ["/buy"]), (["buy"], ["/buy"]), (["/"], ["/"]), (["?"], ["/"]),
            (["*"], ["/{path...}"]), (["/*"], ["/{path...}"]), (["*?"], ["/{part}/{rest...}"]),
            (["?*"], ["/{part}/{rest...}"]),
            (["/buy/*"], ["/buy/{rest...}"]), (["/buy/?*"], ["/buy/{part}/{rest...}"]),
            (["/buy/*/"], ["/buy/{part}/{rest...}"]),
            (["/buy*"], ["/buy/{rest...}", "/buy{part}/{rest...}"]),
            (["/buy?*"], ["/buy/{rest...}", "/buy{part}/{rest...}"]),
            (["/@*"], ["/@/{rest...}", "/@{part}/{rest...}"]),
            (["/a/b", "NOT /a/*", "*"], ["/a/b", "/a/{rest...}", "/{path...}"]),
            (["NOT /.well-known/*", "*"], ["/.well-known/{rest...}", "/{path...}"]),
            (["/caf%C3%A9/%20x"], ["/café/ x"]), (["/$(digit)"], ["/{part:int(0..9)}"]),
            (["/v$(digit)/$(alpha)$(alpha)"], ["/v{part:int(0..9)}/{part2:alpha(2)}"]),
            (["/$(xdigit)$(xdigit)$(xdigit)-$(alnum)"], ["/{part:hex(3)}-{part2:alnum(1)}"]),
        ] as [([String], [String])]
    )
    func pathBecomesPatterns(_ rules: [String], _ patterns: [String]) throws {
        let migrated = try MigratedFile(paths: rules)

        #expect(migrated.paths == patterns)
        #expect(migrated.findings == [])
        #expect(migrated.migration.reports == [])
    }

    /// The check of the file names such text; see the warning of the validation.
    @Test func syntaxOfRoutersStaysLiteral() throws {
        let migrated = try MigratedFile(paths: ["/:id/$5/x"])

        #expect(migrated.paths == ["/%3Aid/%245/x"])
        #expect(migrated.findings.map(\.code) == [.associationInvalid])
    }

    @Test(
        arguments: [
            (#"{"/":"/a","?":{"x":"*"}}"#, #"{"path":"/a"}"#),
            (#"{"/":"/a","?":{"x":"?*"}}"#, #"{"path":"/a","query":{"x":"string(1..)"}}"#),
            (#"{"/":"/a","?":{"x y":"1"}}"#, #"{"path":"/a","query":{"x y":{"equals":"1"}}}"#),
            (#"{"/":"/a","?":{"x[]":"?*"}}"#, #"{"path":"/a","query":{"x[]":{"capture":"string(1..)","as":"x"}}}"#),
            (#"{"/":"/a","?":{"x":""}}"#, #"{"path":"/a","query":{"x":"string(..0)?"}}"#),
            (#"{"/":"/a","?":{"x":"$(tab)"}}"#, #"{"path":"/a","query":{"x":{"oneOf":["list","de tail"]}}}"#),
            (##"{"/":"/a","#":"top"}"##, #"{"path":"/a","fragment":{"equals":"top"}}"#),
            (#"{"/":"/A","caseSensitive":false}"#, #"{"path":"/A","caseSensitive":false}"#),
            (#"{"/":"/x y/é","percentEncoded":false}"#, #"{"path":"/x y/é"}"#),
            (#"{"/":"/$(tab)/*"}"#, #"{"path":"/{tab(list,de tail)}/{rest...}"}"#),
            (#"{"/":"/$(one)/$(one)x"}"#, #"{"path":"/only/onlyx"}"#),
        ] as [(String, String)]
    )
    func componentBecomesARoute(_ component: String, _ route: String) throws {
        let variables = #""substitutionVariables":{"tab":["list","de%20tail"],"one":["only"]},"#
        let migrated = try MigratedFile(components: [component], besides: variables)
        let routes = try #require(migrated.migration.document["table"]?["routes"]?.elements)
        let decoded = routes.map { route in
            JSONNode(.object((route.members ?? []).filter { !["id", "note", "open"].contains($0.key) })).json()
        }

        #expect(decoded == [route])
        #expect(migrated.findings == [])
        #expect(migrated.migration.reports.filter(\.isUnresolved) == [])
    }

    /// A file, the reported rule, the reason, and the shortest link that shows the difference.
    @Test(
        arguments: [
            (["/my/order/*/map"], 0, .grammar, "/my/order/x/x/map"),
            (["*/terms/*"], 0, .grammar, "/x/x/terms"), (["/x*y"], 0, .grammar, "/xy"),
            (["/a/b?"], 0, .grammar, "/a/b%20"), (["NOT /x?y", "*"], 0, .grammar, "/x/y"),
            (["/a", "NOT /b", "/a"], 2, .unreachable, nil), (["*", "NOT /admin/*"], 1, .unreachable, nil),
            (["/a{b}"], 0, .grammar, "/a%7Bb}"), (["/caf%c3%a9"], 0, .spelling, "/caf%c3%a9"),
            (["/café"], 0, .unreachable, nil),
            (["/a$(nothing)"], 0, .unreachable, nil),
        ] as [([String], Int, AssociationMigration.Report.Kind, String?)]
    )
    func ruleThatATableCannotExpressIsReported(
        _ rules: [String],
        _ rule: Int,
        _ kind: AssociationMigration.Report.Kind,
        _ path: String?
    ) throws {
        let migrated = try MigratedFile(paths: rules)
        let report = try #require(migrated.migration.reports.first)

        #expect(migrated.migration.reports.count == 1)
        #expect(report.kind == kind && report.pointer == "/applinks/details/0/paths/\(rule)")
        #expect(report.position.line == 1 && report.position.column > 70)
        #expect(report.example?.url == path.map { "https://\(MigratedFile.host)\($0)" })
        #expect(migrated.migration.isComplete == (kind == .unreachable))
        #expect(migrated.findings.filter { $0.severity == .error } == [])
        try expectDifference(report, migrated)
    }

    /// A pattern may have only one parameter that several ends are tried for.
    @Test func typesAreLeftOutWhereTheyWouldTakeLong() throws {
        let migrated = try MigratedFile(paths: ["/*-$(alpha)-*/y"])
        #expect(migrated.paths == ["/{part}-{part2}-{part3}/y"])
        #expect(migrated.migration.reports.map(\.kind) == [.grammar])
    }

    private func expectDifference(_ report: AssociationMigration.Report, _ migrated: MigratedFile) throws {
        guard let example = report.example else { return }
        #expect(migrated.iosOpens(example.url) == example.iosOpens)
        #expect(migrated.tableOpens(example.url) != example.iosOpens)
    }

    @Test(
        arguments: [
            (#"{"/":"/a","?":"x=1"}"#, "/a?x=1"), (##"{"/":"/a","#":"s*"}"##, "/a#s"),
            (#"{"/":"/a","?":{"x":"1*"}}"#, "/a?x=1"), (#"{"/":"/a","?":{"x":"A"},"caseSensitive":false}"#, "/a?x=a"),
        ]
    )
    func conditionThatNoRouteHasIsReported(_ component: String, _ path: String) throws {
        let migrated = try MigratedFile(components: [component])
        let report = try #require(migrated.migration.reports.first)

        #expect(report.kind == .grammar && migrated.migration.reports.count == 1)
        #expect(report.example?.url == "https://\(MigratedFile.host)\(path)")
        try expectDifference(report, migrated)
    }

    /// A table tries the more specific pattern first, so migration repeats the earlier rule for the later path.
    @Test(
        arguments: [
            (
                [##"{"#":"no_universal_links","exclude":true}"##, #"{"/":"/issue/*"}"#, #"{"/":"/c/?*"}"#],
                ["/{path...}", "/c/{part}/{rest...}", "/issue/{rest...}", "/issue/{rest...}", "/c/{part}/{rest...}"]
            ),
            (
                [#"{"/":"/$(lang)/admin/*","exclude":true}"#, #"{"/":"/en/*"}"#, #"{"/":"/*","exclude":true}"#],
                ["/{lang()}/admin/{rest...}", "/en/admin/{rest...}", "/en/{rest...}", "/{path...}"]
            ),
            (
                [#"{"?":{"web":"?*"},"exclude":true}"#, #"{"/":"/"}"#], ["/{path...}", "/", "/"]
            ),
        ]
    )
    func earlierRuleIsRepeatedBeforeAMoreSpecificOne(_ components: [String], _ patterns: [String]) throws {
        let migrated = try MigratedFile(components: components)
        let paths = migrated.paths.map { path in
            path.hasPrefix("/{lang(")
                ? "/{lang()}" + path[(path.firstIndex(of: "}") ?? path.startIndex)...].dropFirst() : path
        }

        #expect(migrated.migration.reports == [] && migrated.findings.filter { $0.severity == .error } == [])
        #expect(paths == patterns)
    }

    @Test func ruleWithAChangedPrecedenceIsReported() throws {
        let migrated = try MigratedFile(
            components: [#"{"/":"/$(lower)$(lower)/admin/*","exclude":true}"#, #"{"/":"/en/*"}"#]
        )
        let report = try #require(migrated.migration.reports.first)

        #expect(migrated.migration.reports.count == 1 && report.kind == .order)
        #expect(report.pointer == "/applinks/details/0/components/0")
        #expect(report.example?.url == "https://\(MigratedFile.host)/en/admin")
        try expectDifference(report, migrated)
    }

    @Test func decodedRuleReportsEscapedSlashes() throws {
        let migrated = try MigratedFile(components: [#"{"/":"/a/b","percentEncoded":false}"#])
        let report = try #require(migrated.migration.reports.first)

        #expect(report.kind == .escapedSlash && migrated.migration.isComplete)
        #expect(report.example?.url == "https://\(MigratedFile.host)/a%2Fb")
    }

    @Test func appsWithOtherRulesGetTheirOwnRoutes() throws {
        let migrated = try MigratedFile(
            """
            {"applinks": {"details": [
                {"appIDs": ["ABCDE12345.com.example.one", "ABCDE12345.com.example.two"], "components": [{"/": "/a/*"}]},
                {"appIDs": ["ABCDE12345.com.example.three"], "components": [{"/": "/b/*"}]},
                {"appIDs": ["ABCDE12345.com.example.one"], "components": [{"/": "/c/*"}]}
            ]}, "appclips": {"apps": ["ABCDE12345.com.example.one.Clip"]}}
            """
        )

        #expect(migrated.migration.isComplete && migrated.findings == [])
        #expect(migrated.migration.reports.map(\.kind) == [.unreachable])
        #expect(migrated.migration.reports.map(\.pointer) == ["/applinks/details/2"])
        for app in ["one", "two", "three"] {
            for path in ["/a/1", "/b/1", "/c/1"] {
                let url = "https://\(MigratedFile.host)\(path)"
                #expect(migrated.tableOpens(url, app) == migrated.iosOpens(url, "ABCDE12345.com.example.\(app)"))
            }
        }
        #expect(migrated.router.identity.apps.map(\.id.rawValue) == ["one", "two", "three", "clip"])
    }

    @Test(
        arguments: [
            (["one", "two"], nil), (["one"], "also ABCDE12345.com.example.two under"),
            (["one", "two", "web"], "not ABCDE12345.com.example.web under"),
        ] as [([String], String?)]
    )
    func otherAppsOfPasswordsAreReported(_ listed: [String], _ words: String?) throws {
        let apps = { (names: [String]) in names.map { "\"ABCDE12345.com.example.\($0)\"" }.joined(separator: ",") }
        let migrated = try MigratedFile(
            """
            {"applinks": {"details": [{"appIDs": [\(apps(["one", "two"]))], "components": [{"/": "/a/*"}]}]},
             "webcredentials": {"apps": [\(apps(listed))]}}
            """
        )

        let reports = migrated.migration.reports
        #expect(reports.map(\.kind) == (words == nil ? [] : [.service]) && migrated.migration.isComplete)
        if let words { #expect(reports.first?.message.contains(words) == true) }
    }

    @Test func appThatSettingsCannotNameIsReported() throws {
        let migrated = try MigratedFile(
            #"{"applinks":{"details":[{"appIDs":["TEAM.com.example"],"components":[{"/":"/a/*"}]}]}}"#
        )
        let report = try #require(migrated.migration.reports.first)

        #expect(report.kind == .app && !migrated.migration.isComplete)
        #expect(report.example?.url == "https://\(MigratedFile.host)/a")
    }

    @Test(arguments: ["{}", #"{"applinks":{"details":[]}}"#, "[]", #"{"applinks":{"details":[{"paths":["*"]}]}}"#])
    func fileWithoutAppsIsAProblem(_ text: String) throws {
        #expect(throws: AssociationMigration.Problem.self) { try MigratedFile(text) }
    }

    @Test(arguments: ["", "a b", "https://a.example", "example"])
    func wrongHostIsAProblem(_ host: String) throws {
        #expect(throws: AssociationMigration.Problem.self) {
            try MigratedFile(
                #"{"applinks":{"details":[{"appID":"\#(MigratedFile.app)","paths":["*"]}]}}"#,
                hosts: [host]
            )
        }
    }

    @Test func wildcardHostIsKept() throws {
        let text = #"{"applinks":{"details":[{"appID":"\#(MigratedFile.app)","paths":["/x*y"]}]}}"#
        let migrated = try MigratedFile(text, hosts: ["*.example.com"])

        #expect(migrated.migration.reports.first?.example?.url == "https://www.example.com/xy")
    }

    // MARK: Hostile input

    @Test(
        arguments: [
            "/" + String(repeating: "x", count: 20_000), "/" + String(repeating: "?", count: 70),
            "/" + String(repeating: "*?", count: 20) + "/x",
            "/" + Array(repeating: "x", count: 70).joined(separator: "/"),
            "/$(" + String(repeating: "a", count: 100), String(repeating: "$(lang)", count: 300), "", "NOT ", #"\\"#,
            #"/\u0000"#,
        ]
    )
    func unusualPathsAreReportedOrMigrated(_ path: String) throws {
        let migrated = try MigratedFile(paths: [path, "/a"])

        #expect(migrated.findings.filter { $0.severity == .error } == [])
        #expect(migrated.migration.isComplete || migrated.migration.reports.contains(where: \.isUnresolved))
    }

    @Test func rulesThatAreTooManyAreUndecided() throws {
        let migrated = try MigratedFile(paths: (0...2_000).map { "/p\($0)" })

        #expect(migrated.migration.reports.count == 2_001 && migrated.paths == [])
        #expect(migrated.migration.reports.allSatisfy { $0.kind == .undecided && $0.example == nil })
    }

    // MARK: Files

    private static let magazine = """
        {"applinks": {"apps": [], "details": {
            "2XNJA5XN6D.com.medium.reader": {"paths": [RULES]}, "B5WFE29T5P.com.medium.hangtag.internal": {"paths": [RULES]},
            "2XNJA5XN6D.com.medium.internal": {"paths": [RULES]}, "2XNJA5XN6D.com.medium.staging": {"paths": [RULES]},
            "2XNJA5XN6D.com.medium.reader.development": {"paths": [RULES]}
        }}}
        """
        .replacing(
            "RULES",
            with:
                #""NOT /m/callback/*","NOT /m/connect/*","NOT /m/account/*","NOT /m/oauth/*","NOT /m/global-identity","*""#
        )

    @Test func magazineIsMigratedWithoutAReport() throws {
        let migrated = try MigratedFile(Self.magazine, hosts: ["medium.com"])
        let suite = try LinkSuite(
            String(contentsOf: Examples.directory.appending(path: "magazine.suite.yaml"), encoding: .utf8)
        )

        #expect(migrated.migration.reports == [] && migrated.findings == [])
        #expect(
            migrated.paths == [
                "/m/callback/{rest...}", "/m/connect/{rest...}", "/m/account/{rest...}", "/m/oauth/{rest...}",
                "/m/global-identity", "/{path...}",
            ]
        )
        for link in suite.cases.map(\.link) {
            for (app, id) in [
                ("reader", "2XNJA5XN6D.com.medium.reader"), ("staging", "2XNJA5XN6D.com.medium.staging"),
                ("hangtag-internal", "B5WFE29T5P.com.medium.hangtag.internal"),
                ("medium-internal", "2XNJA5XN6D.com.medium.internal"),
                ("development", "2XNJA5XN6D.com.medium.reader.development"),
            ] {
                #expect(migrated.tableOpens(link, app) == migrated.iosOpens(link, id), "\(link) \(app)")
            }
        }
    }

    @Test(.enabled(if: AppleData.hasRealFiles, "SKIPPED: ../shared/data/aasa_real is not there"))
    func everyPublishedFileIsMigratedOrHasAReason() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: AppleData.realFiles.path)
        #expect(!names.isEmpty)
        var migratedCount = 0
        for name in names {
            let bytes = Array(try Data(contentsOf: AppleData.realFiles.appending(path: name)))
            guard let file = try? AppleAppSiteAssociation(parsing: bytes) else { continue }
            do {
                let migrated = try MigratedFile(file)
                migratedCount += 1
                #expect(migrated.findings.filter { $0.severity == .error } == [], "\(name)")
                for report in migrated.migration.reports where report.isUnresolved && report.kind != .app {
                    #expect(report.example != nil || report.kind == .undecided, "\(name) \(report.line)")
                }
            } catch let problem as AssociationMigration.Problem {
                #expect(!problem.description.isEmpty)
            }
        }
        #expect(migratedCount > names.count / 2)
    }
}
