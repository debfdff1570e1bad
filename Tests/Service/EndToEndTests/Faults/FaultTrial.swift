import Foundation
import LinkRouting
import Synchronization
import TestSupport
import Testing

/// A data directory for fault injection, and its clients' history. After a failure the folder is kept and its path
/// printed.
final class FaultTrial: Sendable {
    /// The trial's own folder, which contains the data directory.
    let folder: String
    let data: String
    let history: RequestHistory
    let key: String
    /// The clock of its servers; nil for the machine's clock.
    let clock: MovableClock?
    private let isSound = Mutex(true)

    /// Creates the directory with the example tenants and an admin key. `time` is in UTC, as in `2026-11-21 23:59:57`.
    /// The tenants of the load are answered only if the answer is recorded.
    init(data: String? = nil, startingAt time: String? = nil) throws {
        (folder, history) = try Self.begin()
        self.data = data ?? folder + "/data"
        clock = try time.map { [folder] in try MovableClock(file: folder + "/clock", at: $0) }
        let first = try RunningServer(directory: self.data, launcher: clock?.launcher ?? [])
        key = try #require(first.key)
        let admin = try HTTPConnection(port: first.adminPort)
        for (method, path, body) in [
            ("PUT", "routes/go", #"{"id":"go","path":"/s/{code}","follow":"shortLinks"}"#), ("POST", "publish", ""),
        ] {
            let made = try admin.request(
                method,
                "/admin/v1/tenants/shop/draft/\(path)",
                headers: ["Authorization": "Bearer \(key)"],
                body: body
            )
            #expect(made.status == 201, "\(made.text)")
        }
        for tenant in FaultLoad.tenants {
            let path = "/admin/v1/tenants/\(tenant)/settings"
            let headers = ["Authorization": "Bearer \(key)", "Content-Type": "application/json"]
            let known = try #require(try admin.request("GET", path, headers: headers).json()["settings"]?.members)
            let strict = JSONNode(.object(known + [JSONNode.Member("whenLogFails", .string("refuse"))]))
            let saved = try admin.request("PUT", path, headers: headers, body: strict.json())
            #expect(saved.status == 200, "\(saved.text)")
        }
        first.send(SIGTERM)
        #expect(first.wait().status == 0)
    }

    /// Copies the current directory of another trial. The history is new.
    init(copying other: FaultTrial) throws {
        (folder, history) = try Self.begin()
        data = folder + "/data"
        key = other.key
        clock = nil
        #expect(try run("cp", "-a", other.data, data).status == 0)
    }

    private static func begin() throws -> (String, RequestHistory) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fingerpost-fault-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return (folder, try RequestHistory(path: folder + "/history"))
    }

    /// The servers' standard error.
    var log: String { folder + "/log" }

    func start(launcher: [String] = [], flags: [String] = []) throws -> RunningServer {
        let logging = ["/bin/sh", "-c", "exec \"$@\" 2>>'\(log)'", "sh"]
        return try RunningServer(directory: data, launcher: logging + (clock?.launcher ?? []) + launcher, flags: flags)
    }

    func load(_ server: RunningServer, _ name: String, clients: Int = 8, requests: Int = 20_000) -> FaultLoad {
        FaultLoad(server: server, history: history, name: name, key: key, clients: clients, requests: requests)
    }

    /// Exports everything and compares it with the history.
    @discardableResult
    func verify(
        _ server: RunningServer,
        _ note: @autoclosure () -> String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoredSet {
        let stored = try StoredSet(of: server, key: key)
        var violations = try AckedSet(history, stored).violations + lostShortLinks(server)
        // Counts cover the last days by the machine's clock, so they are not compared if the clock is false.
        if clock == nil { violations += try miscounts(server, stored) }
        if !violations.isEmpty { fail() }
        #expect(violations.isEmpty, "\(note()) \(violations)", sourceLocation: sourceLocation)
        return stored
    }

    /// Short links that were created and do not exist.
    private func lostShortLinks(_ server: RunningServer) throws -> [String] {
        let admin = try HTTPConnection(port: server.adminPort)
        return try history.created.compactMap { code in
            let answer = try admin.request(
                "GET",
                "/admin/v1/tenants/shop/short-links/\(code)",
                headers: ["Authorization": "Bearer \(key)"]
            )
            return answer.status == 200 ? nil : "the short link \(code): \(answer.text)"
        }
    }

    /// Tenants whose analytics counts differ from the number of exported rows.
    private func miscounts(_ server: RunningServer, _ stored: StoredSet) throws -> [String] {
        try FaultLoad.tenants.compactMap { tenant in
            let answer = try HTTPConnection(port: server.adminPort).request(
                "GET",
                "/admin/v1/tenants/\(tenant)/stats/totals?purpose=all",
                headers: ["Authorization": "Bearer \(key)"]
            )
            let counted = try answer.json()["count"]?.int
            let rows = Int64(stored.rows.count { $0.tenant == tenant })
            return counted == rows
                ? nil : "\(tenant): \(rows) rows, counted as \(counted.map(String.init) ?? answer.text)"
        }
    }

    /// Marks the trial as failed, so that its folder is kept.
    func fail() { isSound.withLock { $0 = false } }

    /// Removes the folder unless the trial failed.
    func end() {
        guard isSound.withLock(\.self) else {
            print("kept the failing trial in \(folder): its history, its data directory")
            return
        }
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Runs `body` with a trial. Its folder is removed if all expectations hold.
func withFaultTrial<Result>(
    _ trial: @autoclosure () throws -> FaultTrial = try FaultTrial(),
    _ body: (FaultTrial) async throws -> Result
) async throws -> Result {
    let trial = try trial()
    defer { trial.end() }
    do {
        return try await body(trial)
    } catch {
        trial.fail()
        throw error
    }
}

/// The seeds of a randomised trial: ten, `FAULT_SEEDS` of them, or only `FAULT_SEED`.
enum FaultSeeds {
    static func all(_ usual: Int = 10) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FAULT_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(1...UInt64(max(1, environment["FAULT_SEEDS"].flatMap { Int($0) } ?? usual)))
    }

    /// Whether more trials than in `./dev check` are requested.
    static var isLong: Bool { ProcessInfo.processInfo.environment["FAULT_SEEDS"] != nil }
    static var timeLimit: TimeLimitTrait.Duration { .minutes(isLong ? 60 : 15) }
}
