import Foundation
import LinkRouting
import NIOHTTP1
import StubMatching
import StubServer
import TestSupport
import Testing

/// Recording, playing back, and verifying what was recorded.
struct RecordingTests {
    /// A target with two answers to one request, JSON, a header that matters and one that is volatile.
    static func addTarget(_ exchange: StubExchange) async throws {
        for mapping in [
            #"""
            {"request":{"method":"GET","urlPath":"/items"},
             "response":{"jsonBody":{"items":[{"name":"A"}],"at":1,"token":"t"},
                         "headers":{"Content-Type":"application/json","X-Request-Id":"1","Set-Cookie":"s=secret"}}}
            """#,
            #"""
            {"request":{"method":"POST","url":"/items","bodyPatterns":[{"equalToJson":{"name":"B"}}]},
             "response":{"status":201,"body":"made","headers":{"Location":"/items/2"}}}
            """#,
            #"""
            {"request":{"method":"GET","url":"/state"},"response":{"body":"one"},
             "scenarioName":"s","requiredScenarioState":"Started","newScenarioState":"two"}
            """#,
            #"""
            {"request":{"method":"GET","url":"/state"},"response":{"body":"two"},
             "scenarioName":"s","requiredScenarioState":"two"}
            """#,
        ] { try await exchange.add(mapping) }
    }

    /// Sends the requests of an app.
    static func use(_ exchange: StubExchange) async throws -> [String] {
        var answers: [String] = []
        for (method, target, body) in [
            ("GET", "/items?page=1", ""), ("POST", "/items", #"{"name":"B"}"#), ("GET", "/state", ""),
            ("GET", "/state", ""),
        ] {
            let answer = try await exchange.send(
                method,
                target,
                body.isEmpty ? [:] : ["Content-Type": "application/json"],
                body: Array(body.utf8)
            )
            answers.append("\(answer.status) \(answer.text)")
        }
        return answers
    }

    /// Records the use of a target into a folder.
    static func record(into folder: String) async throws -> [String] {
        var answers: [String] = []
        try await StubExchange.run { target in
            try await addTarget(target)
            let url = target.server.url
            try await StubExchange.run { configuration in
                configuration.folder = folder
                configuration.mask = SecretMask(fields: ["token"])
            } _: { recorder in
                try recorder.server.record(from: url, onlyMissing: false)
                answers = try await use(recorder)
                let ended = try #require(try recorder.server.endRecording())
                #expect(ended.stubs == 4)
                #expect(ended.omitted.isEmpty)
            }
        }
        return answers
    }

    static func content(of folder: String) throws -> [String: String] {
        var content: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
            content[name] = String(decoding: data, as: UTF8.self)
        }
        return content
    }

    @Test func recordingPlaysBack() async throws {
        try await withTemporaryDirectory { folder in
            let recorded = try await Self.record(into: folder)
            try await StubExchange.run {
                $0.folder = folder
            } _: { player in
                let played = try await Self.use(player)
                #expect(played[1...] == recorded[1...])
                #expect(played[0] == #"200 {"items":[{"name":"A"}],"at":1,"token":"***"}"#)
            }
        }
    }

    @Test func recordingAgainWritesTheSameFiles() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            let first = try Self.content(of: folder)
            #expect(first.keys.count { $0.hasSuffix(".json") } == 4)
            let all = first.values.joined()
            #expect(!all.contains("X-Request-Id") && !all.contains("secret"))
            // The stubs of the first recording are loaded, and answer nothing of the second one.
            _ = try await Self.record(into: folder)
            #expect(try Self.content(of: folder) == first)
        }
    }

    /// Binary uploads are distinguished.
    @Test func binaryBodiesAreCompared() async throws {
        let bodies: [[UInt8]] = [[0xFF, 0x01], [0xFE, 0x01]]
        try await withTemporaryDirectory { folder in
            try await StubExchange.run { target in
                for (number, body) in bodies.enumerated() {
                    let pattern = #"{"binaryEqualTo":"\#(Data(body).base64EncodedString())"}"#
                    try await target.add(
                        #"{"request":{"bodyPatterns":[\#(pattern)]},"response":{"body":"\#(number)"}}"#
                    )
                }
                let url = target.server.url
                try await StubExchange.run {
                    $0.folder = folder
                } _: { recorder in
                    try recorder.server.record(from: url, onlyMissing: false)
                    for body in bodies { _ = try await recorder.send("POST", "/a", body: body) }
                    #expect(try recorder.server.endRecording()?.stubs == 2)
                }
            }
            try await StubExchange.run {
                $0.folder = folder
            } _: { player in
                for (number, body) in bodies.enumerated().reversed() {
                    let answer = try await player.send("POST", "/a", body: body)
                    #expect(answer.text == "\(number)")
                }
            }
        }
    }

    /// An app that takes encodings which a recording cannot read gets its answers all the same.
    @Test func targetIsAskedForAnAnswerWithoutAnEncoding() async throws {
        try await withTemporaryDirectory { folder in
            try await StubExchange.run { target in
                try await target.add(
                    #"{"request":{"url":"/a"},"response":{"body":"?","headers":{"Content-Encoding":"br"}}}"#
                )
                try await target.add(
                    #"{"request":{"url":"/a","headers":{"Accept-Encoding":{"absent":true}}},"response":{"body":"A"}}"#
                )
                let url = target.server.url
                try await StubExchange.run {
                    $0.folder = folder
                } _: { recorder in
                    try recorder.server.record(from: url, onlyMissing: false, comparing: ["X-A"])
                    let answer = try await recorder.send("GET", "/a", ["Accept-Encoding": "br", "X-A": "1"])
                    #expect(answer.text == "A")
                    let ended = try recorder.server.endRecording()
                    #expect(ended?.stubs == 1 && ended?.omitted == [])
                    let stubs = try await recorder.send("GET", "/__admin/mappings").json?["mappings"]?.elements
                    #expect(stubs?.first?["request"]?["headers"]?["X-A"]?["equalTo"]?.text == "1")
                }
            }
        }
    }

    @Test func folderWithOtherContentIsNotRecordedInto() async throws {
        try await withTemporaryDirectory { folder in
            try Data("a".utf8).write(to: URL(filePath: folder + "/notes.txt"))
            try await StubExchange.run {
                $0.folder = folder
            } _: { recorder in
                let failure = #expect(throws: StubStartFailure.self) {
                    try recorder.server.record(from: "http://127.0.0.1:1", onlyMissing: false)
                }
                #expect(failure?.kind == .otherContent)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["notes.txt"])
        }
    }

    // MARK: Verifying

    private static func verify(
        _ folder: String,
        change: (StubExchange) async throws -> Void = { _ in },
        options: StubVerification.Options = .init()
    ) async throws -> VerificationReport {
        var report: VerificationReport?
        try await StubExchange.run { target in
            try await addTarget(target)
            try await change(target)
            let verification = try StubVerification(of: folder, target: target.server.url, options: options)
            report = await verification.run()
        }
        return try #require(report)
    }

    @Test func unchangedTargetHasNoDrift() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            let report = try await Self.verify(folder)
            #expect(report.lines.last == "4 same, 0 drifted, 0 unanswered, 0 skipped", "\(report.lines)")
            #expect(report.json["same"]?.int == 4)
        }
    }

    @Test(arguments: [
        (
            #"{"request":{"url":"/state"},"response":{"status":500,"body":"one"},"priority":1}"#,
            "status: recorded 200, now 500"
        ),
        (
            #"{"request":{"method":"POST","url":"/items"},"response":{"status":201,"body":"made"},"priority":1}"#,
            "header Location: recorded /items/2, now nothing"
        ),
        (
            #"{"request":{"url":"/state"},"response":{"body":"other"},"priority":1}"#,
            "body, line 1: recorded one, now other"
        ),
        (
            #"""
            {"request":{"method":"GET","urlPath":"/items"},"priority":1,
             "response":{"body":"{\"items\":[{\"name\":\"C\"}],\"at\":1.0,\"token\":\"u\"}",
                         "headers":{"Content-Type":"application/json"}}}
            """#,
            #"/items/0/name: recorded "A", now "C""#
        ),
    ])
    func driftIsReported(mapping: String, line: String) async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            let report = try await Self.verify(folder, change: { try await $0.add(mapping) })
            #expect(report.driftCount > 0)
            let lines = report.lines.map { $0.drop { $0 == " " } }
            #expect(lines.contains { $0 == line }, "\(report.lines)")
        }
    }

    @Test func fieldsAndHeadersCanBeIgnored() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            let change = #"""
                {"request":{"method":"GET","urlPath":"/items"},"priority":1,
                 "response":{"jsonBody":{"items":[{"name":"A"}],"at":2},"headers":{"Content-Type":"text/plain"}}}
                """#
            var options = StubVerification.Options()
            let all = try await Self.verify(folder, change: { try await $0.add(change) }, options: options)
            #expect(all.driftCount == 1)
            options.ignoredFields = ["at", "token"]
            options.comparedHeaders.remove("content-type")
            let ignoring = try await Self.verify(folder, change: { try await $0.add(change) }, options: options)
            #expect(ignoring.driftCount == 0, "\(ignoring.lines)")
        }
    }

    @Test func safeMethodsAloneAreSent() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            var options = StubVerification.Options()
            options.methods = .safe
            var seen: [String?] = []
            try await StubExchange.run { target in
                try await Self.addTarget(target)
                let verification = try StubVerification(of: folder, target: target.server.url, options: options)
                #expect(await verification.run().skippedCount == 1)
                let journal = try await target.send("GET", "/__admin/requests").json
                seen = journal?["requests"]?.elements?.map { $0["request"]?["method"]?.text } ?? []
            }
            #expect(seen == ["GET", "GET", "GET"])
        }
    }

    @Test func deadTargetIsUnanswered() async throws {
        try await withTemporaryDirectory { folder in
            _ = try await Self.record(into: folder)
            let verification = try StubVerification(of: folder, target: "http://127.0.0.1:1", options: .init())
            let report = await verification.run()
            #expect(report.unansweredCount == 4)
        }
    }

    @Test(arguments: [
        (#"{"request":{"urlPattern":"/a.*"},"response":{}}"#, "its URL is a pattern"),
        (#"{"request":{"url":"/a","headers":{"A":{"contains":"b"}}},"response":{}}"#, "its header A is a pattern"),
        (
            #"{"request":{"url":"/a","bodyPatterns":[{"matchesJsonPath":"$"}]},"response":{}}"#,
            "its body is a pattern, or was masked"
        ),
        (#"{"request":{"url":"/a"},"response":{"fault":"EMPTY_RESPONSE"}}"#, "it answers with a fault"),
        (#"{"request":{"url":"/a"},"response":{"proxyBaseUrl":"http://a.test"}}"#, "it is a proxy"),
        (
            #"{"request":{"url":"/a"},"response":{"body":"{{request.url}}","transformers":["response-template"]}}"#,
            "its answer is a template"
        ),
        (#"{"request":{"url":"/a"},"response":{"bodyFileName":"a.txt"}}"#, "its body file is not in"),
    ])
    func stubWithoutARequestIsSkipped(mapping: String, reason: String) async throws {
        try await withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/mappings",
                withIntermediateDirectories: true
            )
            try Data(mapping.utf8).write(to: URL(filePath: folder + "/mappings/a.json"))
            let verification = try StubVerification(of: folder, target: "http://127.0.0.1:1", options: .init())
            let report = await verification.run()
            #expect(report.skippedCount == 1)
            #expect(report.lines[0].contains(reason))
        }
    }
}
