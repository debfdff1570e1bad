import Foundation
import LinkRouting
import TestSupport
import Testing

/// `kill -9` of the server and of an app in turn, while the app reports its decisions.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit))
struct FaultAppEventTests {
    /// Ten kills; `FAULT_SEEDS=200` makes 200.
    @Test func everyEventThatTheAppRemovedIsStoredOnce() async throws {
        let seeds = FaultSeeds.all()
        try await withFaultTrial { trial in
            var server = try trial.start()
            defer { server.killNow() }
            var app = try ReportingApp(file: trial.folder + "/outbox")
            for seed in seeds {
                var random = SeededGenerator(seed: seed)
                try app.decide(.random(in: 1...60, using: &random))
                if seed.isMultiple(of: 2) {
                    let moment = Double.random(in: 0...0.02, using: &random)
                    let victim = server
                    async let killed: Void = onThreads(1) { _ in
                        // Sleeps for a random time to choose the moment of the kill; waits for no condition.
                        Thread.sleep(forTimeInterval: moment)
                        victim.send(SIGKILL)
                    }
                    // The app continues until it finds nobody, or has nothing left.
                    app = await app.reporting(to: victim, dyingAfter: nil)
                    await killed
                    _ = victim.wait()
                    server = try trial.start()
                } else {
                    let steps = Int.random(in: 0...9, using: &random)
                    _ = await app.reporting(to: server, dyingAfter: steps)
                    // The new process knows only what the file says.
                    app = try ReportingApp(file: trial.folder + "/outbox")
                }
            }
            app = await app.reporting(to: server, dyingAfter: nil)
            #expect(app.pending == [])
            let stored = try Self.stored(server, key: trial.key)
            if stored.sorted() != (1...app.decided).map(ReportingApp.id).sorted() { trial.fail() }
            #expect(Set(stored).count == stored.count, "no event is stored twice")
            #expect(Set(stored) == Set((1...app.decided).map(ReportingApp.id)), "no removed event is missing")
            print("killed \(seeds.count) times: \(app.decided) events of an app are stored exactly once")
        }
    }

    /// Returns the `clientEventId` of each event in the log.
    private static func stored(_ server: RunningServer, key: String) throws -> [String] {
        var (ids, after): ([String], Int64) = ([], 0)
        while true {
            let page = try HTTPConnection(port: server.adminPort).request(
                "GET",
                "/admin/v1/tenants/shop/events?limit=1000&after=\(after)",
                headers: ["Authorization": "Bearer \(key)"]
            ).json()
            let events = page["events"]?.elements ?? []
            ids += events.compactMap { $0["clientEventId"]?.text }
            guard let next = page["nextAfter"]?.int, next > after else { return ids }
            after = next
        }
    }
}

/// An app with an outbox in a file. It removes events only after the server has answered for them.
private struct ReportingApp: Sendable {
    private let file: String
    /// The numbers of the events that may still have to be sent.
    private(set) var pending: [Int]
    /// The number of events so far.
    private(set) var decided: Int

    init(file: String) throws {
        self.file = file
        let text =
            FileManager.default.fileExists(atPath: file) ? try String(contentsOfFile: file, encoding: .utf8) : "0"
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        decided = numbers.first ?? 0
        pending = Array(numbers.dropFirst())
    }

    static func id(_ number: Int) -> String { "event-\(number)" }

    mutating func decide(_ count: Int) throws {
        pending += decided + 1...decided + count
        decided += count
        try save()
    }

    private func save() throws {
        let text = ([decided] + pending).map(String.init).joined(separator: " ")
        try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    }

    /// Reports on a thread of its own until the outbox is empty, the server is gone, or the app has taken this many
    /// steps. A step is sending a message, reading its answer, or saving the outbox.
    func reporting(to server: RunningServer, dyingAfter steps: Int?) async -> ReportingApp {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var app = self
                // The server may be gone at any moment.
                try? app.report(to: server, steps: steps ?? .max)
                continuation.resume(returning: app)
            }
        }
    }

    private mutating func report(to server: RunningServer, steps: Int) throws {
        var left = steps
        let connection = try HTTPConnection(port: server.publicPort)
        while !pending.isEmpty {
            guard left > 0 else { return }
            let numbers = Array(pending.prefix(20))
            let body = Self.message(numbers)
            try connection.begin(
                "POST /_fp/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            guard left > 1 else { return }
            let answer = try connection.response()
            guard answer.status == 200 else { return }
            guard left > 2 else { return }
            let results = try answer.json()["results"]?.elements ?? []
            let answered = Set(results.filter { $0["status"]?.text != "rejected" }.map { $0["clientEventId"]?.text })
            pending.removeAll { answered.contains(Self.id($0)) }
            try save()
            left -= 3
        }
    }

    private static func message(_ numbers: [Int]) -> String {
        let events = numbers.map { number in
            """
            {"clientEventId": "\(id(number))", "occurredAt": "2026-11-21T10:00:00.000Z",
             "url": "yourapp://product/\(number)", "context": {"platform": "ios"}, "revision": 1,
             "settingsRevision": 2, "outcome": "matched", "action": "open_app", "route": "product", "result": "shown"}
            """
        }
        return """
            {"tenant": "shop", "install": "install-1", "engineVersion": "1.0",
             "events": [\(events.joined(separator: ", "))]}
            """
    }
}
