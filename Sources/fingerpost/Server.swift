import ArgumentParser
import Dispatch
import Examples
import Foundation
import GeoIP
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import OutboundHTTP
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The wiring: opens the data directory, builds the graph, runs it, and closes it in the other order.
struct Server {
    let configuration: ServiceConfiguration
    let logger: Logger
    private let directory: DataDirectory
    private let database: CatalogDatabase
    private let log: EventLog
    private let parts: ServerParts
    private let recorder: EventRecorder
    private let keyUses: KeyUseRecorder
    /// Of the public port; nil where it speaks plain HTTP. A reload of the configuration reloads them.
    let certificates: ServerCertificates?

    /// The system's clock, which nothing below this target reads.
    static func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }

    static func random(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    static let system = Actor(kind: .system, id: "fingerpost", name: "fingerpost")

    init(_ configuration: ServiceConfiguration, metrics: MetricRegistry, log settings: LogSettings, logger: Logger)
        async throws
    {
        self.configuration = configuration
        self.logger = logger
        // Before anything of the data directory is touched: a wrong path changes nothing there.
        let locate = try Self.locate(configuration.geoDatabase)
        certificates = try configuration.tls.files.map { files in
            try ServerCertificates(
                files,
                http2: configuration.tls.http2,
                metrics: metrics,
                now: Self.now,
                sleep: { try await Task.sleep(for: $0) },
                logger: logger
            )
        }
        directory = try DataDirectory(configuration.data)
        database = try CatalogDatabase(directory.catalogPath, checkFirst: directory.wasUnclean ? .yes : .no)
        log = try EventLog(directory.eventsPath, now: Self.now)
        recorder = EventRecorder(store: log, now: Self.now, logger: logger)
        let catalog = LiveCatalog()
        let editor = CatalogEditor(
            store: database,
            maximumRoutes: configuration.limits.tableRoutes,
            random: Self.random
        ) { suite, table in
            suite.failures(against: table, at: Self.now())
        } goLive: {
            try catalog.update(from: $0)
        }
        try await editor.reload()
        let keys = try await database.continuationKeys(
            random: Self.random(ContinuationSealer.keyBytes),
            at: Self.now(),
            age: 86_400_000
        )
        guard let sealer = ContinuationSealer(keys: keys) else {
            throw StorageError.corrupt(file: "catalog.db", detail: "the continuation keys cannot be read")
        }
        let exporter = Exporter(
            store: log,
            ledger: log,
            sink: configuration.exports.makeSink(),
            recorder: recorder,
            plans: { catalog.current.tables.map { ExportPlan($0) } },
            announcing: configuration.exports.webhook == nil ? .off : .on,
            now: Self.now,
            sleep: { try await Task.sleep(for: $0) },
            logger: logger
        )
        let keeper = LogKeeper(
            days: log,
            rules: { catalog.current.retentionRules },
            now: Self.now,
            sleep: { try await Task.sleep(for: $0) },
            logger: logger
        )
        let readings = ProcessReadings(
            directory: directory.path,
            recorder: recorder,
            version: Fingerpost.configuration.version,
            sqlite: try SQLiteLibrary.version()
        )
        keyUses = KeyUseRecorder(store: database, logger: logger)
        let ring = KeyRing(try await database.keyGrants(), now: Self.now, noteUse: keyUses.note)
        parts = ServerParts(
            resolving: Resolving(
                catalog: catalog,
                recorder: recorder,
                sealer: sealer,
                eventIDs: EventIDGenerator { .random(in: .min ... .max) },
                addressKeys: AddressKeys(random: Self.random),
                locate: locate,
                now: Self.now,
                uptime: { .now },
                node: configuration.node
            ),
            keys: ring,
            admission: Admission(
                configuration.admission.policy,
                seed: .random(in: .min ... .max),
                metrics: metrics,
                uptime: { DispatchTime.now().uptimeNanoseconds }
            ),
            keyMaker: KeyMaker(store: database, ring: ring, random: Self.random),
            editor: editor,
            store: database,
            exporter: exporter,
            keeper: keeper,
            eraser: Eraser(days: log, recorder: recorder, exporter: exporter, now: Self.now, logger: logger),
            days: log,
            log: log,
            replayer: Replayer(history: log, editor: editor, now: Self.now),
            readiness: Readiness(),
            metrics: metrics,
            readings: readings.readings,
            limits: configuration.limits,
            traces: TraceSource(),
            logSettings: settings,
            proxyProtocol: configuration.admission.proxyProtocol,
            logger: logger
        )
    }

    /// Nil where no file with countries is configured.
    private static func locate(_ file: String?) throws -> (@Sendable (NetworkAddress) -> String?)? {
        guard let file else { return nil }
        let database = try CountryDatabase(file)
        return { database.country(of: $0) }
    }

    /// Runs until SIGTERM or SIGINT, then stops in the reverse order: first what takes requests, last what writes.
    func run(onReady: @escaping @Sendable (BoundPorts) -> Void) async throws {
        let ports = PortBoard { [readiness = parts.readiness] ports in
            readiness.set(true)
            onReady(ports)
        }
        if let warning = try SQLiteLibrary.walResetWarning() { logger.notice("\(warning)") }
        if directory.wasUnclean {
            logger.notice("the last process did not end cleanly; checking the newest day of the log")
        }
        let (ops, admin, open) = (configuration.opsAddress, configuration.adminAddress, configuration.publicAddress)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: recorder),
            .init(service: LogCheck(log: log, isNeeded: directory.wasUnclean)),
            .init(service: parts.exporter),
            .init(service: parts.keeper),
            .init(service: parts.eraser),
            .init(service: keyUses),
            .port(.ops, at: ops, buildOpsApplication(parts, at: ops) { ports.set(.ops, $0) }),
            .port(.admin, at: admin, buildAdminApplication(parts, at: admin) { ports.set(.admin, $0) }),
            .port(
                .public,
                at: open,
                buildPublicApplication(parts, at: open, certificates: certificates) { ports.set(.public, $0) }
            ),
            .init(service: Drain(readiness: parts.readiness, seconds: configuration.drainSeconds)),
        ]
        if let webhook = configuration.exports.webhook {
            let announcer = ExportAnnouncer(
                ledger: log,
                webhook: webhook,
                now: Self.now,
                sleep: { try await Task.sleep(for: $0) },
                logger: logger
            )
            services.insert(.init(service: announcer), at: 3)
        }
        if let certificates { services.insert(.init(service: certificates), at: 3) }
        let control = ControlSocket(
            path: directory.controlSocketPath,
            parts: parts,
            store: database,
            log: log,
            backups: BackupWorker(catalog: database, log: log)
        )
        if control.fits {
            services.insert(.init(service: control.application), at: 4)
        } else {
            logger.warning(
                "the data directory's path is too long for a control socket: stop the service to use keys or export"
            )
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        do {
            try await group.run()
        } catch let failure as ListenFailure {
            // Nothing is wrong with the files: a start at another address need not check them.
            try close()
            try directory.leaveAsFound()
            throw failure
        }
        try close()
        try directory.markClean()
    }

    private func close() throws {
        try log.close()
        try database.close()
    }

    /// Loads the example tenants into a directory that has none, and makes a key for them; nil when there are tenants.
    func loadDemo() async throws -> APIKey? {
        guard try await database.snapshot().tenants.isEmpty else { return nil }
        let change = Change(actor: Self.system, at: Self.now(), requestID: "demo")
        for (name, text) in Examples.tenants {
            let document = try TenantDocument(text)
            guard let tenant = document.tenant, let settings = document.settings, let table = document.table else {
                preconditionFailure("config/examples/\(name).yaml has a tenant, settings and a table")
            }
            _ = try await parts.editor.saveSettings(settings, of: tenant, expected: nil, change: change)
            let place = CatalogEditor.Place(tenant, .production)
            _ = try await parts.editor.saveDraft(table, at: place, expected: nil, change: change)
            _ = try await parts.editor.publish(place, note: .init(message: "example"), change: change)
        }
        return try await parts.keyMaker.create(
            KeyMaker.Wish(name: "demo", tenant: nil, scopes: [.admin]),
            change: change
        )
        .key
    }

    var exporter: Exporter { parts.exporter }
}

