import Console
import Foundation
import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkServer
import LinkStorage
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Running and stopping the server. Services stop in the reverse order of the list: first those that accept requests,
/// last those that write.
extension Server {
    /// Runs until SIGTERM or SIGINT, then closes everything. A second signal forces the shutdown.
    func run(
        reloading reloader: ConfigurationReloader,
        onReady: @escaping @Sendable (BoundPorts) -> Void
    ) async throws {
        let shutdown = ShutdownController()
        let ports = BoundPortCollector { [health] ports in
            health.run()
            onReady(ports)
        }
        DescriptorLimit.tell(configuration.limits, logger)
        if let warning = try SQLiteLibrary.walResetWarning() { logger.info("\(warning)") }
        if directory.wasUnclean {
            logger.notice("the last process did not shut down cleanly; checking the newest day of the log")
        }
        warnOfOverlaps()
        warnOfRefusedDomains()
        health.start("opening the ports")
        var settings = ServiceGroupConfiguration(services: services(ports, shutdown, reloader), logger: logger)
        let (drain, grace) = live.shutdownSeconds
        // The last resort: services that still do not end are cancelled. Queued events are written nonetheless.
        settings.maximumGracefulShutdownDuration = .seconds(drain + grace + 30)
        let group = ServiceGroup(configuration: settings)
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
                tasks.addTask { await stop(group, on: signals, shutdown) }
                defer { tasks.cancelAll() }
                try await group.run()
            }
        } catch let failure as BindError {
            // The files are intact: a start at another address need not check them.
            try close()
            try directory.leaveAsFound()
            throw failure
        } catch is CancellationError {
            logger.warning("the shutdown took too long; unfinished requests were cut off")
        }
        try close()
        try directory.markClean()
        logger.notice("stopped")
    }

    /// Warns about overlapping domains. The more specific domain wins, as before. New claims of this kind need a key
    /// for all tenants.
    private func warnOfOverlaps() {
        let overlaps = dependencies.linkResolver.catalog.current.overlappingDomains
        guard !overlaps.isEmpty else { return }
        let shown = overlaps.prefix(20).map { "\($0.tenant) \($0.domain)" }.joined(separator: ", ")
        logger.warning(
            "domains of different tenants overlap; check that each overlap is intended",
            metadata: ["domains.count": "\(overlaps.count)", "domains.first": "\(shown)"]
        )
    }

    /// Warns about domains that no tenant may claim any more. They are live as before.
    private func warnOfRefusedDomains() {
        let refused = dependencies.linkResolver.catalog.current.refusedDomains
        guard !refused.isEmpty else { return }
        let shown = refused.prefix(20).map { "\($0.tenant) \($0.domain)" }.joined(separator: ", ")
        logger.warning(
            "tenants have domains that no tenant may own; remove them from their settings",
            metadata: ["domains.count": "\(refused.count)", "domains.first": "\(shown)"]
        )
    }

    private func close() throws {
        try log.close()
        try links.close()
        try database.close()
    }

    private func services(
        _ ports: BoundPortCollector,
        _ shutdown: ShutdownController,
        _ reloader: ConfigurationReloader
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let (admin, open) = (configuration.adminAddress, configuration.publicAddress)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: recorder),
            .init(service: writer),
            .init(service: LogCheck(log: log, isNeeded: directory.wasUnclean)),
            .init(service: dependencies.exporter),
            .init(service: dependencies.retention),
            .init(service: dependencies.eraser),
            .init(service: keyUses),
            .init(service: HeapTrim { try await Task.sleep(for: $0) }),
            .init(
                service: AssociationFileService(
                    files: dependencies.associationFiles,
                    queue: dependencies.publicQueue,
                    logger: logger
                )
            ),
            .init(service: dependencies.appTableService),
            .init(service: reloader),
        ]
        if let webhook = configuration.exports.webhook {
            let dispatcher = WebhookDispatcher(
                queue: log.webhookQueue,
                webhook: live.webhook ?? webhook,
                now: SystemClock.now,
                sleep: { try await Task.sleep(for: $0) },
                logger: logger
            )
            services.append(.init(service: dispatcher))
        }
        if let certificates { services.append(.init(service: certificates)) }
        if let follower { services.append(.init(service: follower)) }
        // Stops last, when the recorder has written its last events.
        if let shipper { services.insert(.init(service: shipper), at: 0) }
        if ControlSocket.fits(directory.controlSocketPath) {
            let tasks = OperatorTasks(directory, database, links, log).reportingToOthers
            services.append(
                .init(service: buildControlApplication(dependencies, tasks, at: directory.controlSocketPath))
            )
        } else {
            logger.warning(
                "the data directory's path is too long for a control socket; stop the service to use keys or export"
            )
        }
        return services + [
            .port(
                .admin,
                at: admin,
                shutdown,
                buildAdminApplication(dependencies, at: admin, addPages: console.addRoutes) { ports.set(.admin, $0) }
            ),
            .port(
                .public,
                at: open,
                shutdown,
                buildPublicServer(dependencies, at: open, certificates: certificates) { ports.set(.public, $0) }
            ),
            .init(service: Drain(health: health, live: live, shutdown: shutdown)),
        ]
    }

    /// Handles shutdown signals until the task is cancelled.
    private func stop(_ group: ServiceGroup, on signals: UnixSignalsSequence, _ shutdown: ShutdownController) async {
        await withTaskGroup(of: Void.self) { tasks in
            var isStopping = false
            for await signal in signals {
                guard !isStopping else {
                    logger.notice(
                        "second stop signal; unfinished requests are cut off",
                        metadata: ["signal": "\(signal)"]
                    )
                    shutdown.force()
                    continue
                }
                isStopping = true
                logger.notice("stopping", metadata: ["signal": "\(signal)"])
                await group.triggerGracefulShutdown()
                let (drain, grace) = live.shutdownSeconds
                let patience = Duration.seconds(drain + grace)
                tasks.addTask {
                    guard (try? await Task.sleep(for: patience)) != nil else { return }
                    logger.warning("the shutdown takes too long; unfinished requests are cut off")
                    shutdown.force()
                }
            }
            tasks.cancelAll()
        }
    }
}

