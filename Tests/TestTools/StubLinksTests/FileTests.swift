import Foundation
import LinkRouting
import NIOHTTP1
import StubLinks
import StubServer
import TestSupport
import Testing

/// Tenant files: their errors at the start, and their changes while the server runs.
@Suite(.timeLimit(.minutes(15)))
struct FileTests {
    @Test(arguments: [
        ("tenant: [", "a.yaml:2:1: This is not YAML"),
        ("formatVersion: 1\ntable: {routes: []}", "a.yaml: the file does not name its tenant"),
        ("formatVersion: 1\ntenant: a\ntable: {routes: []}", "a.yaml: the file has no 'settings'"),
        (
            "formatVersion: 1\ntenant: a\nsettings: {schemes: [aa]}\ntable:\n  routes:\n    - {id: x, path: \"/{a...}/b\"}",
            "a.yaml:6:21: table.routes[0].path: "
        ),
        (
            "formatVersion: 1\ntenant: a\nsettings: {schemes: [aa], nonsense: 1}\ntable: {routes: []}",
            "a.yaml:3:"
        ),
    ])
    func wrongFileStopsTheStart(text: String, line: String) async throws {
        let error = await #expect(throws: UnusableFile.self) {
            try await RunningStub.run(tenants: ["a.yaml": text]) { _ in }
        }
        let shown = error?.description.split(separator: "/tenants/").last ?? ""
        #expect(shown.hasPrefix(line), "\(shown)")
    }

    @Test func twoFilesMayNotHaveTheSameDomain() async throws {
        let other = RunningStub.acme.replacing("tenant: acme", with: "tenant: other")
        let error = await #expect(throws: UnusableFile.self) {
            try await RunningStub.run(tenants: ["a.yaml": RunningStub.acme, "b.yaml": other]) { _ in }
        }
        let shown = try #require(error?.description)
        #expect(shown.contains("b.yaml:4:13: the domain 'go.acme.test' belongs to the tenant of "))
        let twice = await #expect(throws: UnusableFile.self) {
            try await RunningStub.run(tenants: ["a.yaml": RunningStub.acme, "b.yaml": RunningStub.acme]) { _ in }
        }
        #expect(twice?.description.contains("the tenant 'acme' is in ") == true)
    }

    @Test func missingFileStopsTheStart() async throws {
        var configuration = StubLinks.Configuration()
        configuration.tenants = ["/nowhere/acme.yaml"]
        let error = await #expect(throws: UnusableFile.self) { try await StubLinks(configuration) }
        #expect(error?.description == "/nowhere/acme.yaml: there is no such file; check the path.")
    }

    @Test func wrongSuiteStopsTheStart() async throws {
        let suite = "formatVersion: 1\ncases:\n  - {link: a}"
        let error = await #expect(throws: UnusableFile.self) {
            try await RunningStub.run(suites: ["a.yaml": suite]) { _ in }
        }
        #expect(error?.description.contains("a.yaml:3:5: cases[0]") == true, "\(error?.description ?? "")")
    }

    @Test func editedTableAnswersAndAnInvalidEditDoesNot() async throws {
        try await RunningStub.run { stub in
            let path = "\(stub.folder)/tenants/acme.yaml"
            #expect(await stub.links.reload() == [])
            try RunningStub.write(RunningStub.acme.replacing("screen: Item,", with: "screen: Thing,"), path)
            #expect(await stub.links.reload() == ["\(path): read again"])
            let edited = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
            #expect(edited["destination"]?["screen"]?.text == "Thing")
            // Two environments have a table, so the third revision is the new one of production.
            #expect(edited["revision"]?.int == 3)
            let table = try await stub.get("/_fp/table?app=ios&tenant=acme")
            #expect(table.status == 200 && table.text.contains("Thing"))

            try RunningStub.write(RunningStub.acme.replacing("path: /account", with: "path: account"), path)
            let problems = await stub.links.reload()
            #expect(
                problems.count == 1 && problems[0].hasPrefix("\(path):13:27: table.routes[1].path: "),
                "\(problems)"
            )
            // It is reported once, and the last good table answers.
            #expect(await stub.links.reload() == [])
            let kept = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
            #expect(kept["destination"]?["screen"]?.text == "Thing" && kept["revision"]?.int == 3)

            try FileManager.default.removeItem(atPath: path)
            #expect(await stub.links.reload() == ["\(path): there is no such file; check the path."])
            #expect(try await stub.resolve(#"{"url": "acme:/item/7"}"#)["outcome"]?.text == "matched")

            try RunningStub.write(RunningStub.acme, path)
            #expect(await stub.links.reload() == ["\(path): read again"])
            let last = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
            #expect(last["destination"]?["screen"]?.text == "Item" && last["revision"]?.int == 5)
        }
    }

    @Test func reportOfAnEarlierRevisionIsCheckedWithIt() async throws {
        try await RunningStub.run { stub in
            let path = "\(stub.folder)/tenants/acme.yaml"
            try RunningStub.write(RunningStub.acme.replacing("id: item,", with: "id: thing,"), path)
            _ = await stub.links.reload()
            let body = """
                {"tenant": "acme", "app": "ios", "install": "i", "engineVersion": "1.0", "events": [
                  {"clientEventId": "a", "occurredAt": "2026-11-21T09:59:00Z", "url": "acme:/item/7", "result": "shown",
                   "context": {}, "revision": 1, "settingsRevision": 1, "outcome": "matched", "action": "open_app",
                   "route": "item"}]}
                """
            _ = try await stub.send(.POST, "/_fp/events", body: body)
            let event = try #require(try await stub.get("/__admin/requests").json["requests"]?.elements?.first)
            #expect(event["links"]?.elements?.first?["reported"]?["agreement"]?.text == "same")
        }
    }

    @Test func newFileOfTheFolderIsRead() async throws {
        try await RunningStub.run { stub in
            let path = "\(stub.folder)/tenants/other.yaml"
            let text =
                "formatVersion: 1\ntenant: other\nsettings: {schemes: [other]}\ntable: {routes: [{id: a, path: /a}]}"
            try RunningStub.write(text, path)
            #expect(await stub.links.reload() == ["\(path): read again"])
            #expect(try await stub.resolve(#"{"url": "other:/a"}"#)["route"]?["id"]?.text == "a")
            // A conflict leaves all tenants as they are.
            let both = text.replacing("[other]", with: "[other, acme]")
            try RunningStub.write(both, path)
            let problems = await stub.links.reload()
            #expect(problems.count == 1 && problems[0].contains("the scheme 'acme' belongs to the tenant of "))
            #expect(try await stub.resolve(#"{"url": "other:/a"}"#)["route"]?["id"]?.text == "a")
            try RunningStub.write(text.replacing("id: a,", with: "id: b,"), path)
            #expect(await stub.links.reload() == ["\(path): read again"])
            #expect(try await stub.resolve(#"{"url": "other:/a"}"#)["route"]?["id"]?.text == "b")
        }
    }

    /// The loop that `--watch` runs, with ticks instead of time.
    @Test func watchReadsAtEachTick() async throws {
        try await RunningStub.run { stub in
            let path = "\(stub.folder)/tenants/acme.yaml"
            let (lines, report) = AsyncStream.makeStream(of: String.self)
            let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
            /// Ends by throwing, as a cancelled sleep does.
            @Sendable func sleep(_ duration: Duration) async throws {
                for await _ in ticks { return }
                throw CancellationError()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await stub.server.watch(sleep: sleep, report: { report.yield($0) })
                    report.finish()
                }
                try RunningStub.write(RunningStub.acme.replacing("screen: Item,", with: "screen: Thing,"), path)
                tick.yield()
                var iterator = lines.makeAsyncIterator()
                #expect(await iterator.next() == "\(path): read again")
                let answer = try await stub.resolve(#"{"url": "acme:/item/7"}"#)
                #expect(answer["destination"]?["screen"]?.text == "Thing")
                tick.finish()
                #expect(await iterator.next() == nil)
                try await group.waitForAll()
            }
        }
    }
}
