package import LinkCatalog
package import LinkRouting
package import Logging
import ServiceLifecycle

/// Stores when keys were used, outside of the requests and at most once an hour for each key.
package struct KeyUseRecorder: Service {
    private let store: any KeyStore
    private let logger: Logger
    private let uses: AsyncStream<Use>
    private let continuation: AsyncStream<Use>.Continuation

    private struct Use: Sendable {
        let id: KeyID
        let hour: Timestamp
    }

    package init(store: any KeyStore, logger: Logger) {
        self.store = store
        self.logger = logger
        // If more uses than this are pending, further ones are dropped; only their times are lost.
        (uses, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1_024))
    }

    /// Queues a use of a key for storing.
    package func note(_ id: KeyID, _ hour: Timestamp) { continuation.yield(Use(id: id, hour: hour)) }

    package func run() async throws {
        for await use in uses.cancelOnGracefulShutdown() {
            do {
                try await store.noteUse(ofKey: use.id, at: use.hour)
            } catch {
                logger.warning(
                    "a key's last use could not be stored",
                    metadata: ["error": "\(error)", "key": "\(use.id)"]
                )
            }
        }
    }
}
