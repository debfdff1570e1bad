import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import ServiceLifecycle
import Synchronization

/// Follows the catalog in PostgreSQL: what another node changes is live on this one within two seconds. It asks for the head
/// of the audit log each second, since a notification could be missed and a pooler does not pass it on.
final class CatalogFollower: Service {
    private let database: CatalogDatabase
    private let dependencies: ServerDependencies
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var lastAnswer: Timestamp?
        /// The versions of the copy whose keys and tables are in memory.
        var keys: Int64?
        var tables: Int64?
        /// Why the last attempt failed; nil if it succeeded.
        var failure: String?
    }

    /// - Parameter failure: Why the start did not reach PostgreSQL; nil if it did.
    init(
        _ database: CatalogDatabase,
        _ dependencies: ServerDependencies,
        failure: String?,
        now: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.database = database
        self.dependencies = dependencies
        self.now = now
        self.logger = logger
        state = Mutex(State(lastAnswer: failure == nil ? now() : nil, failure: failure))
    }

    /// Between two questions: a second, with jitter, so that nodes that start together do not ask together.
    private static var pause: Duration { .milliseconds(Int.random(in: 800...1_200)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                // Keys never wait until tables are compiled.
                group.addTask { await self.repeating { await self.followKeys() } }
                group.addTask { await self.repeating { await self.applyTables() } }
            }
        }
    }

    private func repeating(_ body: () async -> Void) async {
        while (try? await Task.sleep(for: Self.pause)) != nil { await body() }
    }

    private func followKeys() async {
        let change = dependencies.keys.change
        do {
            _ = try await database.follow()
            note(nil)
        } catch is CancellationError {
        } catch {
            note("\(error)")
            if error is ForeignHistory { await endRevokedKeys() }
        }
        do {
            // A publication of this node may have brought the copy up to date, so its version decides.
            let copy = database.served
            let version = try await copy.version()
            try await replaceSealingKeys(from: copy)
            guard state.withLock({ $0.keys }) != version else { return }
            dependencies.keys.replace(try await copy.keyGrantsNotRevoked(), readAfter: change)
            state.withLock { $0.keys = version }
        } catch {
            logger.error("this node's copy of the catalog cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Ends the keys that a catalog with another history has revoked; nothing else of it is taken.
    private func endRevokedKeys() async {
        guard let grants = try? await database.keyGrants() else { return }
        dependencies.keys.end(grants.filter { $0.revokedAt != nil })
    }

    private func applyTables() async {
        do {
            let version = try await database.served.version()
            guard state.withLock({ $0.tables }) != version else { return }
            try await dependencies.publishing.reload()
            state.withLock { $0.tables = version }
        } catch {
            logger.error("this node's copy of the catalog cannot be applied", metadata: ["error": "\(error)"])
        }
    }

    /// Each time, since a new key seals only after a minute.
    private func replaceSealingKeys(from copy: CatalogDatabase) async throws {
        dependencies.linkResolver.sealer.replaceKeys(try await copy.sealingKeys(of: .continuation, at: now()))
        dependencies.linkResolver.installTokens.replaceKeys(try await copy.sealingKeys(of: .install, at: now()))
    }

    /// Logs when the catalog goes away and when it comes back.
    private func note(_ failure: String?) {
        let before = state.withLock { state in
            defer { state.failure = failure }
            if failure == nil { state.lastAnswer = now() }
            return state.failure
        }
        if let failure, before == nil {
            logger.error("the catalog cannot be followed; this node's copy answers", metadata: ["error": "\(failure)"])
        } else if failure == nil, before != nil {
            logger.notice("the catalog is followed again")
        }
    }

    /// The node is ready without PostgreSQL, and says that it may be behind.
    var check: Health.Check {
        Health.Check("catalog") { [self] in
            let (failure, last) = state.withLock { ($0.failure, $0.lastAnswer) }
            guard let failure else { return .good("the catalog in PostgreSQL is followed") }
            return .degraded("the catalog is as of \(last?.description ?? "before the start"): \(failure)")
        }
    }

    func readings() -> [MetricRegistry.Reading] {
        let (failure, last) = state.withLock { ($0.failure, $0.lastAnswer) }
        return [
            .gauge("fingerpost_catalog_reachable", failure == nil ? 1 : 0),
            .gauge("fingerpost_catalog_followed_timestamp_seconds", Double(last?.milliseconds ?? 0) / 1_000),
        ]
    }
}
