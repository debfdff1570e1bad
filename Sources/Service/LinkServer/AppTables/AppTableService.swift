package import LinkCatalog
package import LinkRouting
import LinkTable
package import Logging
import Metrics
import ServiceLifecycle

/// Signs the tables of apps, one after the other, off the event loops.
package struct AppTableService: Service {
    private let cache: AppTableCache
    private let store: any RevisionReader
    private let queue: WorkQueue
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    /// Tables are signed again at the beginning of each period, because they expire after 30 days. Within a period, the
    /// same revision gives the same bytes, also after a restart and on another server, so that apps download it once.
    private static let period = 7 * Timestamp.millisecondsPerDay

    private static let results = Dictionary(
        uniqueKeysWithValues: ["ok", "failed"].map {
            ($0, Counter(label: "fingerpost_app_tables_signed_total", dimensions: [("result", $0)]))
        }
    )
    private static let bytes = Gauge(label: "fingerpost_app_tables_bytes")

    package init(
        cache: AppTableCache,
        store: any RevisionReader,
        queue: WorkQueue,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        logger: Logger
    ) {
        self.cache = cache
        self.store = store
        self.queue = queue
        self.now = now
        self.sleep = sleep
        self.logger = logger
        _ = Self.results
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in cache.changes { await signTables() } }
                group.addTask {
                    while (try? await sleep(.seconds(3_600))) != nil { cache.nudge() }
                }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Signs the tables that are missing. A failure is logged, and the app keeps the table that it has.
    package func signTables() async {
        let issuedAt = Timestamp(milliseconds: now().milliseconds / Self.period * Self.period)
        guard let (missing, signer) = cache.begin(issuedAt: issuedAt) else { return }
        for origin in missing {
            do {
                let table = try await make(origin, signer)
                let hasRoom = cache.store(table, of: origin)
                if !hasRoom { throw NoRoom() }
                Self.results["ok"]?.increment()
            } catch is CancellationError {
                return
            } catch is Outdated {
                continue
            } catch {
                _ = cache.store(nil, of: origin)
                Self.results["failed"]?.increment()
                logger.error(
                    "a table for an app could not be signed",
                    metadata: [
                        "tenant": "\(origin.version.tenant)", "environment": "\(origin.version.environment)",
                        "app": "\(origin.app)", "error": "\(error)",
                    ]
                )
            }
        }
        Self.bytes.record(cache.byteCount)
    }

    private struct NoRoom: Error, CustomStringConvertible {
        var description: String {
            "all tables for apps together exceed \(AppTableCache.mostBytes) bytes; make tables smaller"
        }
    }

    /// The revision or the settings were replaced meanwhile; the next pass makes the newer table.
    private struct Outdated: Error {}

    private func make(_ origin: AppTableCache.Origin, _ signer: TableSigner) async throws -> CachedAppTable {
        let version = origin.version
        guard let revision = version.revision,
            let settings = try await store.settings(of: version.tenant, revision: version.settingsRevision),
            let table = try await store.content(of: revision, tenant: version.tenant)
        else { throw Outdated() }
        return try await queue.run(for: .server) { _ in
            let claims = TableClaims(
                scope: origin.scope,
                revision: revision,
                settingsRevision: version.settingsRevision,
                issuedAt: origin.issuedAt
            )
            return try CachedAppTable(
                signer.sign(try TableContent(claims, table: table, settings: settings.content))
            )
        }
    }
}
