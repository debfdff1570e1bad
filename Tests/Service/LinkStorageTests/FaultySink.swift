import LinkEvents
import LinkRouting
import LinkStorage
import Synchronization

/// Fails at the nth step of any kind, from 0, and counts the steps.
final class Faults: Sendable {
    /// A path with different existing content, as a bucket would report it, until it is removed.
    private let occupied = Mutex<String?>(nil)
    private let state: Mutex<(steps: Int, failAt: Int?)>
    struct Stopped: Error {}

    init(failAt: Int?) { state = Mutex((0, failAt)) }

    func step() throws {
        try state.withLock { state in
            defer { state.steps += 1 }
            if state.steps == state.failAt { throw Stopped() }
        }
    }

    var occupiedPath: String? { occupied.withLock(\.self) }
    func occupy(_ path: String) { occupied.withLock { $0 = path } }
    func free(_ path: String) { occupied.withLock { if $0 == path { $0 = nil } } }

    /// Restarts the count.
    func begin(failAt: Int?) { state.withLock { $0 = (0, failAt) } }

    var hasStopped: Bool {
        state.withLock { state in state.failAt.map { state.steps > $0 } ?? false }
    }

    var steps: Int { state.withLock(\.steps) }
}

struct FaultyFile: ExportFile {
    let file: any ExportFile
    let faults: Faults

    func write(_ bytes: ArraySlice<UInt8>) async throws {
        try faults.step()
        try await file.write(bytes)
    }

    func finish(sha256: String) async throws {
        try faults.step()
        if let occupied = faults.occupiedPath { throw ExportFailure.occupied(occupied) }
        try await file.finish(sha256: sha256)
        try faults.step()
    }

    /// A crash leaves the unfinished file.
    func discard() async {
        if !faults.hasStopped { await file.discard() }
    }
}

struct FaultySink: ExportSink {
    let sink: DirectoryExportSink
    let faults: Faults

    let kind = "directory"
    func create(_ path: String) async throws -> any ExportFile {
        try faults.step()
        return FaultyFile(file: try sink.create(path), faults: faults)
    }
    func write(_ bytes: [UInt8], to path: String, over previous: ExportOverwriting) async throws {
        try faults.step()
        try await sink.write(bytes, to: path, over: previous)
        try faults.step()
    }
    func paths(of tenant: TenantID) async throws -> [String] { try sink.paths(of: tenant) }
    func remove(_ path: String) async throws {
        try faults.step()
        faults.free(path)
        try sink.remove(path)
        try faults.step()
    }
    func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        try sink.read(path, from: offset, count: count)
    }
}
