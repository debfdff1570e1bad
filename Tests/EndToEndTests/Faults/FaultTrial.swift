import Foundation
import LinkRouting
import Synchronization
import Testing

/// A data directory that something is done to, and the history of its clients. What fails is kept, and its path printed.
final class FaultTrial: Sendable {
    /// Of this trial alone; the data directory lies in it.
    let folder: String
    let data: String
    let history: RequestHistory
    let key: String
    private let isSound = Mutex(true)

    /// Makes the directory with the example tenants, and an admin key.
    init(data: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fingerpost-fault-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.data = data ?? folder + "/data"
        history = try RequestHistory(path: folder + "/history")
        let first = try RunningServer(directory: self.data)
        key = try #require(first.key)
        first.send(SIGTERM)
        #expect(first.wait().status == 0)
    }

    /// What the servers wrote to standard error.
    var log: String { folder + "/log" }

    func start(launcher: [String] = []) throws -> RunningServer {
        let logging = ["/bin/sh", "-c", "exec \"$@\" 2>>'\(log)'", "sh"]
        return try RunningServer(directory: data, launcher: logging + launcher)
    }

    func load(_ server: RunningServer, _ name: String, clients: Int = 8, requests: Int = 20_000) -> FaultLoad {
        FaultLoad(server: server, history: history, name: name, clients: clients, requests: requests)
    }

    /// Exports everything, and holds it against the history.
    @discardableResult
    func verify(
        _ server: RunningServer,
        _ note: @autoclosure () -> String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StoredSet {
        let stored = try StoredSet(of: server, key: key)
        let violations = AckedSet(history, stored).violations
        if !violations.isEmpty { fail() }
        #expect(violations.isEmpty, "\(note()) \(violations)", sourceLocation: sourceLocation)
        return stored
    }

    /// Keeps what the trial leaves behind.
    func fail() { isSound.withLock { $0 = false } }

    fileprivate func end() {
        guard isSound.withLock(\.self) else {
            print("kept the failing trial in \(folder): its history, its data directory")
            return
        }
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// A trial whose folder goes when everything in it held.
func withFaultTrial<Result>(data: String? = nil, _ body: (FaultTrial) async throws -> Result) async throws -> Result {
    let run = try FaultTrial(data: data)
    defer { run.end() }
    do {
        return try await body(run)
    } catch {
        run.fail()
        throw error
    }
}

/// Which seeds a randomised trial takes: ten, `FAULT_SEEDS` of them, or the one that `FAULT_SEED` names.
enum FaultSeeds {
    static func all(_ usual: Int = 10) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["FAULT_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return Array(1...UInt64(max(1, environment["FAULT_SEEDS"].flatMap { Int($0) } ?? usual)))
    }

    /// Whether more than `./dev check` asks for is wanted.
    static var isLong: Bool { ProcessInfo.processInfo.environment["FAULT_SEEDS"] != nil }
}

/// SplitMix64: the same seed gives the same trial, but for what the scheduler does.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
