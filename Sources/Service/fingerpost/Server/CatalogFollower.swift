import Crypto
import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import PostgresStorage
import ServiceLifecycle
import Synchronization

/// Follows what other nodes write to PostgreSQL: what another node changes is live on this one within two seconds. It asks for the head
/// of the audit log each second, since a notification could be missed and a pooler does not pass it on.
final class CatalogFollower: Service {
    private let store: PostgresStore
    private let database: CatalogDatabase
    private let links: ShortLinkDatabase
    private let log: EventLog
    private let dependencies: ServerDependencies
    private let configuration: ServiceConfiguration
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var lastAnswer: Timestamp?
        /// The versions of the copy whose keys and tables are in memory.
        var keys: Int64?
        var tables: Int64?
        /// Why the last attempts failed.
        var failures: [Followed: String] = [:]
    }

    private enum Followed: String {
        case catalog = "the catalog"
        case links = "the short links"
    }

    /// - Parameter failure: Why the start did not reach PostgreSQL; nil if it did.
    init(
        _ store: PostgresStore,
        _ database: CatalogDatabase,
        _ links: ShortLinkDatabase,
        _ log: EventLog,
        _ dependencies: ServerDependencies,
        _ configuration: ServiceConfiguration,
        failure: String?,
        logger: Logger
    ) {
        self.store = store
        self.database = database
        self.links = links
        self.log = log
        self.dependencies = dependencies
        self.configuration = configuration
        self.logger = logger
        state = Mutex(
            State(lastAnswer: failure == nil ? SystemClock.now() : nil, failures: failure.map { [.catalog: $0] } ?? [:])
        )
    }

    /// Between two questions: a second, with jitter, so that nodes that start together do not ask together.
    private static var second: Duration { .milliseconds(Int.random(in: 800...1_200)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                // Keys never wait until tables are compiled, or many links are copied.
                group.addTask { await self.repeating { await self.followKeys() } }
                // Reads one row of this node's copy, so that a table is not a second later than the copy.
                group.addTask { await self.repeating(after: .milliseconds(200)) { await self.applyTables() } }
                group.addTask { await self.repeating { await self.followLinks() } }
                group.addTask {
                    await self.report()
                    await self.repeating(after: .seconds(30)) { await self.report() }
                }
                group.addTask { await self.repeating(after: .seconds(3_600)) { await self.holdLinks() } }
                group.addTask { await self.repeating(after: .seconds(10)) { await self.carryOutErasures() } }
            }
        }
    }

    private func repeating(after pause: Duration? = nil, _ body: () async -> Void) async {
        while (try? await Task.sleep(for: pause ?? Self.second)) != nil { await body() }
    }

    // MARK: Short links

    private func followLinks() async {
        do {
            try await links.follow()
            note(nil, of: .links)
        } catch is CancellationError {
        } catch {
            note("\(error)", of: .links)
        }
    }

    private func holdLinks() async {
        do {
            try await links.holdAppLinks(at: SystemClock.now())
        } catch {
            logger.warning("apps' links that end soon could not be checked", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Erasures

    /// Erases in this node's log and exports what was ordered through any node.
    private func carryOutErasures() async {
        let copy = LogCopy(store)
        let eraser = dependencies.eraser.erasing(from: log)
        do {
            for order in try await copy.orders(for: configuration.node) {
                let now = SystemClock.now()
                // What was recorded before is committed, so that it is found.
                _ = try await dependencies.linkResolver.recorder.fence()
                // By this node's clock, which may differ from PostgreSQL's.
                let ordered = Timestamp(milliseconds: now.milliseconds - order.age)
                let report = try await eraser.erase(
                    install: order.install,
                    of: order.tenant,
                    through: try await log.lastSequence(recordedUntil: ordered),
                    requestID: order.requestID
                )
                try await copy.confirm(
                    order,
                    by: configuration.node,
                    log: try await log.shippedAs(),
                    through: report.erasure.lastSequence,
                    at: SystemClock.now()
                )
            }
            try await copy.deleteOrdered(at: SystemClock.now())
            guard let missed = try await copy.missedErasures(of: configuration.node) else { return }
            let later = dependencies.eraser.erasing(from: log, isOnlyLog: true)
            for covered in try await log.installs(covered: missed.coverage) {
                _ = try await later.erase(
                    install: covered.install,
                    of: covered.tenant,
                    through: covered.lastSequence,
                    requestID: "missed"
                )
            }
            try await copy.confirm(missed, by: configuration.node)
        } catch is CatalogUnavailable {
            // Following says that the database is away.
        } catch {
            logger.error("an erasure could not be carried out; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Reports

    /// Tells the database what this node has, and reads what nodes share besides the catalog.
    private func report() async {
        do {
            let node = FleetNode(
                name: configuration.node,
                seenAt: SystemClock.now(),
                version: BuildInfo.version,
                catalog: try await database.served.version(),
                links: try links.lastChange,
                lastSequence: log.knownSequence()
            )
            try await store.report(node)
            if let secret = configuration.store.addressSecret { try await shareAddressKeys(sealedBy: secret) }
        } catch {
            // Following says that the database is away.
            logger.debug("this node could not report", metadata: ["error": "\(error)"])
        }
    }

    /// Takes the keys of this hour's day and of the next hour's, so that all nodes change them together at midnight.
    private func shareAddressKeys(sealedBy secret: String) async throws {
        let key = SymmetricKey(data: SHA256.hash(data: Data(secret.utf8)))
        var keys: [CivilDay: Data] = [:]
        let now = SystemClock.now()
        for day in Set([now.day, Timestamp(milliseconds: now.milliseconds + 3_600_000).day]) {
            let name = Data(day.description.utf8)
            let own = try AES.GCM.seal(SystemRandom.bytes(32), using: key, authenticating: name).combined ?? Data()
            let stored = try await store.addressKey(of: day, proposal: own)
            do {
                keys[day] = try AES.GCM.open(AES.GCM.SealedBox(combined: stored), using: key, authenticating: name)
            } catch {
                logger.error("the key of addresses was made with another store.addressKeyFile; this node uses its own")
            }
        }
        dependencies.linkResolver.addressKeys.share(keys)
    }

    // MARK: The catalog

    private func followKeys() async {
        let change = dependencies.keys.change
        do {
            _ = try await database.follow()
            note(nil, of: .catalog)
        } catch is CancellationError {
        } catch {
            note("\(error)", of: .catalog)
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
        dependencies.linkResolver.sealer.replaceKeys(
            try await copy.sealingKeys(of: .continuation, at: SystemClock.now())
        )
        dependencies.linkResolver.installTokens.replaceKeys(
            try await copy.sealingKeys(of: .install, at: SystemClock.now())
        )
    }

    // MARK: State

    /// Logs when something cannot be followed any more, and when it can be again.
    private func note(_ failure: String?, of what: Followed) {
        let before = state.withLock { state in
            defer { state.failures[what] = failure }
            if failure == nil, what == .catalog { state.lastAnswer = SystemClock.now() }
            return state.failures[what]
        }
        if let failure, before == nil {
            logger.error(
                "\(what.rawValue) cannot be followed; this node's copy answers",
                metadata: ["error": "\(failure)"]
            )
        } else if failure == nil, before != nil {
            logger.notice("\(what.rawValue) can be followed again")
        }
    }

    /// The node is ready without PostgreSQL, and says that it may be behind.
    var check: Health.Check {
        Health.Check("catalog") { [self] in
            let (failures, last) = state.withLock { ($0.failures, $0.lastAnswer) }
            guard let (what, failure) = failures.min(by: { $0.key.rawValue < $1.key.rawValue }) else {
                return .good("the catalog in PostgreSQL is followed")
            }
            return .degraded(
                "\(what.rawValue) cannot be followed, last at \(last?.description ?? "no time"): \(failure)"
            )
        }
    }

    func readings() -> [MetricRegistry.Reading] {
        let (failures, last) = state.withLock { ($0.failures, $0.lastAnswer) }
        return [
            .gauge("fingerpost_catalog_reachable", failures.isEmpty ? 1 : 0),
            .gauge("fingerpost_catalog_followed_timestamp_seconds", Double(last?.milliseconds ?? 0) / 1_000),
        ]
    }
}
