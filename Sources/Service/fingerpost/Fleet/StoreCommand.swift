import ArgumentParser
import Foundation
import LinkStorage
import PostgresStorage

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Move the catalog between a data directory and PostgreSQL.",
        discussion: """
            EXAMPLE
              fingerpost store copy --from ./data --to postgresql \\
                --config /etc/fingerpost/fingerpost.yaml
            """,
        subcommands: [Copy.self]
    )

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the catalog and the short links to an empty store.",
            discussion: """
                EXAMPLES
                  fingerpost store copy --from ./data --to postgresql \\
                    --config /etc/fingerpost/fingerpost.yaml
                  fingerpost store copy --from postgresql --to ./one-node \\
                    --config /etc/fingerpost/fingerpost.yaml

                Copies tenants, tables, drafts, suites, keys, the audit log and short links, and compares all rows. End
                the servers first. If the command is interrupted, run it again: it continues. Events go to PostgreSQL along,
                and their log stays in its data directory. Responses to an Idempotency-Key are not copied, nor are
                events from PostgreSQL.
                """
        )

        @ArgumentParser.Option(help: "A data directory, or 'postgresql'.") var from: String
        @ArgumentParser.Option(help: "A new data directory, or 'postgresql'.") var to: String
        @OptionGroup var store: StoreOptions

        func run() async throws {
            guard (from == "postgresql") != (to == "postgresql") else {
                throw fail(
                    "write 'postgresql' for one of --from and --to, and a data directory for the other.",
                    .invalidUsage
                )
            }
            try await store.using { store in
                do {
                    try await copy(with: store)
                } catch let error as StorageError {
                    throw fail(error)
                } catch let error as StoreCopy.Failure {
                    throw fail(error.description, .failed)
                }
            }
        }

        private func copy(with store: PostgresStore) async throws {
            for warning in try await store.prepare(copying: to == "postgresql") {
                StandardError.write(Array("fingerpost: warning: \(warning)\n".utf8))
            }
            let isToDirectory = from == "postgresql"
            let directory = try DataDirectory(named: isToDirectory ? to : from, for: isToDirectory ? .create : .use)
            guard isToDirectory || access(directory.linksPath, F_OK) == 0 else {
                throw StorageError.missing(file: directory.linksPath, detail: "catalog.db exists")
            }
            let catalog = try CatalogDatabase.makeStore(directory.catalogPath)
            let links = try ShortLinkDatabase.makeStore(directory.linksPath)
            if !isToDirectory { try await requireOwn(catalog) }
            let files = StoreCopy.Store(catalog: catalog, links: links)
            let database = StoreCopy.Store(catalog: store, links: store)
            let name = isToDirectory ? store.name : directory.path
            let copy = StoreCopy(
                from: isToDirectory ? database : files,
                named: name,
                to: isToDirectory ? files : database
            )
            let isTerminal = isatty(STDERR_FILENO) == 1
            let node = try await self.store.read().node
            let counts = try await copy.run { table, rows in
                guard isTerminal else { return }
                StandardError.write(Array("\r\(table) \(rows > 0 ? "\(rows)" : "")\u{1B}[K".utf8))
            }
            if isTerminal { StandardError.write(Array("\r\u{1B}[K".utf8)) }
            try links.close()
            try catalog.close()
            if !isToDirectory { try await shipLog(of: directory, to: store, node: node) }
            try isToDirectory ? directory.markClean() : directory.leaveAsFound()
            show(TextColumns(counts.map { [$0.table, "\($0.rows)"] }, under: ["table", "rows"]))
            show("All rows are equal in \(name) and \(isToDirectory ? directory.path : store.name).")
        }

        /// The log's rows and counts go along; the log itself stays where it is.
        private func shipLog(of directory: DataDirectory, to store: PostgresStore, node: String) async throws {
            let log = try EventLog(directory.eventsPath, now: SystemClock.now)
            let shipment = LogShipment(of: log, to: LogCopy(store), node: node) { UUID().uuidString }
            while try await shipment.next(at: SystemClock.now()) {}
            try log.close()
            show("The log is shipped up to seq \(shipment.position?.sequence ?? 0).")
        }

        private func requireOwn(_ catalog: any SQLStore) async throws {
            guard let source = try await catalog.read({ try String.fetchOne($0, sql: "SELECT source FROM copy_of") })
            else {
                return
            }
            throw StorageError.copiedCatalog(file: catalog.name, source: source)
        }
    }
}
