import Foundation
import HTTPTransport
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage

/// Writes backups on a separate thread, because they read all data.
actor BackupWorker {
    private let executor = BlockingExecutor(label: "fingerpost.backup")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let directory: DataDirectory
    private let catalog: CatalogDatabase
    private let links: ShortLinkDatabase
    private let log: EventLog

    init(_ directory: DataDirectory, catalog: CatalogDatabase, links: ShortLinkDatabase, log: EventLog) {
        self.directory = directory
        self.catalog = catalog
        self.links = links
        self.log = log
    }

    func write(to target: String) throws -> JSONNode {
        let begun = SystemClock.now()
        let backup = try Backup.make(
            of: directory,
            catalog: catalog,
            links: links,
            log: log,
            to: target,
            at: begun,
            version: BuildInfo.version
        )
        // The backup is complete even if its time cannot be stored, such as on a full disk. The metric then still shows
        // the time of the previous backup.
        try? directory.noteBackup(begunAt: begun)
        return backup.json
    }
}

extension OperatorTasks {
    init(_ directory: DataDirectory, _ catalog: CatalogDatabase, _ links: ShortLinkDatabase, _ log: EventLog) {
        let backups = BackupWorker(directory, catalog: catalog, links: links, log: log)
        self.init {
            try await backups.write(to: $0)
        } verifyLog: {
            try await log.verify(with: catalog, links).json
        }
    }

    /// The tasks of a running server, which its log does not blame for a wrong or full folder of a backup.
    var reportingToOthers: OperatorTasks {
        OperatorTasks { [backUp] folder in
            do {
                return try await backUp(folder)
            } catch let error as any DiskError {
                throw Problem(.invalidRequest, error.description)
            }
        } verifyLog: {
            try await verifyLog()
        }
    }
}
