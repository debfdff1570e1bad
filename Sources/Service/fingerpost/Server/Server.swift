import Console
import Examples
import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import Networking
import PostgresStorage

/// Wires the service: opens the data directory, builds the object graph, runs it, and closes it in reverse order.
struct Server {
    let configuration: ServiceConfiguration
    let logger: Logger
    let live: LiveConfiguration
    let health: Health
    let directory: DataDirectory
    let database: CatalogDatabase
    let links: ShortLinkDatabase
    let log: EventLog
    let dependencies: ServerDependencies
    let recorder: EventRecorder
    let console: Console
    let keyUses: KeyUseRecorder
    let writer: WriterHeartbeat
    /// The certificates of the public port; nil if it uses plain HTTP.
    let certificates: ServerCertificates?
    /// Nil if the catalog is in the data directory.
    let follower: CatalogFollower?
    /// Nil if the catalog is in the data directory.
    let shipper: LogShipper?

    /// Opens the files of the data directory; after an unclean stop the catalog and the short links are checked first.
    /// `opsServer` reports the progress.
    init(
        _ configuration: ServiceConfiguration,
        in directory: DataDirectory,
        live: LiveConfiguration,
        certificates: ServerCertificates?,
        opsServer: OpsServer,
        metrics: MetricRegistry,
        logger: Logger
    ) async throws {
        self.configuration = configuration
        self.directory = directory
        self.logger = logger
        self.live = live
        self.certificates = certificates
        health = opsServer.health
        let hadLinks = access(directory.linksPath, F_OK) == 0
        for file in directory.olderSchemas {
            logger.notice(
                "a file gets the schema of this version, which older versions do not read",
                metadata: ["file": "\(file.name)", "from": "\(file.found)", "to": "\(file.known)"]
            )
        }
        let store = configuration.store.postgresql.map { PostgresStore($0) }
        var unreachable: String?
        if let store {
            opsServer.health.start("preparing PostgreSQL")
            unreachable = try await Self.prepare(store, logger)
        }
        (database, links, log) = try await Self.open(
            directory,
            store,
            node: configuration.node,
            telling: opsServer.health,
            logger
        )
        opsServer.health.start("loading the tables")
        if store != nil {
            do {
                _ = try await database.follow()
                try await links.follow { opsServer.health.start("copying short links: \($0)") }
                try await database.releaseRequests()
            } catch let error as CatalogUnavailable {
                // Without a copy there is nothing to answer from, and a catalog of the directory's own is another one.
                guard try database.hasFollowed && links.hasFollowed else { throw error }
                unreachable = "\(error)"
            } catch let error as ForeignHistory {
                guard try database.hasFollowed && links.hasFollowed else {
                    throw StorageError.ownCatalog(directory: directory.path)
                }
                logger.error(
                    "the catalog cannot be followed; this node's copy answers",
                    metadata: ["error": "\(error)"]
                )
                unreachable = "\(error)"
            }
        }
        recorder = EventRecorder(
            store: log,
            now: SystemClock.now,
            dayBytes: configuration.limits.dayBytes,
            logger: logger
        )
        guard let sealer = ContinuationSealer(keys: try await Self.keys(of: .continuation, database)),
            let installTokens = InstallTokenSealer(keys: try await Self.keys(of: .install, database))
        else {
            throw StorageError.corrupt(file: "catalog.db", detail: "the keys of sealed tokens cannot be read")
        }
        keyUses = KeyUseRecorder(store: database, logger: logger)
        var serviceLog = ServiceLog(log, webhook: configuration.exports.webhook)
        if let store {
            let copy = LogCopy(store)
            let shipper = LogShipper(log, to: copy, node: configuration.node, logger: logger)
            serviceLog.history = copy
            serviceLog.analytics = copy
            serviceLog.days = NodeDays(
                log,
                copy,
                node: configuration.node,
                shipped: { shipper.shipped },
                keptDays: configuration.store.keptDays
            )
            serviceLog.dropCopies = { try await copy.dropExpired(by: $0, today: $1) }
            self.shipper = shipper
        } else {
            shipper = nil
        }
        let dependencies = ServerDependencies.build(
            .system,
            store: database,
            served: database.served,
            shortLinks: links,
            log: serviceLog,
            recorder: recorder,
            sealer: sealer,
            installTokens: installTokens,
            sink: configuration.exports.makeSink(in: directory) { live.credentials },
            signer: configuration.tables.signer,
            keys: try await database.served.keyGrantsNotRevoked(),
            noteUse: keyUses.note,
            maximumRoutes: configuration.limits.tableRoutes,
            maximumDrafts: configuration.limits.drafts,
            policy: configuration.admission.policy,
            proxyProtocol: configuration.admission.proxyProtocol,
            locate: live.locate,
            node: configuration.node,
            isRecording: configuration.isRecording,
            metrics: metrics,
            limits: live.limits,
            unsent: opsServer.unsent,
            logSettings: live.log,
            logger: logger
        )
        self.dependencies = dependencies
        console = Console(dependencies, address: configuration.console, random: SystemRandom.bytes)
        follower = store.map { [database, links, log] store in
            CatalogFollower(
                store,
                database,
                links,
                log,
                dependencies,
                configuration,
                failure: unreachable,
                logger: logger
            )
        }
        try await dependencies.publishing.reload()
        let catalog = dependencies.linkResolver.catalog
        try Self.requireSomethingToServe(catalog.current)
        // A build that follows short links makes the file before anybody can publish such a table.
        if !hadLinks, store == nil, catalog.current.tables.contains(where: { !$0.shortLinkRoutes.isEmpty }) {
            logger.error(
                "links.db was missing and is empty now, although tables need it; follow deploy/runbooks/corrupt-file.md"
            )
        }
        writer = WriterHeartbeat(
            probe: { [recorder, log] in
                _ = try await recorder.fence()
                try await log.assertDurable()
            },
            sleep: { try await Task.sleep(for: $0) },
            uptime: { .now }
        )
        opsServer.readings.add { [recorder, log] in
            ProcessReadings.readings(of: recorder) + ProcessReadings.readings(of: directory)
                + ProcessReadings.readings(of: catalog.current)
                + ProcessReadings.readings(of: [dependencies.editorQueue, dependencies.publicQueue])
                + ProcessReadings.readings(of: log)
                + recorder.readings(by: dependencies.linkResolver.tenants)
                + dependencies.exporter.progress.readings(of: catalog.current, by: dependencies.linkResolver.tenants)
        }
        opsServer.health.watch([
            Health.Check("tables") { .good(Self.tables(of: catalog.current)) }, writer.check,
            DiskSpace.check(directory.servicePath, atLeast: { live.minimumFreeBytes }),
            Health.Check("recording") { [recorder] in
                recorder.isDiskFull
                    ? .degraded("the disk is full; events are not recorded") : .good("events are recorded")
            },
            recorder.dayBytesCheck,
            Health.Check("log") { [log] in .good(log.condition) },
        ])
        if let follower { opsServer.health.watch([follower.check]) }
        if let shipper {
            opsServer.health.watch([shipper.check])
            opsServer.readings.add { [shipper] in shipper.readings() }
        }
        opsServer.readings.add { [follower] in follower?.readings() ?? [.gauge("fingerpost_catalog_reachable", 1)] }
        // Links do not depend on the exports, whose disk may be mounted later.
        if let problem = configuration.exports.directoryProblem(in: directory) {
            logger.warning(
                "exports cannot be written until their directory can be used; the events stay in the log",
                metadata: ["exports.directory": "\(problem)"]
            )
        }
        if !configuration.isRecording { logger.warning("recording is disabled; resolutions are not logged") }
    }

