import ArgumentParser
import Foundation
import LinkStorage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate the files of a data directory to this version's schema; `serve` does the same.",
        discussion: """
            EXAMPLE
              fingerpost migrate --data ./data
            """
    )

    @ArgumentParser.Option(help: "The data directory.") var data = "data"

    func run() async throws {
        do {
            let directory = try DataDirectory(named: data, for: .create)
            let isNew = access(directory.catalogPath, F_OK) != 0
            let older = directory.olderSchemas
            let checkFirst: CatalogDatabase.CheckFirst = directory.wasUnclean ? .yes : .no
            try CatalogDatabase(directory.catalogPath, checkFirst: checkFirst, copies: .accepted).close()
            try ShortLinkDatabase(directory.linksPath, checkFirst: checkFirst, random: SystemRandom.number).close()
            try EventLog(directory.eventsPath, now: SystemClock.now).close()
            try directory.markClean()
            for file in older { show("\(file.name): schema \(file.found) became \(file.known)") }
            show(isNew ? "\(data) was created." : "\(data) is up to date.")
        } catch let error as StorageError {
            throw fail(error)
        }
    }
}
