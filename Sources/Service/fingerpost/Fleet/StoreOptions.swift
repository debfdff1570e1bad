import ArgumentParser
import LinkCatalog
import PostgresStorage

/// The catalog's database that the configuration names.
struct StoreOptions: ParsableArguments {
    @ArgumentParser.Option(help: "A YAML file whose 'store' names the database.") var config: String?

    func read() async throws -> ServiceConfiguration {
        try await FileFlags.parse(config.map { ["--config", $0] } ?? []).read(.parse([]))
    }

    /// Runs `body` with the database. Exits with 78 if none is configured or it cannot be used, and with 69 if it is away.
    func using<Result: Sendable>(_ body: (PostgresStore) async throws -> Result) async throws -> Result {
        let configuration = try await read()
        guard let address = configuration.store.postgresql else {
            throw fail(
                "store.kind is sqlite: name a configuration with 'store.kind: postgresql' by --config.",
                .wrongConfiguration
            )
        }
        let store = PostgresStore(address)
        defer { try? store.close() }
        do {
            return try await body(store)
        } catch let error as PostgresError {
            throw fail(error.description, .wrongConfiguration)
        } catch let error as CatalogUnavailable {
            throw fail("\(error)", .unavailable)
        }
    }
}