    private static func keys(of ring: SealingKeyRing, _ database: CatalogDatabase) async throws -> [Data] {
        do {
            return try await database.sealingKeys(
                of: ring,
                random: SystemRandom.bytes(SealingKeys.keyBytes),
                at: SystemClock.now()
            )
        } catch is CatalogUnavailable {
            return try await database.sealingKeys(of: ring, at: SystemClock.now())
        }
    }

    /// Checks and migrates the catalog's database. Returns why it cannot be reached now; this node's copy then answers.
    private static func prepare(_ store: PostgresStore, _ logger: Logger) async throws -> String? {
        do {
            for warning in try await store.prepare() { logger.warning("\(warning)") }
            return nil
        } catch let error as CatalogUnavailable {
            logger.warning("PostgreSQL cannot be used now", metadata: ["error": "\(error)"])
            return "\(error)"
        }
    }

    /// Opens the files on a separate thread: checking large files blocks for long, and the ops port must respond
    /// meanwhile.
    private static func open(
        _ directory: DataDirectory,
        _ store: PostgresStore?,
        node: String,
        telling health: Health,
        _ logger: Logger
    ) async throws -> (CatalogDatabase, ShortLinkDatabase, EventLog) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        health.start(directory.wasUnclean ? "checking catalog.db" : "opening catalog.db")
                        let checkFirst: CatalogDatabase.CheckFirst = directory.wasUnclean ? .yes : .no
                        let database =
                            if let store {
                                try CatalogDatabase(
                                    store,
                                    copy: directory.catalogPath,
                                    node: node,
                                    checkFirst: checkFirst
                                )
                            } else {
                                try CatalogDatabase(directory.catalogPath, checkFirst: checkFirst)
                            }
                        health.start(directory.wasUnclean ? "checking links.db" : "opening links.db")
                        let links = try ShortLinkDatabase(
                            directory.linksPath,
                            copyOf: store == nil ? nil : database.changes,
                            checkFirst: checkFirst,
                            random: SystemRandom.number
                        )
                        health.start("opening the log")
                        let log = try EventLog(directory.eventsPath, now: SystemClock.now) { damage in
                            logger.error(
                                "a day of the log is damaged; operations that do not need it continue",
                                metadata: ["error": "\(damage)"]
                            )
                        }
                        if let missing = log.missing {
                            logger.warning(
                                "the newest day file of the log is missing; follow deploy/runbooks/corrupt-file.md",
                                metadata: ["first_seq": "\(missing.lowerBound)", "last_seq": "\(missing.upperBound)"]
                            )
                        }
                        return (database, links, log)
                    }
                )
            }
        }
    }

    /// Throws if no tenant in the catalog can be read. A restart does not repair that; a backup does.
    private static func requireSomethingToServe(_ catalog: Catalog) throws {
        guard catalog.tables.isEmpty, let first = catalog.unreadable.first else { return }
        let names = Set(catalog.unreadable.map(\.tenant.rawValue)).sorted().prefix(5).joined(separator: ", ")
        throw StorageError.corrupt(
            file: "catalog.db",
            detail: "no tenant can be read (\(names)); the reason for the first: \(first.reason)"
        )
    }

    /// The detail for `/readyz?verbose`. Damage of one tenant is no reason to route the others' requests elsewhere.
    private static func tables(of catalog: Catalog) -> String {
        let count = "\(catalog.tables.count) tables"
        guard !catalog.unreadable.isEmpty else { return count }
        let names = catalog.unreadable.prefix(20).map { "\($0.tenant)/\($0.environment)" }.joined(separator: ", ")
        return "\(count); \(catalog.unreadable.count) cannot be read: \(names)"
    }

    /// Loads the example tenants into an empty directory and creates a key for them; nil if there are tenants.
    func loadDemo() async throws -> APIKey? {
        guard try await database.tenants().isEmpty else { return nil }
        let change = AuditContext(actor: .system, at: SystemClock.now(), requestID: "demo")
        for (name, text) in Examples.tenants {
            let document = try TenantDocument(text)
            guard let tenant = document.tenant, let settings = document.settings, let table = document.table else {
                preconditionFailure("config/examples/\(name).yaml has a tenant, settings and a table")
            }
            _ = try await dependencies.publishing.saveSettings(settings, of: tenant, expected: nil, change: change)
            let location = PublishingService.DraftLocation(tenant, .production)
            _ = try await dependencies.publishing.saveDraft(table, at: location, expected: nil, change: change)
            _ = try await dependencies.publishing.publish(location, note: .init(message: "example"), change: change)
        }
        return try await dependencies.keyIssuer.create(
            APIKeyIssuer.KeyRequest(name: "demo", tenant: nil, scopes: [.admin]),
            change: change
        )
        .key
    }
}

extension ServiceLog {
    /// - Parameter webhook: Receives the finished exports; nil if none is configured.
    init(_ log: EventLog, webhook: Webhook?) {
        self.init(
            events: log,
            history: log,
            analytics: log,
            days: log,
            exports: log.exportLedger,
            webhooks: webhook == nil ? nil : log.webhookQueue
        )
    }
}
