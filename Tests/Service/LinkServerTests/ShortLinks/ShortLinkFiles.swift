import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage

/// The open files of a service, which copies, backs up and reopens them.
struct ShortLinkFiles: Sendable {
    let directory: DataDirectory
    let catalog: CatalogDatabase
    let links: ShortLinkDatabase
    let log: EventLog

    /// Runs `body` with a service on a data directory, which an earlier service may have used. The recorder writes until it returns.
    static func open<Value: Sendable>(
        _ path: String,
        _ clock: TestClock,
        _ body: (ShortLinkFiles, AdminSession) async throws -> Value
    ) async throws -> Value {
        let directory = try DataDirectory(path, for: .create)
        let files = ShortLinkFiles(
            directory: directory,
            catalog: try CatalogDatabase(directory.catalogPath),
            links: try ShortLinkDatabase(directory.linksPath) { Int.random(in: 0..<$0) },
            log: try EventLog(directory.eventsPath) { clock.now }
        )
        let service = try makeService(directory, files.catalog, files.links, files.log, clock)
        try await service.dependencies.publishing.reload()
        let recorder = service.dependencies.linkResolver.recorder
        let value = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(files, AdminSession(service)))
            } catch {
                result = .failure(error)
            }
            recorder.stop()
            try await group.waitForAll()
            return try result.get()
        }
        try files.log.close()
        try files.links.close()
        try files.catalog.close()
        return value
    }

    /// Copies the files as they are, as a process leaves them that is killed now.
    func copy(to path: String) throws {
        try FileManager.default.copyItem(atPath: directory.path, toPath: path)
    }

    func backUp(to path: String, at now: Timestamp) throws {
        _ = try Backup.make(
            of: directory,
            catalog: catalog,
            links: links,
            log: log,
            to: path,
            at: now,
            version: "test"
        )
    }

    static func restore(_ backup: String, to path: String) throws {
        let directory = try DataDirectory(path, for: .restore)
        try Backup(at: backup).restore(from: backup, to: directory)
        try directory.markClean()
    }
}
