import ArgumentParser
import LinkEvents
import LinkRouting
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

            --catalog-only restores what a new node needs to start while PostgreSQL is away, from the backup of another \
            node (docs/fleet.md).
            """
    )

    @ArgumentParser.Argument(help: "The directory that 'fingerpost backup' created.") var folder: String
    @ArgumentParser.Option(help: "The data directory; it must be new or contain no databases.") var data = "data"
    @Flag(help: "Restore the catalog and the short links only.") var catalogOnly = false
    @Flag(help: "Accept a catalog older than a day, in which keys may be valid that were revoked since.")
    var allowOld = false

    func run() async throws {
        show(try await showingProgress("restoring") { try await restore() })
    }

    private func chosen(_ backup: Backup) throws -> Backup {
        guard catalogOnly else { return backup }
        guard allowOld || SystemClock.now().milliseconds - backup.createdAt.milliseconds <= 86_400_000 else {
            throw fail(
                "\(folder) is of \(backup.createdAt): keys that were revoked since would be valid until the node reaches "
                    + "PostgreSQL; make a new backup of another node, or add --allow-old.",
                .failed
            )
        }
        return backup.ofCatalog
    }

    /// Restores the backup. Returns a line for people.
    private func restore() async throws -> String {
        do {
            let backup = try chosen(Backup(at: folder))
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
