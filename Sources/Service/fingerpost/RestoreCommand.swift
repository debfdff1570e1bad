import ArgumentParser
import LinkEvents
import LinkStorage

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty data directory.",
        discussion: """
            EXAMPLE
              fingerpost restore /backups/2026-11-21 --data ./restored

            Each file is checked against its SHA-256 before it gets its final name. Events that were recorded after \
            the backup are not restored.
            """
    )

    @ArgumentParser.Argument(help: "The directory that 'fingerpost backup' created.") var folder: String
    @ArgumentParser.Option(help: "The data directory; it must be new or contain no databases.") var data = "data"

    func run() async throws {
        show(try await showingProgress("restoring") { try await restore() })
    }

    /// Restores the backup. Returns a line for people.
    private func restore() async throws -> String {
        do {
            let backup = try Backup(at: folder)
            let directory = try DataDirectory(named: data, for: .restore)
            try backup.restore(from: folder, to: directory)
            // Opening migrates the files to this version's schema, and fails on unusable ones.
            let database = try CatalogDatabase(directory.catalogPath, checkFirst: .yes, copies: .accepted)
            let links = try ShortLinkDatabase(directory.linksPath, checkFirst: .yes, random: SystemRandom.number)
            let log = try EventLog(directory.eventsPath, now: SystemClock.now)
            let last = try await log.lastSequence()
            try log.close()
            try links.close()
            try database.close()
            try directory.markClean()
            return "\(data): \(backup.files.count) files from \(backup.createdAt), events up to \(last)"
        } catch let error as StorageError {
            throw fail(error)
        } catch let error as FileFailure {
            throw fail(error.description, .ioError)
        }
    }
}
