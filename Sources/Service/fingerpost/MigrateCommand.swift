import ArgumentParser
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
            let directory = try DataDirectory(data, for: .create)
            try CatalogDatabase(directory.catalogPath, checkFirst: directory.wasUnclean ? .yes : .no).close()
            try EventLog(directory.eventsPath, now: SystemClock.now).close()
            try directory.markClean()
            show("\(data) is up to date.")
        } catch let error as StorageError {
            throw fail(error)
        }
    }
}
