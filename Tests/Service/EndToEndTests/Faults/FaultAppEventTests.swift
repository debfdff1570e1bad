import Foundation
import LinkRouting
import TestSupport
import Testing

/// `kill -9` of the server and of an app in turn, while the app resolves links, reports and delivers.
@Suite(.serialized, .timeLimit(FaultSeeds.timeLimit))
struct FaultAppEventTests {
    /// Ten kills; `FAULT_SEEDS=200` makes 200.
    @Test func everyEventThatTheAppRemovedIsStoredOnce() async throws {
        let seeds = FaultSeeds.all()
        try await withFaultTrial { trial in
            let device = try AppDevice(in: trial.folder)
            var server = try device.start(trial)
            defer { server.killNow() }
            var kills = (server: 0, app: 0)
            for seed in seeds {
                var random = SeededGenerator(seed: seed)
                let app = try device.launch(reporting: .random(in: 1...60, using: &random))
                if seed.isMultiple(of: 2) {
                    // While the app runs, which takes about this long.
                    Self.pause(.random(in: 0...0.15, using: &random))
                    server.killNow()
                    kills.server += 1
                    server = try device.start(trial)
                    let end = device.wait(for: app)
                    #expect(end == 0, "the app of seed \(seed) delivers to the server that was started again")
                } else {
                    Self.pause(.random(in: 0...0.25, using: &random))
                    app.send(SIGKILL)
                    if device.wait(for: app) == SIGKILL { kills.app += 1 }
                }
            }
            let last = device.wait(for: try device.launch(reporting: 0))
            #expect(last == 0, "the last app delivers what is left")
            let stored = try Self.stored(server, key: trial.key)
            let numbers = Set(stored.map(\.number))
            let lost = device.reported.subtracting(numbers)
            if !lost.isEmpty || numbers.count != stored.count { trial.fail() }
            #expect(lost == [], "an event that was reported is stored")
            #expect(numbers.count == stored.count, "no event is stored twice")
            #expect(Set(stored.map(\.id)).count == stored.count, "each event has its own id")
            #expect(numbers.isSubset(of: 1...device.announced), "no other event is stored")
            print(
                "killed the server \(kills.server) times and the app \(kills.app) times in \(seeds.count) rounds: "
                    + "\(device.reported.count) reported events are stored, \(stored.count) in total, none twice"
            )
        }
    }

    /// Sleeps for a random time to choose the moment of a kill; waits for no condition.
    private static func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Returns the events of the app in the log.
    private static func stored(_ server: RunningServer, key: String) throws -> [(id: String, number: Int)] {
        var (found, after): ([(String, Int)], Int64) = ([], 0)
        while true {
            let page = try HTTPConnection(port: server.adminPort).request(
                "GET",
                "/admin/v1/tenants/shop/events?limit=1000&after=\(after)",
                headers: ["Authorization": "Bearer \(key)"]
            ).json()
            for event in page["events"]?.elements ?? [] {
                guard let id = event["clientEventId"]?.text else { continue }
                let number = try #require(event["parameters"]?["id"]?.int, "\(event.json())")
                found.append((id, Int(number)))
            }
            guard let next = page["nextAfter"]?.int, next > after else { return found }
            after = next
        }
    }
}

/// The directory of an app, and the processes that ran in it.
private final class AppDevice {
    /// The numbers of the links whose report was on the disk, by the app's own account.
    private(set) var reported: Set<Int> = []
    /// The number of links that apps were told to report. An app that was killed has reported some of its links.
    private(set) var announced = 0
    private let folder: String
    private let addressFile: String
    private let keys: [String]
    private var output: Pipe?

    init(in folder: String) throws {
        self.folder = folder + "/app"
        addressFile = folder + "/address"
        let keyFile = folder + "/table.jwk"
        let made = try run(
            RunningServer.products.appending(path: "fingerpost").path,
            ["table", "keys", "create", keyFile]
        )
        keys = String(decoding: made.output, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return ["current", "next"].contains(words.first) ? words.dropFirst().first.map(String.init) : nil
        }
        try #require(keys.count == 2)
        let configuration = "tables: {signingKey: \"\(keyFile)\"}\n"
        try configuration.write(toFile: folder + "/fingerpost.yaml", atomically: true, encoding: .utf8)
    }

    /// Starts a server that signs tables, and tells its address.
    func start(_ trial: FaultTrial) throws -> RunningServer {
        let server = try trial.start(flags: ["--config", trial.folder + "/fingerpost.yaml"])
        try "http://127.0.0.1:\(server.publicPort)".write(toFile: addressFile, atomically: true, encoding: .utf8)
        return server
    }

    func launch(reporting count: Int) throws -> RunningProcess {
        let output = Pipe()
        self.output = output
        let first = announced + 1
        announced += count
        return try RunningProcess(
            [RunningServer.products.appending(path: "ReportingApp").path, folder, addressFile, "\(first)", "\(count)"]
                + keys,
            output: output
        )
    }

    /// Waits for the end of an app, and notes what it has printed. Returns its status or signal.
    func wait(for app: RunningProcess) -> Int32 {
        let text = (try? output?.fileHandleForReading.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        for line in text.split(separator: "\n") where line.hasPrefix("reported ") {
            if let number = Int(line.dropFirst("reported ".count)) { reported.insert(number) }
        }
        return app.wait().status
    }
}
