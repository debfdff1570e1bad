import ArgumentParser
import Foundation
import LinkCatalog
import LinkRouting
import LinkServer

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run link suites against a table file or a server.",
        discussion: """
            EXAMPLES
              fingerpost test config/examples/shop.suite.yaml \\
                --table config/examples/shop.yaml
              fingerpost test config/examples/*.suite.yaml --server http://127.0.0.1:8080
              fingerpost test suites/*.yaml --server https://links.example.com \\
                --environment staging
              fingerpost test suites/*.yaml --table shop.yaml --junit test-results.xml
              fingerpost test suites/shop.yaml --table shop.yaml --print-commands

            Suites and cases whose 'environments' do not include the one tested (default: production) are skipped.
            Against a server, links are sent to its public port with purpose 'test'. Traces need a tenant with \
            `explain: public`, or a key. A response other than 200 ends the command, except for one that concerns \
            only the case.
            With --print-commands, no suite is run: the printed commands open the links on a booted simulator and on a \
            device, and comments say what each one tests.
            Exit code 1 when a case fails, 69 when the server does not answer the links.
            """
    )

    @ArgumentParser.Argument(help: "Suite files.") var suites: [String]
    @OptionGroup var answers: AnswerOptions
    @Flag(help: "Print the results as JSON.") var json = false
    @ArgumentParser.Option(help: "Also write the results to this file as JUnit XML.") var junit: String?
    @Flag(help: "Print commands that open the links on devices, instead of running the suites.") var printCommands =
        false

    func validate() throws {
        guard !printCommands || answers.table != nil else {
            throw ValidationError("--print-commands needs --table: the settings name the apps.")
        }
    }

    func run() async throws {
        if let junit { try requireReplaceable(junit, inputs: suites + [answers.table].compactMap(\.self)) }
        let offline = try answers.table.map { try OfflineTable($0, now: SystemClock.now()) }
        let read = try suites.map { path in
            do {
                var suite = try LinkSuite(try readText(path))
                suite.name = path
                return suite
            } catch let error as DocumentError {
                throw fail("\(path): \(error.description)", .unreadableInput)
            }
        }
        if let offline {
            for suite in read {
                try offline.check(suite)
                for warning in offline.warnings(about: suite) { warn("\(suite.name ?? ""): \(warning)") }
            }
        }
        if printCommands, let offline {
            return read.forEach { suite in
                DeviceCommands(suite: suite, apps: offline.router.identity.apps).lines.forEach { show($0) }
            }
        }
        var results: [SuiteResult] = []
        let client = try answers.client
        let tested = answers.environment.flatMap(EnvironmentID.init) ?? .production
        for whole in read {
            guard !whole.cases.isEmpty else {
                throw fail("\(whole.name ?? "") has no cases; add at least one under 'cases'.", .unreadableInput)
            }
            guard let suite = whole.limited(to: tested) else {
                warn("\(whole.name ?? ""): skipped, because its 'environments' do not include '\(tested)'")
                continue
            }
            var failures: [SuiteFailure] = []
            if let offline {
                failures = offline.failures(of: suite)
                let failed = Set(failures.map(\.line))
                for one in suite.cases where failed.contains(one.position.line) {
                    guard let warning = offline.unknownHostWarning(for: one) else { continue }
                    warn("\(suite.name ?? ""):\(one.position.line): warning: \(warning)")
                }
            } else if let client {
                for one in suite.cases {
                    let (found, warnings) = try await client.failures(of: one, suite: suite.name ?? "")
                    failures += found
                    for warning in warnings { warn("\(suite.name ?? ""):\(one.position.line): warning: \(warning)") }
                }
            }
            results.append(SuiteResult(suite, failures: failures))
        }
        if let junit {
            do {
                try Data(JUnitReport(results).xml.utf8).write(to: URL(filePath: junit))
            } catch {
                throw fail("\(junit) cannot be written: \(unwritableReason(error))", .ioError)
            }
        }
        json
            ? show(.object(["suites": .array(results.map(\.json))]), .compact) : show(results.flatMap(\.lines))
        if results.contains(where: { !$0.failures.isEmpty }) { throw ExitCode(ExitStatus.failed.rawValue) }
    }
}

