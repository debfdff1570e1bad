import Foundation
import LinkRouting
import StubMatching
import StubServer
import TestSupport
import Testing

/// What calls of the admin API do to the mapping files of the folder.
struct MappingFileTests {
    private static let id = "0f1e2d3c-0000-4000-8000-000000000001"
    private static let request = #""request":{"url":"/a"}"#

    /// A folder with one mapping file, and a server that has read it.
    private static func serve(
        _ mapping: String,
        _ body: (StubExchange, _ mappings: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let mappings = folder + "/mappings"
            try FileManager.default.createDirectory(atPath: mappings, withIntermediateDirectories: true)
            try Data(mapping.utf8).write(to: URL(filePath: mappings + "/a.json"))
            try await StubExchange.run {
                $0.folder = folder
            } _: {
                try await body($0, mappings)
            }
        }
    }

    private static func mapping(_ members: String = "", id: String = Self.id) -> String {
        #"{"id":"\#(id)",\#(request),"response":{"body":"A"},"metadata":{"of":"a"}\#(members)}"#
    }

    private static let removals: [(method: String, path: String, body: String)] = [
        ("DELETE", "mappings/\(id)", ""), ("POST", "mappings/remove", "{\(request)}"),
        ("POST", "mappings/remove", #"{"id":"\#(id)"}"#),
        ("POST", "mappings/remove-by-metadata", #"{"matchesJsonPath":{"expression":"$.of","equalTo":"a"}}"#),
        ("POST", "mappings/import", #"{"mappings":[],"importOptions":{"deleteAllNotInImport":true}}"#),
    ]

    private static let persistence: [(members: String, staysOnDisk: Bool)] = [
        ("", true), (#","persistent":false"#, true), (#","persistent":true"#, false),
    ]

    /// A file is removed with its stub only if the stub is persistent: any other one is the user's.
    @Test(arguments: removals, persistence)
    func removedStubLeavesTheFileOfTheUser(
        removal: (method: String, path: String, body: String),
        stub: (members: String, staysOnDisk: Bool)
    ) async throws {
        try await Self.serve(Self.mapping(stub.members)) { exchange, mappings in
            let removed = try await exchange.send(
                removal.method,
                "/__admin/\(removal.path)",
                body: Array(removal.body.utf8)
            )
            #expect(removed.status == 200, "\(removed.text)")
            let missing = try await exchange.send("GET", "/a")
            #expect(missing.status == 404)
            let files = try FileManager.default.contentsOfDirectory(atPath: mappings)
            #expect(files == (stub.staysOnDisk ? ["a.json"] : []))
            _ = try await exchange.send("POST", "/__admin/mappings/reset")
            let again = try await exchange.send("GET", "/a")
            #expect(again.status == (stub.staysOnDisk ? 200 : 404))
        }
    }

    /// A file with several stubs stays, also if they are persistent.
    @Test(arguments: [
        (mapping(), false), (mapping(#","$schema":"https://a.test/mapping.json""#), false),
        (#"{"$schema":"https://a.test/mappings.json","mappings":[\#(mapping())]}"#, true),
    ])
    func removalOfAllStubsRemovesTheirFiles(file: String, staysOnDisk: Bool) async throws {
        try await Self.serve(file) { exchange, mappings in
            _ = try await exchange.send("DELETE", "/__admin/mappings")
            let missing = try await exchange.send("GET", "/a")
            #expect(missing.status == 404)
            #expect(FileManager.default.fileExists(atPath: mappings + "/a.json") == staysOnDisk)
        }
    }

    /// What `save` writes is removed with its stub.
    @Test func savedStubIsPersistent() async throws {
        let file = #"{"mappings":[\#(Self.mapping()),\#(Self.mapping(id: Self.id.replacing("1", with: "2")))]}"#
        try await Self.serve(file) { exchange, mappings in
            _ = try await exchange.send("POST", "/__admin/mappings/save")
            let listed = try await exchange.send("GET", "/__admin/mappings").json?["mappings"]?.elements
            #expect(listed?.map { $0["persistent"]?.bool } == [true, true])
            let saved = "\(mappings)/a-\(Self.id).json"
            let written = try #require(FileManager.default.contents(atPath: saved))
            #expect(try JSONReader.parse(written, limits: .stubs)["persistent"]?.bool == true)
            _ = try await exchange.send("DELETE", "/__admin/mappings/\(Self.id)")
            #expect(!FileManager.default.fileExists(atPath: saved))
            let content = FileManager.default.contents(atPath: mappings + "/a.json")
            #expect(content == Data(file.utf8))
        }
    }

    // MARK: Changed files

    /// Returns the lines up to the end of a round.
    private static func round(_ lines: AsyncStream<String>) async -> [String] {
        var found: [String] = []
        for await line in lines {
            guard line != "round" else { break }
            found.append(line)
        }
        return found
    }

    /// The loop that `--watch` runs, with ticks instead of time.
    @Test func changedMappingsAreReadAtEachTick() async throws {
        try await Self.serve(Self.mapping()) { exchange, mappings in
            try await exchange.add(#"{"request":{"url":"/added"},"response":{"body":"ADDED"}}"#)
            let (lines, report) = AsyncStream.makeStream(of: String.self)
            let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
            /// Ends by throwing, as a cancelled sleep does. It reports the end of each round, so that a test awaits it.
            @Sendable func sleep(_ duration: Duration) async throws {
                report.yield("round")
                for await _ in ticks { return }
                throw CancellationError()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await exchange.server.watch(sleep: sleep, report: { report.yield($0) })
                    report.finish()
                }
                _ = await Self.round(lines)
                tick.yield()
                let unchanged = await Self.round(lines)
                #expect(unchanged == [])
                for (text, answer) in [
                    (Self.mapping().replacing("/a", with: "/longer"), 200), ("{", 200), ("", 200),
                    (Self.mapping().replacing("/a", with: "/other"), 404),
                ] {
                    try Data(text.utf8).write(to: URL(filePath: mappings + "/a.json"))
                    tick.yield()
                    let found = await Self.round(lines)
                    #expect(found.count == 1)
                    #expect((found.first == "the mappings have changed: read again") == (text.count > 1), "\(found)")
                    let changed = try await exchange.send("GET", "/longer")
                    #expect(changed.status == answer, "\(text)")
                    let added = try await exchange.send("GET", "/added")
                    #expect(added.text == "ADDED")
                }
                tick.finish()
                try await group.waitForAll()
            }
        }
    }
}
