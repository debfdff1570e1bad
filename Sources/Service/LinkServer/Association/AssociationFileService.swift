package import LinkCatalog
package import Logging
import ServiceLifecycle

/// Generates the association files that exceeded the budget of a start or a publication, one table after the other.
package struct AssociationFileService: Service {
    private let files: AssociationFileCache
    private let pool: WorkPool
    private let logger: Logger

    package init(files: AssociationFileCache, pool: WorkPool, logger: Logger) {
        self.files = files
        self.pool = pool
        self.logger = logger
    }

    package func run() async throws {
        for await _ in files.incomplete.cancelOnGracefulShutdown() {
            do {
                try await files.makeMissing(on: pool)
            } catch is CancellationError {
                return
            } catch {
                logger.error("association files could not be generated", metadata: ["error": "\(error)"])
            }
        }
    }
}