struct BoundPorts: Sendable {
    var `public` = 0
    var admin = 0
}

/// Collects the bound ports, and calls back once all are bound.
private final class BoundPortCollector: Sendable {
    private let ports = Mutex(BoundPorts())
    private let whenAllAreBound: @Sendable (BoundPorts) -> Void

    init(_ whenAllAreBound: @escaping @Sendable (BoundPorts) -> Void) { self.whenAllAreBound = whenAllAreBound }

    func set(_ role: PortRole, _ port: Int) {
        let bound = ports.withLock { ports in
            switch role {
            case .public: ports.public = port
            case .admin: ports.admin = port
            case .ops: break
            }
            return ports
        }
        if bound.public > 0, bound.admin > 0 { whenAllAreBound(bound) }
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// A service for a port. If the port cannot be opened, the services that already run are stopped gracefully.
    fileprivate static func port(
        _ role: PortRole,
        at address: ListenAddress,
        _ shutdown: ShutdownController,
        _ server: some Service
    ) -> Self {
        Self(
            service: ListeningPort(role, at: address, shutdown: shutdown, server),
            failureTerminationBehavior: .gracefullyShutdownGroup
        )
    }
}

/// Turns readiness off first, and gives load balancers time to notice.
private struct Drain: Service {
    let health: Health
    let live: LiveConfiguration
    let shutdown: ShutdownController

    func run() async throws {
        try await gracefulShutdown()
        let seconds = live.shutdownSeconds.drain
        guard health.stop(), seconds > 0 else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            tasks.addTask { await shutdown.untilForced() }
            await tasks.next()
            tasks.cancelAll()
        }
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
