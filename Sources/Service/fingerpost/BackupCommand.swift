import ArgumentParser
import Foundation
import LinkEvents
import LinkRouting
import LinkStorage
import NIOCore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the databases into a new directory while the service runs.",
        discussion: """
            EXAMPLES
              fingerpost backup /backups/2026-11-21 --data ./data
              fingerpost backup "/backups/$(date +%F)" --data ./data --json

            Each file is copied as a consistent snapshot, checked, synced, and listed with its SHA-256. The directory \
            gets its name only when all of that is done. Exports are not included: copy DIR/service/exports with your \
            own tools.
            """
    )

    @ArgumentParser.Argument(help: "The directory to create; it must not exist.") var folder: String
    @ArgumentParser.Option(help: "The data directory.") var data = "data"
    @Flag(help: "Print the list of files as JSON.") var json = false

    func run() async throws {
        // The running server may have another working directory.
        let target = URL(filePath: folder).standardizedFileURL.path
        let list = try await showingProgress("copying") { try await make(target) }
        guard !json else { return show(list) }
        let files = list["files"]?.elements ?? []
        let bytes = files.reduce(0) { $0 + ($1["bytes"]?.int ?? 0) }
        show("\(target): \(files.count) files, \(bytes) bytes")
    }

    private func make(_ target: String) async throws -> JSONNode {
        do {
            let directory = try DataDirectory(data, for: .use)
            return try await directory.leavingAsFound {
                let database = try CatalogDatabase(directory.catalogPath)
                let log = try EventLog(directory.eventsPath, now: SystemClock.now)
                let list = try await BackupWorker(directory, catalog: database, log: log).write(to: target)
                try log.close()
                try database.close()
                return list
            }
        } catch StorageError.locked {
            let message = ControlMessage.backup(target)
            return try await ControlMessage.send(message, toDirectory: data, timeout: .seconds(86_400))
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as FileFailure {
            throw fail(error.description, .ioError)
        }
    }
}
