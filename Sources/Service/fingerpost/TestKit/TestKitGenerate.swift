import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import TestKit

struct TestKitGenerate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print the UI tests of a link suite, as one source file.",
        discussion: """
            EXAMPLES
              fingerpost testkit generate xcuitest suite.yaml --table shop.yaml --out ios
              fingerpost testkit generate uiautomator suite.yaml --table shop.yaml
              fingerpost testkit generate maestro suite.yaml --table shop.yaml \\
                --app android
              fingerpost testkit generate xcuitest suite.yaml --table shop.yaml \\
                --state notRunning --out ios

            Each case of the suite is opened while the app is not running (notRunning), in the background (inBackground) and \
            running, on Android also after the system has ended its process (processDeath). --state chooses among these. \
            The expected screens and arguments come from the table, \
            so the suite must pass first.
            Routing tests need no network. Association tests need the published association files and check them before \
            they open a link. They are separate files: --tests chooses the one to print, and --out FOLDER writes both, for \
            xcuitest also AccessibilityID.swift, which belongs to the app's target, too.
            A case that no device can test, such as one for another platform, is listed in a comment with the reason.

            EXIT CODES
              0 success
              1 the table fails the suite, or no case can be tested
              65 unreadable input
              74 the output cannot be written
            """
    )

    @ArgumentParser.Argument(help: "xcuitest, uiautomator or maestro.") var tool: TestTool
    @ArgumentParser.Argument(help: "A suite file.") var suite: String
    @ArgumentParser.Option(help: "The tenant file with settings and table.") var table: String
    @ArgumentParser.Option(help: "The id of the app under test (default: the only one of the platform).") var app:
        String?
    @ArgumentParser.Option(help: "routing or association (default: routing; with --out both).") var tests:
        TestPlan.Kind?
    @ArgumentParser.Option(help: "A state of the app; may be repeated (default: all states of the platform).")
    var state: [LaunchState] = []
    @ArgumentParser.Option(help: "The package of Kotlin tests (default: linktests below the app's package).")
    var package: String?
    @ArgumentParser.Option(help: "Write the files into this folder, which is created if it does not exist.") var out:
        String?

    func validate() throws {
        guard package == nil || tool == .uiautomator else { throw ValidationError("--package is for uiautomator.") }
        guard package.map(LinkProbe.isPackage) ?? true else {
            throw ValidationError("'\(package ?? "")' is not a package; write one such as com.example.shop.linktests.")
        }
    }

    func run() async throws {
        let now = SystemClock.now()
        let offline = try OfflineTable(table, now: now)
        let links = try linkSuite()
        let failures = offline.failures(of: links)
        guard failures.isEmpty else {
            throw fail(
                "\(suite): the table answers \(failures.count.counted("expectation")) differently; "
                    + "see fingerpost test \(suite) --table \(table)",
                .failed
            )
        }
        let app = try registeredApp(of: offline.router.identity)
        var device: DeviceSuite
        do throws(DeviceSuite.Refusal) {
            device = try DeviceSuite(
                links,
                file: URL(filePath: suite).lastPathComponent,
                of: offline.published,
                app: app,
                now: now
            )
        } catch {
            throw fail(error.description, .failed)
        }
        if !state.isEmpty { device.states = try chosenStates(on: app.platform) }
        let kinds = tests.map { [$0] } ?? (out == nil ? [.routing] : TestPlan.Kind.allCases)
        var files = kinds.compactMap { kind in text(device, kind).map { (name: name(device, kind), text: $0) } }
        guard !files.isEmpty else {
            throw fail("\(suite) has no case for \(kinds[0].rawValue) tests with \(tool.rawValue).", .failed)
        }
        if tool == .xcuitest, kinds.contains(.routing) {
            files.insert((XCUITestFile.identifiersName, XCUITestFile.identifiers(device)), at: 0)
        }
        guard let out else { return show(document: files.map(\.text).joined(separator: "\n")) }
        try createFolder(out)
        for file in files { try requireReplaceable("\(out)/\(file.name)", inputs: [suite, table]) }
        for file in files { try write(file.text, toFile: "\(out)/\(file.name)") }
        show(files.map { "\(out)/\($0.name)" })
    }

    private func chosenStates(on platform: Platform) throws -> [LaunchState] {
        let possible = LaunchState.states(on: platform)
        if let other = state.first(where: { !possible.contains($0) }) {
            let names = possible.map(\.rawValue).joined(separator: ", ")
            throw fail("an app of \(platform.rawValue) has no state \(other.rawValue); choose from \(names).", .failed)
        }
        return possible.filter(state.contains)
    }

    private func createFolder(_ path: String) throws {
        try requireFolder(path)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw fail("\(path) cannot be created: \(unwritableReason(error)).", .ioError)
        }
    }

    private func linkSuite() throws -> LinkSuite {
        do {
            return try LinkSuite(try readText(suite))
        } catch let error as DocumentError {
            throw fail("\(suite): \(error.description)", .unreadableInput)
        }
    }

    private func registeredApp(of identity: Identity) throws -> RegisteredApp {
        let fitting = identity.apps.filter { one in
            switch tool {
            case .xcuitest: one.platform == .ios
            case .uiautomator: one.platform == .android
            case .maestro: true
            }
        }
        let named = fitting.filter { app == nil || $0.id.rawValue == app }
        guard let only = named.first, named.count == 1 else {
            let names = fitting.map(\.id.rawValue).joined(separator: ", ")
            let reason = app.map { "'\($0)' is not an app that \(tool.rawValue) can test; " } ?? ""
            throw fail(
                fitting.isEmpty
                    ? "\(table): the settings list no app that \(tool.rawValue) can test."
                    : "\(table): \(reason)choose an app with --app: \(names).",
                .failed
            )
        }
        return only
    }

    private func text(_ suite: DeviceSuite, _ kind: TestPlan.Kind) -> String? {
        switch tool {
        case .xcuitest: XCUITestFile(suite, kind).text
        case .uiautomator: UIAutomatorFile(suite, kind, package: package).text
        case .maestro: MaestroFile(suite, kind).text
        }
    }

    private func name(_ suite: DeviceSuite, _ kind: TestPlan.Kind) -> String {
        switch tool {
        case .xcuitest: XCUITestFile.name(suite, kind)
        case .uiautomator: UIAutomatorFile.name(suite, kind)
        case .maestro: MaestroFile.name(suite, kind)
        }
    }
}

extension TestTool: ExpressibleByArgument {}
extension LaunchState: ExpressibleByArgument {}
extension TestPlan.Kind: ExpressibleByArgument {}