extension ResolveClient {
    /// Returns the failures of a case, and the warnings of a response that fails. A response that concerns only the case,
    /// whose request the server cannot read, is a failure.
    fileprivate func failures(
        of one: LinkSuite.Case,
        suite: String
    ) async throws -> (failures: [SuiteFailure], warnings: [String]) {
        do {
            let answer = try await answer(one.link, in: one.context, explain: one.wantsTrace)
            let failures = one.failures(of: answer, suite: suite, sealsContinuations: true)
            return (failures, failures.isEmpty ? [] : (answer["warnings"]?.elements ?? []).compactMap(\.text))
        } catch let refusal as Refusal {
            guard [400, 413].contains(refusal.status), refusal.body != .null else {
                throw refusal.failure(of: one.link, .unavailable)
            }
            return ([one.failure("response", refusal.description, suite: suite)], [])
        }
    }
}

extension SuiteResult {
    /// The failures and a summary.
    var lines: [String] {
        let lines = failures.flatMap { ["\($0.suite):\($0.line): \($0.link)", "  \($0.key): \($0.difference)"] }
        return lines + ["\(name): \(cases.count - failedCases) passed, \(failedCases) failed"]
    }
}

/// Results as JUnit XML for continuous integration: a test suite per link suite, a test case per link.
struct JUnitReport {
    private let results: [SuiteResult]

    init(_ results: [SuiteResult]) { self.results = results }

    var xml: String {
        let suites = results.map { result in
            let cases = result.cases.map { one in
                let failures = result.failures.filter { $0.line == one.line }
                let name = "line \(one.line) \(one.link)".escapedForXML
                guard !failures.isEmpty else { return "    <testcase name=\"\(name)\"/>" }
                let message = failures.map { "\($0.key): \($0.difference)" }.joined(separator: "; ").escapedForXML
                return """
                        <testcase name="\(name)">
                          <failure message="\(message)">\(result.name.escapedForXML):\(failures[0].line)</failure>
                        </testcase>
                    """
            }
            let counts = "tests=\"\(result.cases.count)\" failures=\"\(result.failedCases)\""
            return (["  <testsuite name=\"\(result.name.escapedForXML)\" \(counts)>"] + cases + ["  </testsuite>"])
                .joined(separator: "\n")
        }
        return (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"] + suites + ["</testsuites>", ""])
            .joined(separator: "\n")
    }
}

/// Shell commands that open a suite's links on a booted simulator or a device, with comments on what they test. The
/// suite may be untrusted: a link is one quoted word, and a comment cannot extend beyond its line.
struct DeviceCommands {
    let suite: LinkSuite
    let apps: [RegisteredApp]

    var lines: [String] {
        suite.cases.flatMap { one in
            let comment = "# \(one.link.escapedForComment)"
            // A link that cannot be displayed safely cannot be pasted safely either.
            guard let link = try? DeepLink.parse(one.link),
                !one.link.unicodeScalars.contains(where: \.isUnsafeToDisplay)
            else { return [comment, "# not a link that can be opened"] }
            let meant = apps.filter { app in one.app.map { $0 == app.id } ?? one.isFor(app) }
            return [comment] + meant.flatMap { lines(one.link, $0, isWeb: link.isWeb) }
        }
    }

    private func lines(_ link: String, _ app: RegisteredApp, isWeb: Bool) -> [String] {
        switch app.product {
        case .ios:
            let tests =
                isWeb
                ? "the association file, the entitlement and the app's routing" : "the scheme and the app's routing"
            return ["# tests \(tests)", "xcrun simctl openurl booted \(link.quotedForShell)"]
        case .android(let package, _):
            let view =
                "am start -W -a android.intent.action.VIEW -c android.intent.category.BROWSABLE -d \(link.quotedForShell)"
            let verification =
                isWeb
                ? "the verification of the host (assetlinks.json), the manifest and the app's routing"
                : "the manifest and the app's routing"
            return [
                "# tests the app's routing only: the package is named",
                "adb shell \("\(view) \(package)".quotedForShell)",
                "# tests \(verification)",
                "adb shell \(view.quotedForShell)",
            ]
        }
    }
}

extension LinkSuite.Case {
    /// Whether the case's context allows the app's platform.
    fileprivate func isFor(_ app: RegisteredApp) -> Bool {
        switch (context["platform"]?.text, app.product) {
        case ("ios", .ios), ("android", .android), (nil, _): true
        default: false
        }
    }
}
