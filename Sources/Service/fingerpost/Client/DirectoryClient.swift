import Foundation
import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage
import Logging
import NIOCore
import Networking

/// The admin API of a data directory, for commands on its machine, which need no key.
enum DirectoryClient {
    /// Runs `body` with a client of the data directory. If no process holds the directory, this process answers the
    /// requests. Otherwise they go through the control socket of the process that does, because a second process never
    /// opens a database file.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the exports, for a command that needs it.
    ///   - readsLog: Whether the command needs the log. Otherwise it works although the log is damaged.
    ///   - timeout: The time limit of a request to another process.
    static func open<Result>(
        _ path: String,
        for purpose: DataDirectory.Purpose = .use,
        exports configuration: ServiceConfiguration? = nil,
        readsLog: Bool = true,
        timeout: TimeAmount = .seconds(60),
        _ body: (AdminClient) async throws -> Result
    ) async throws -> Result {
        do {
            let directory = try DataDirectory(named: path, for: purpose)
            return try await directory.leavingAsFound { try await open(directory, configuration, readsLog, body) }
        } catch StorageError.locked {
            return try await reportingRefusals { try await body(client(ofHolderOf: path, timeout: timeout)) }
        } catch let error as StorageError {
            throw fail(error)
        }
    }

    private static func open<Result>(
        _ directory: DataDirectory,
        _ configuration: ServiceConfiguration?,
        _ readsLog: Bool,
        _ body: (AdminClient) async throws -> Result
    ) async throws -> Result {
        let database = try CatalogDatabase(directory.catalogPath)
        let links = try ShortLinkDatabase(directory.linksPath, random: SystemRandom.number)
        let empty = FileManager.default.temporaryDirectory.appending(path: "fingerpost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: empty) }
        if !readsLog { try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false) }
        let log = try EventLog(readsLog ? directory.eventsPath : empty.path, now: SystemClock.now)
        // The command prints what it did.
        var logger = Logger(label: "fingerpost")
        logger.logLevel = .notice
        let recorder = EventRecorder(store: log, now: SystemClock.now, logger: logger)
        let keys = [SystemRandom.bytes(SealingKeys.keyBytes)]
        guard let sealer = ContinuationSealer(keys: keys), let installTokens = InstallTokenSealer(keys: keys) else {
            preconditionFailure("the number of random bytes is that of a key")
        }
        let standard = try await ServiceConfiguration.read(flags: [:], file: nil, environment: [:])
        let exports = (configuration ?? standard).exports
        let dependencies = ServerDependencies.build(
            .system,
            store: database,
            shortLinks: links,
            log: ServiceLog(log, webhook: exports.webhook),
            recorder: recorder,
            sealer: sealer,
            installTokens: installTokens,
            sink: exports.makeSink(in: directory),
            policy: .unlimited,
            locate: nil,
            node: standard.node,
            metrics: MetricRegistry(),
            limits: LiveLimits(standard.limits),
            unsent: UnsentResponses(limit: standard.limits.unsentBytes),
            logSettings: LogSettings(),
            logger: logger
        )
        // Only exports read the live tables.
        if configuration != nil { try await dependencies.publishing.reload() }
        let endpoints = InternalEndpoints(ofControl: dependencies, OperatorTasks(directory, database, links, log))
        let client = AdminClient { method, target, headers, body in
            let answer = try await endpoints.answer(method.rawValue, target, headers, body ?? [])
            return AdminClient.Response(status: answer.status, bytes: answer.body)
        }
        // The recorder serves only the fence of exports, and stops once the command is done.
        let result = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await reportingRefusals { try await body(client) }) } catch {
                result = .failure(error)
            }
            recorder.stop()
            try await group.waitForAll()
            return try result.get()
        }
        try log.close()
        try links.close()
        try database.close()
        return result
    }

    /// A client of the process that holds the directory at the path.
    private static func client(ofHolderOf path: String, timeout: TimeAmount) -> AdminClient {
        let socket = URL(filePath: DataDirectory.controlSocket(in: path)).path
        let escaped = socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? socket
        return AdminClient { method, target, headers, body in
            do {
                let response = AdminClient.Response(
                    try await OutboundHTTP(timeout: timeout, maximumBytes: AdminClient.maximumBytes)
                        .send(method, "http+unix://\(escaped)\(target)", headers, body)
                )
                guard response.body["code"]?.text != "not_found" else {
                    throw fail("\(path) is in use by another version, which does not know this command.", .failed)
                }
                return response
            } catch let error as OutboundHTTP.Failure {
                let reason =
                    error.kind == .timedOut
                    ? "does not respond within \(timeout.nanoseconds / 1_000_000_000) s"
                    : "takes no commands at \(socket)"
                throw fail(
                    "\(path) is in use by a process that \(reason). If it is starting or stopping, try again in a few seconds.",
                    .inUse
                )
            }
        }
    }

    /// Runs a command's body. Turns a refusal into a failure.
    private static func reportingRefusals<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as AdminClient.Refusal {
            throw refusal.failure(in: nil, refusal.code == "sink_unavailable" ? .unavailable : .failed)
        }
    }
}
