import Foundation
import LinkCatalog
import LinkRouting
import TestKit
import Testing
import Yams

/// config/examples/testkit is what the commands write, and the project of the example has no error.
struct ExampleTests {
    private func generated() throws -> [(path: String, text: String?)] {
        let (ios, android) = (try Example.suite(.ios), try Example.suite(.android))
        let stub = try FixtureFolder(of: Example.folder.appending(path: "stub").path)
        #expect(stub.problems == [])
        return TestPlan.Kind.allCases.flatMap { kind in
            [
                ("ios/UITests/\(XCUITestFile.name(ios, kind))", XCUITestFile(ios, kind).text),
                (
                    "android/linktests/\(UIAutomatorFile.name(android, kind))",
                    UIAutomatorFile(android, kind, package: nil).text
                ),
                ("maestro/ios/\(MaestroFile.name(ios, kind))", MaestroFile(ios, kind).text),
                ("maestro/android/\(MaestroFile.name(android, kind))", MaestroFile(android, kind).text),
            ]
        } + [
            ("ios/UITests/\(XCUITestFile.identifiersName)", XCUITestFile.identifiers(ios)),
            ("ios/UITests/Fixtures.swift", FixtureCode(stub, in: .swift).text),
            (
                "android/linktests/Fixtures.kt",
                FixtureCode(stub, in: .kotlin, package: "com.example.catalog.linktests").text
            ),
            ("ios/App/LinkProbe.swift", LinkProbe.text(.swift)),
            ("android/app/src/debug/kotlin/LinkProbe.kt", LinkProbe.text(.kotlin(package: "com.example.catalog"))),
            (
                "android/app/src/release/kotlin/LinkProbe.kt",
                LinkProbe.text(.kotlinNoOp(package: "com.example.catalog"))
            ),
        ]
    }

    /// With UPDATE_EXAMPLES=1 the files are written instead of compared.
    @Test func generatedFilesAreCurrent() throws {
        let isUpdate = ProcessInfo.processInfo.environment["UPDATE_EXAMPLES"] == "1"
        for (path, text) in try generated() {
            let text = try #require(text, "\(path)")
            if isUpdate {
                let file = Example.folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try text.write(to: file, atomically: true, encoding: .utf8)
            } else {
                let isCurrent = try Example.text(path) == text
                #expect(isCurrent, "\(path): run UPDATE_EXAMPLES=1 swift test --filter ExampleTests")
            }
        }
    }

    @Test func projectHasNoError() throws {
        let folder = try ProjectFolder(Example.folder.path)
        let table = try Example.table()
        let found = ProjectDoctor(folder, router: table.router).diagnoses(of: table.settings.identity.apps)
        #expect(found.flatMap(\.lines) == [])
    }

    @Test(arguments: [Platform.ios, .android]) func tableAnswersTheSuite(_ platform: Platform) throws {
        let catalog = Catalog([try Example.table()])
        for one in try LinkSuite(try Example.text("catalog.suite.yaml")).cases {
            var warnings: [String] = []
            let context = try LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)
            let answer = catalog.resolve(one.link, in: context, explanation: .omitted).resolution
            let route = one.expectations.first { $0.key == .route }?.value.text
            #expect(answer.route?.rawValue == route, "\(one.link)")
            if let action = one.expectations.first(where: { $0.key == .action })?.value.text {
                #expect(answer.action?.rawValue == action, "\(one.link)")
            }
            if let screen = one.expectations.first(where: { $0.key == .screen })?.value.text {
                #expect(answer.destination?.screen == screen, "\(one.link)")
            }
        }
        let suite = try Example.suite(platform)
        #expect(suite.screens == ["ProductDetail", "ProductList", "SignIn"])
        // The device without the app is never tested, and iOS is not Android.
        #expect(suite.untested.map(\.line) == [24])
    }

    /// Every case is tested in each state, or listed with a reason.
    @Test func noCaseIsForgotten() throws {
        for tool in TestTool.allCases {
            let suite = try Example.suite(tool == .uiautomator ? .android : .ios)
            let plans = TestPlan.Kind.allCases.map { TestPlan($0, of: suite, using: tool) }
            let tested = Set(plans.flatMap(\.tests).map(\.one.line)).union(plans.flatMap(\.leftOut).map(\.line))
            #expect(tested == Set(suite.cases.map(\.line) + suite.untested.map(\.line)))
            for plan in plans {
                #expect(Set(plan.tests.map(\.name)).count == plan.tests.count)
                let states = Dictionary(grouping: plan.tests) { "\($0.one.line) \($0.way)" }.mapValues {
                    $0.map(\.state)
                }
                #expect(states.values.allSatisfy { $0 == LaunchState.states(on: suite.app.platform) })
            }
        }
    }

    /// Fewer states make fewer tests of the same cases.
    @Test(arguments: TestTool.allCases) func statesCanBeChosen(tool: TestTool) throws {
        var suite = try Example.suite(tool == .uiautomator ? .android : .ios)
        let all = TestPlan(.routing, of: suite, using: tool).tests
        suite.states = [.notRunning]
        let chosen = TestPlan(.routing, of: suite, using: tool).tests
        #expect(chosen.map(\.name) == all.filter { $0.state == .notRunning }.map(\.name))
    }

    /// A number in a name would move to another screen when a screen is added before it.
    @Test(arguments: [
        ("URL", "Url", "url"), ("2nd Screen", "2ndScreen", "_2ndScreen"), ("Probe", "Probe2", "probe2"),
    ])
    func screensOfOneNameAreRefused(first: String, second: String, name: String) throws {
        let table = try Example.table(
            """
            formatVersion: 1
            tenant: t
            settings:
              schemes: [acme]
              apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme.app}]
            table:
              routes:
                - {id: a, path: /a, open: {screen: "\(first)"}}
                - {id: b, path: /b, open: {screen: "\(second)"}}
            """
        )
        let suite = """
            formatVersion: 1
            cases:
              - {link: "acme://a", expect: {route: a}}
              - {link: "acme://b", expect: {route: b}}
            """
        let refusal = #expect(throws: DeviceSuite.Refusal.self) { try Example.suite(suite, of: table, .ios) }
        let screens = "The screens '\(first)' and '\(second)' would both be named '\(name)'"
        #expect(refusal?.description.hasPrefix(screens) == true, "\(refusal?.description ?? "")")
    }

    @Test func flowsAreYAML() throws {
        for platform in [Platform.ios, .android] {
            for kind in TestPlan.Kind.allCases {
                let text = try #require(MaestroFile(try Example.suite(platform), kind).text)
                let documents = try Array(Yams.compose_all(yaml: text))
                #expect(documents.count == 2)
                #expect(documents.last?.sequence?.isEmpty == false)
            }
        }
    }
}
