package import LinkCatalog
import LinkRouting

/// One test: a case, the state of the app, and the way in which the link is opened.
package struct PlannedTest: Sendable {
    package let one: DeviceCase
    package let state: LaunchState
    package let way: LinkSuite.Via
    /// The name, such as `GivenNotRunning_WhenTheSystemOpensProducts1_ThenProductDetailIsShown`. It is unique in its
    /// file.
    package let name: String
}

/// The tests of one generated file.
package struct TestPlan: Sendable {
    package let tests: [PlannedTest]
    /// The cases that the file leaves out, and why.
    package let leftOut: [UntestedCase]

    /// Whether the tests need the network and the published association files.
    package enum Kind: String, Sendable, CaseIterable {
        case routing, association
    }

    package init(_ kind: Kind, of suite: DeviceSuite, using tool: TestTool) {
        let platform = suite.app.platform
        var counts: [String: Int] = [:]
        var tests: [PlannedTest] = []
        var leftOut = kind == .routing ? suite.untested : []
        for one in suite.cases {
            let ways = Self.ways(one, kind, platform, tool)
            if kind == .association, !ways.isEmpty, !one.agreesWithAssociation {
                leftOut.append(
                    UntestedCase(link: one.link, line: one.line, reason: Self.disagreement(one.association))
                )
                continue
            }
            if kind == .routing, ways.isEmpty, one.host == nil || one.expected != .browser {
                leftOut.append(UntestedCase(link: one.link, line: one.line, reason: Self.onlyByAssociation))
            }
            for way in ways {
                for state in suite.states {
                    let name = Self.name(one, state, way)
                    let count = counts[name, default: 0] + 1
                    counts[name] = count
                    let unique = count == 1 ? name : "\(name)_\(count)"
                    tests.append(PlannedTest(one: one, state: state, way: way, name: unique))
                }
            }
        }
        self.tests = tests
        self.leftOut = leftOut
    }

    /// The hosts whose association the tests need.
    package var hosts: [String] { Set(tests.compactMap(\.one.host)).sorted() }

    /// Returns the ways to open the link in the tests of a file, in a fixed order.
    private static func ways(_ one: DeviceCase, _ kind: Kind, _ platform: Platform, _ tool: TestTool) -> [LinkSuite.Via]
    {
        let isWeb = one.host != nil
        let possible: [LinkSuite.Via] =
            switch (kind, platform, isWeb) {
            // A scheme needs no association file, so its links are tested in every way without the network.
            case (.routing, .ios, false): tool == .maestro ? [.system] : [.app, .system, .page]
            // `simctl openurl`, which Maestro uses, cannot name the app.
            case (.routing, .ios, true): tool == .maestro || one.expected == .browser ? [] : [.app]
            // `pm set-app-links` replaces the association file.
            case (.routing, _, true) where one.expected == .browser: []
            case (.routing, _, _): tool == .maestro ? [.system] : [.app, .system]
            case (.association, _, false): []
            case (.association, .ios, true): tool == .maestro ? [.system] : [.system, .page]
            case (.association, _, true): [.system]
            }
        let requested = possible.filter(one.ways.contains)
        // Where links cannot be tapped on a page or handed to the app, the system opens them.
        let standIn = possible.contains(.system) && requested.isEmpty && !(kind == .association && one.ways == [.app])
        return standIn ? [.system] : requested
    }

    private static func disagreement(_ association: DeviceCase.Association) -> String {
        switch association {
        case .opensApp: "the association file opens it in the app, which then leaves it to the browser"
        case .staysInBrowser: "the association file keeps it in the browser, so only another app can hand it over"
        }
    }

    private static let onlyByAssociation = "only the system can open it here; see the association tests"

    private static func name(_ one: DeviceCase, _ state: LaunchState, _ way: LinkSuite.Via) -> String {
        let scheme = one.link.firstRange(of: "://")?.upperBound ?? one.link.startIndex
        let rest = one.link[scheme...]
        // The host of a web link is the same in most cases.
        let path = one.host == nil ? rest : rest[(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)...]
        let words = path.contains { $0.isLetter || $0.isNumber } ? SourceName(String(path)).inner : "Root"
        let link = (one.host == nil ? "SchemeLink" : "WebLink") + words
        let when =
            switch way {
            case .app: "TheAppIsHanded\(link)"
            case .system: "TheSystemOpens\(link)"
            case .page: "\(link)IsTapped"
            }
        let then =
            switch one.expected {
            case .screen(let screen, _): "\(SourceName(screen).inner)IsShown"
            case .browser: "TheBrowserIsShown"
            }
        let facts = (one.facts.members ?? []).prefix(3).map { fact in
            "And" + SourceName("\(fact.key) \(fact.value.text ?? fact.value.json())").inner
        }
        return "Given\(state.words)\(facts.joined())_When\(when)_Then\(then)"
    }
}

/// A tool for tests on devices.
package enum TestTool: String, Sendable, CaseIterable {
    case xcuitest, uiautomator, maestro
}

extension LinkSuite.Via {
    /// The way in generated Swift.
    var swiftCase: String {
        switch self {
        case .app: "handler"
        case .system: "system"
        case .page: "page"
        }
    }
}

extension String {
    /// The link in a comment, shortened.
    var shownInComment: String {
        escapedForComment.shortened(toBytes: 100)
    }
}
