package import LinkCatalog
package import Logging
import ServiceLifecycle

/// Generates the association files that exceeded the budget of a start or a publication, one table after the other.
package struct AssociationFileService: Service {
    private let files: AssociationFileCache
    private let queue: WorkQueue
    private let logger: Logger

    package init(files: AssociationFileCache, queue: WorkQueue, logger: Logger) {
        self.files = files
        self.queue = queue
        self.logger = logger
    }

    package func run() async throws {
        for await _ in files.incomplete.cancelOnGracefulShutdown() {
            do {
                try await files.makeMissing(on: queue)
            } catch is CancellationError {
                return
            } catch {
                logger.error("association files could not be generated", metadata: ["error": "\(error)"])
            }
        }
    }
}
