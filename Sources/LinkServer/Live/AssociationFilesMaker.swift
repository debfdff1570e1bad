package import LinkCatalog
package import Logging
import ServiceLifecycle

/// Makes the association files that took too long for a start or a publication, one table after the other.
package struct AssociationFilesMaker: Service {
    private let live: LiveCatalog
    private let pool: WorkPool
    private let logger: Logger

    package init(live: LiveCatalog, pool: WorkPool, logger: Logger) {
        self.live = live
        self.pool = pool
        self.logger = logger
    }

    package func run() async throws {
        for await _ in live.incomplete.cancelOnGracefulShutdown() {
            do {
                try await live.makeMissing(on: pool)
            } catch is CancellationError {
                return
            } catch {
                logger.error("association files could not be generated", metadata: ["error": "\(error)"])
            }
        }
    }
}
