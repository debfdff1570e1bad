import ArgumentParser
import Foundation
import HTTPTransport
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import NIOPosix
import Networking
import ServiceLifecycle

/// The ops port. It opens before the data files, so that a slow start is visible, and closes after them.
struct OpsServer {
    let health = Health()
    let readings = MetricReadings()
    let unsent: UnsentResponses
    private let metrics: MetricRegistry
    private let configuration: ServiceConfiguration
    private let live: LiveConfiguration
    private let logger: Logger

    init(
        _ configuration: ServiceConfiguration,
        in directory: DataDirectory,
        metrics: MetricRegistry,
        live: LiveConfiguration,
        logger: Logger
    ) throws {
        self.configuration = configuration
        self.metrics = metrics
        self.live = live
        self.logger = logger
        let process = ProcessReadings(
            directory: directory.servicePath,
            version: BuildInfo.version,
            sqlite: try SQLiteLibrary.version()
        )
        readings.add(process.readings)
        unsent = UnsentResponses(limit: configuration.limits.unsentBytes)
        readings.add { [unsent] in unsent.readings }
    }

    /// A dedicated event loop answers probes even if the loops of the other ports are busy. It runs until the process ends, as
    /// NIO's shared loops do: after a failed bind, NIO may still schedule tasks on it.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Listens while `body` runs, which gets the bound port.
    func whileListening(_ body: (Int) async throws -> Void) async throws {
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let (address, shutdown) = (configuration.opsAddress, ShutdownController())
        let application = buildOpsApplication(dependencies, at: address, on: Self.loops) { listening.yield($0) }
        let group = ServiceGroup(
            services: [ListeningPort(.ops, at: address, shutdown: shutdown, application)],
            logger: logger
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            // There is no port if it could not be opened; the task throws the reason.
            if let port = await ports.first(where: { _ in true }) {
                let result: Result<Void, any Error>
                do { result = .success(try await body(port)) } catch { result = .failure(error) }
                await group.triggerGracefulShutdown()
                // Everything is written and closed, so there is no reason to wait for clients.
                tasks.addTask {
                    try? await Task.sleep(for: .seconds(1))
                    shutdown.force()
                }
                let ended = await tasks.nextResult()
                tasks.cancelAll()
                try result.get()
                return try ended?.get() ?? ()
            }
            try await tasks.waitForAll()
        }
    }

    private var dependencies: OpsDependencies {
        let ids = EventIDGenerator { .random(in: .min ... .max) }
        return OpsDependencies(
            health: health,
            metrics: metrics,
            readings: readings,
            limits: live.limits,
            unsent: unsent,
            traces: TraceSource(),
            logSettings: live.log,
            logger: logger,
            now: SystemClock.now,
            uptime: { .now },
            makeRequestID: { ids.next(at: SystemClock.now()) }
        )
    }
}
