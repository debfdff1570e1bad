import Foundation
import LinkRouting
import TestSupport
import Testing

/// The commands of the test kit report mistakes with a place, and exit with the documented codes.
struct TestKitCommandTests {
    private static let example = Repository.file("config/examples/testkit").path

    /// Runs `fingerpost testkit …`. Returns the exit code and all output.
    private func testkit(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let result = try await runBeside("sh", ["-c", #""$0" testkit "$@" 2>&1"#, tool] + arguments)
        return (result.status, String(decoding: result.output, as: UTF8.self))
    }

    @Test func brokenFixtureIsSixtyFive() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory + "/__files",
                withIntermediateDirectories: true
            )
            try Data("{\"a\": 1,\n}".utf8).write(to: URL(filePath: directory + "/__files/a.json"))
            let (status, text) = try await testkit(["fixtures", "swift", directory])
            #expect(status == 65)
            #expect(text.contains("\(directory)/__files/a.json:1:8: there is a comma after the last value"))
        }
    }

    @Test func filesOfASuiteAreWrittenAndNamed() async throws {
        try await withTemporaryDirectory { directory in
            let suite = [Self.example + "/catalog.suite.yaml", "--table", Self.example + "/catalog.yaml"]
            // The folder and the one above it do not exist yet.
            let folder = directory + "/ios/UITests"
            let (status, text) = try await testkit(["generate", "xcuitest"] + suite + ["--out", folder])
            #expect(status == 0)
            let names = ["AccessibilityID.swift", "CatalogLinkTests.swift", "CatalogAssociationTests.swift"]
            #expect(text == names.map { "\(folder)/\($0)\n" }.joined())
            for name in names {
                let written = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                let expected = try String(contentsOfFile: "\(Self.example)/ios/UITests/\(name)", encoding: .utf8)
                #expect(written == expected)
            }
        }
    }

    @Test(arguments: [
        (["generate", "maestro", "SUITE", "--table", "TABLE"], 1, "choose an app with --app: ios, android."),
        (["generate", "uiautomator", "SUITE", "--table", "TABLE", "--package", "a b"], 64, "is not a package"),
        (
            ["generate", "xcuitest", "SUITE", "--table", "TABLE", "--state", "processDeath"], 1,
            "has no state processDeath; choose from notRunning, inBackground, running."
        ),
        (["generate", "xcuitest", "TABLE", "--table", "TABLE"], 65, "this is a tenant file"),
        (["doctor", "STUB", "--table", "TABLE"], 1, "neither an Xcode project nor a Gradle project"),
        (["doctor", "/nowhere", "--table", "TABLE"], 65, "/nowhere is not a folder"),
        (["doctor", "DIR", "--table", "TABLE"], 0, "0 errors, 0 warnings"),
        (["probe", "kotlin"], 64, "Name the package"),
        (["probe", "swift", "--out", "/nowhere/a.swift"], 74, "its directory does not exist; create it, or check"),
        (
            ["generate", "xcuitest", "SUITE", "--table", "TABLE", "--out", "SUITE"],
            74,
            "catalog.suite.yaml is not a folder; choose another with --out."
        ),
        (["fixtures", "swift", "DIR"], 65, "has no folder '__files'"),
    ])
    func mistakeHasAMessage(_ words: [String], _ status: Int32, _ message: String) async throws {
        let paths = [
            "SUITE": "/catalog.suite.yaml", "TABLE": "/catalog.yaml", "STUB": "/stub", "DIR": "",
        ]
        let result = try await testkit(words.map { word in paths[word].map { Self.example + $0 } ?? word })
        #expect(result.status == status)
        #expect(result.text.contains(message), "\(result.text)")
    }
}
