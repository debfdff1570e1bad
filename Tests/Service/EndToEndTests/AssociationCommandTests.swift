import Foundation
import LinkRouting
import TestSupport
import Testing

/// `fingerpost association …` as users run it: real files, exit codes, JSON.
struct AssociationCommandTests {
    private static let taxi = ScenarioTests.examples.appending(path: "taxi.yaml").path
    private static let shop = ScenarioTests.examples.appending(path: "shop.yaml").path

    private func association(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = ["association"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func json(_ text: String) throws -> JSONNode {
        try JSONReader.parse(text, limits: JSONReader.Limits(maximumBytes: 1 << 20))
    }

    @Test func builtFilesAreValidAndAnswer() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try association("build", "--table", Self.shop, "--out", directory).status == 0)
            let folder = "\(directory)/www.yourappdomain.com/.well-known"
            let file = "\(folder)/apple-app-site-association"
            let verdict = try association("validate", directory, "--json")
            #expect(verdict.status == 0, "\(verdict.text)")
            #expect(
                try json(verdict.text)["findings"]?.elements?.allSatisfy { $0["severity"]?.text != "error" } == true
            )

            for (url, decision, rule) in [
                ("https://www.yourappdomain.com/product/1", "match", 1),
                ("https://www.yourappdomain.com/user/anna/delete", "exclude", 0),
            ] {
                let answer = try json(association("simulate", file, url, "--json").text)
                #expect(answer["decision"]?.text == decision && answer["entry"]?.int == 0)
                #expect(answer["rule"]?.int == Int64(rule) && answer["app"]?.text == "ABCDE12345.com.example.yourapp")
            }
            let android = try json(
                association(
                    "simulate",
                    "\(folder)/assetlinks.json",
                    "https://www.yourappdomain.com/legal/x",
                    "--platform",
                    "android",
                    "--json"
                ).text
            )
            #expect(android["decision"]?.text == "exclude" && android["app"]?.text == "com.example.yourapp")
        }
    }

    @Test func findingsEndWithOneAndReadAsText() async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/apple-app-site-association"
            let text =
                #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.a","paths":["*","NOT /admin/*"]}]}}"#
            try Data(text.utf8).write(to: URL(filePath: file))
            let verdict = try association("validate", file)

            #expect(verdict.status == 1)
            #expect(verdict.text.hasPrefix("\(file):1:76: error AASA-UNREACHABLE-RULE Rule 1 can never be reached"))
            #expect(verdict.text.hasSuffix("1 error in 1 file\n"))
            let sarif = try association("validate", file, "--sarif")
            #expect(try json(sarif.text)["runs"]?.elements?.first?["results"]?.elements?.count == 1)
        }
    }

    @Test func unreadableInputIsReportedWithItsPosition() async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/assetlinks.json"
            try Data(#"[{},]"#.utf8).write(to: URL(filePath: file))
            let answer = try association("simulate", file, "https://a.example/")

            #expect(answer.status == 65)
            #expect(answer.text.contains("line 1, column 4"))
            #expect(try association("validate", "\(directory)/missing").status == 65)
            #expect(try association("build", "--table", Self.shop).status == 64)
        }
    }

    @Test func generatedAndServedFilesAnswerAlike() async throws {
        try await withTemporaryDirectory { directory in
            let server = try RunningServer(directory: directory)
            defer { server.killNow() }
            let address = "http://127.0.0.1:\(server.publicPort)"
            for url in [
                "https://farechoice.taxi/legal/terms", "https://farechoice.taxi/", "https://farechoice.taxi/x?y#z",
            ] {
                let offline = try association("simulate", "--table", Self.taxi, url, "--json")
                let online = try association("simulate", "--server", address, url, "--json")
                #expect(offline.status == 0 && offline.text == online.text)
            }
        }
    }

    @Test func diffNamesTheLinksThatMove() async throws {
        try await withTemporaryDirectory { directory in
            let draft = "\(directory)/draft.yaml"
            let text = try String(contentsOf: URL(filePath: Self.taxi), encoding: .utf8)
            try Data(text.replacing("/legal/", with: "/law/").utf8).write(to: URL(filePath: draft))
            let url = "https://farechoice.taxi/legal/terms"
            let diff = try association("diff", Self.taxi, draft, "--link", url, "--link", "https://farechoice.taxi/")

            #expect(diff.status == 0)
            #expect(
                diff.text
                    == "\(url): TEAMID1234.taxi.farechoice.app moves from Safari to the app\n1 of 2 links move\n"
            )
        }
    }

    @Test func diffOfFilesFindsTheLinks() async throws {
        try await withTemporaryDirectory { directory in
            func file(_ name: String, _ path: String) throws -> String {
                let rules = #"[{"/":"\#(path)","exclude":true},{"/":"*"}]"#
                let text =
                    #"{"applinks":{"details":[{"appIDs":["TEAMID1234.taxi.farechoice.app"],"components":\#(rules)}]}}"#
                try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
                return "\(directory)/\(name)"
            }
            let (old, new) = (try file("old", "/legal/*"), try file("new", "/law/*"))
            let diff = try association("diff", old, new, "--host", "farechoice.taxi", "--json")
            #expect(
                try json(diff.text)["moves"]?.elements?.compactMap { $0["link"]?.text } == [
                    "https://farechoice.taxi/legal", "https://farechoice.taxi/law",
                ]
            )
            let same = try association("diff", old, old)
            #expect(same.status == 0 && same.text == "0 kinds of links move\n")
            let generated = try association("diff", Self.taxi, new)
            #expect(generated.status == 0 && generated.text.contains("https://farechoice.taxi/legal: "))
            #expect(try association("diff", Self.taxi, Self.taxi).status == 64)
        }
    }

    @Test func generatedManifestAnswers() async throws {
        try await withTemporaryDirectory { directory in
            let filters = try association("manifest", Self.shop)
            #expect(filters.status == 0)
            let manifest = "\(directory)/AndroidManifest.xml"
            try Data("<manifest><activity>\(filters.text)</activity></manifest>".utf8).write(
                to: URL(filePath: manifest)
            )

            let url = "https://www.yourappdomain.com/product/1"
            let alone = try json(association("simulate", "--manifest", manifest, url, "--json").text)
            #expect(alone["decision"]?.text == "match" && alone["line"]?.int == 1)
            let both = try json(
                association("simulate", "--table", Self.shop, "--manifest", manifest, url, "--json").text
            )
            #expect(both["decision"]?.text == "match" && both["manifest"]?["decision"]?.text == "match")
            let other = try association("simulate", "--manifest", manifest, "https://other.example/")
            #expect(other.status == 0 && other.text.contains("no intent filter accepts the URL"))
            #expect(try association("simulate", "--manifest", Self.shop, url).status == 65)
            #expect(try association("manifest", Self.taxi).status == 1)
        }
    }

    @Test(arguments: ["build", "validate", "simulate", "diff", "manifest"])
    func helpHasAnExample(_ command: String) throws {
        let help = try association(command, "--help")

        #expect(help.status == 0)
        #expect(help.text.contains("EXAMPLE") && help.text.contains("fingerpost association \(command) "))
    }
}