struct BoundPorts: Sendable {
    var `public` = 0
    var admin = 0
    var ops = 0
}

/// Collects the ports as they are bound, and tells when all are.
private final class PortBoard: Sendable {
    private let ports = Mutex(BoundPorts())
    private let whenAllAreBound: @Sendable (BoundPorts) -> Void

    init(_ whenAllAreBound: @escaping @Sendable (BoundPorts) -> Void) { self.whenAllAreBound = whenAllAreBound }

    func set(_ role: PortRole, _ port: Int) {
        let bound = ports.withLock { ports in
            switch role {
            case .public: ports.public = port
            case .admin: ports.admin = port
            case .ops: ports.ops = port
            }
            return ports
        }
        if bound.public > 0, bound.admin > 0, bound.ops > 0 { whenAllAreBound(bound) }
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A port that cannot be opened stops what runs already in good order.
    fileprivate static func port(
        _ role: PortRole,
        at address: ListenAddress,
        _ application: some ApplicationProtocol
    ) -> Self {
        Self(
            service: ListeningPort(role, at: address, application),
            failureTerminationBehavior: .gracefullyShutdownGroup
        )
    }
}

/// Turns readiness off first, and gives load balancers time to see it.
private struct Drain: Service {
    let readiness: Readiness
    let seconds: Int

    func run() async throws {
        try await gracefulShutdown()
        guard readiness.isReady else { return }
        readiness.set(false)
        try await Task.sleep(for: .seconds(seconds))
    }
}

/// Checks the newest day file after an unclean stop, beside the running service.
private actor LogCheck: Service {
    private let executor = BlockingExecutor(label: "fingerpost.log.check")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let log: EventLog
    private let isNeeded: Bool

    init(log: EventLog, isNeeded: Bool) {
        self.log = log
        self.isNeeded = isNeeded
    }

    func run() async throws {
        if isNeeded { try log.checkNewestDay() }
        try await gracefulShutdown()
    }
}
