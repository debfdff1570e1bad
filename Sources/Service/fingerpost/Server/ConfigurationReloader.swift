import Foundation
import HTTPTransport
import LinkEvents
import LinkServer
import Logging
import Metrics
import Networking
import ServiceLifecycle
import UnixSignals

/// Reloads the configuration on SIGHUP. If it is invalid, the error is logged and the old configuration stays.
actor ConfigurationReloader: Service {
    private let hangups: UnixSignalsSequence
    private let read: @Sendable () async throws -> ServiceConfiguration
    private let live: LiveConfiguration
    private let admission: Admission
    private let appTables: AppTableCache
    private let recorder: EventRecorder
    private let certificates: ServerCertificates?
    private let logger: Logger
    private let hasTerminal = isatty(STDIN_FILENO) == 1
    /// The effective values by key.
    private var running: [String: String]

    private static let results = Dictionary(
        uniqueKeysWithValues: ["ok", "failed"].map {
            ($0, Counter(label: "fingerpost_config_reloads_total", dimensions: [("result", $0)]))
        }
    )
    private static let isLastGood = Gauge(label: "fingerpost_config_last_reload_successful")

    /// - Parameters:
    ///   - hangups: Must be created before the service starts, because an earlier SIGHUP would end the process.
    ///   - configuration: The configuration that the service was started with.
    ///   - read: Reads flags, environment and file again.
    init(
        on hangups: UnixSignalsSequence,
        from configuration: ServiceConfiguration,
        into live: LiveConfiguration,
        _ admission: Admission,
        _ appTables: AppTableCache,
        _ recorder: EventRecorder,
        _ certificates: ServerCertificates?,
        logger: Logger,
        read: @escaping @Sendable () async throws -> ServiceConfiguration
    ) {
        self.hangups = hangups
        self.live = live
        self.admission = admission
        self.appTables = appTables
        self.recorder = recorder
        self.certificates = certificates
        self.logger = logger
        self.read = read
        running = Dictionary(uniqueKeysWithValues: configuration.effective.map { ($0.key, $0.value) })
    }

    func run() async throws {
        _ = Self.results
        Self.isLastGood.record(1)
        for await _ in hangups.cancelOnGracefulShutdown() {
            // The controlling terminal was closed: the signal ends the process, as it does without a handler.
            if hasTerminal, isatty(STDIN_FILENO) == 0 {
                kill(getpid(), SIGTERM)
            } else {
                await reload()
            }
        }
    }

    private func reload() async {
        do {
            let configuration = try await read()
            // First the step that can fail without side effects: files with the same names and new contents.
            _ = try certificates?.reload()
            let left = try live.replace(by: configuration)
            admission.update(configuration.admission.policy)
            appTables.update(configuration.tables.signer)
            recorder.limit(dayBytes: configuration.limits.dayBytes)
            Self.results["ok"]?.increment()
            Self.isLastGood.record(1)
            tell(configuration, left: left)
        } catch {
            Self.results["failed"]?.increment()
            Self.isLastGood.record(0)
            let reason =
                switch error {
                case let error as ServiceConfiguration.Invalid: error.message
                case let error as CountryDatabase.Failure: "geo.database: \(error)"
                case let error as CertificateFiles.Failure: error.description
                default: "\(error)"
                }
            logger.error("configuration not reloaded; the old one stays in effect", metadata: ["error": "\(reason)"])
        }
    }

    /// Logs the keys that changed, but never their values.
    private func tell(_ configuration: ServiceConfiguration, left: Set<String>) {
        var (taken, waiting): ([String], [String]) = ([], [])
        for (key, value) in configuration.effective where running[key] != value {
            if LiveConfiguration.isLive(key), !left.contains(key) {
                running[key] = value
                taken.append(key)
            } else {
                waiting.append(key)
            }
        }
        logger.notice("configuration reloaded", metadata: ["config_keys": .array(taken.map { "\($0)" })])
        guard !waiting.isEmpty else { return }
        logger.warning(
            "changed keys take effect after a restart",
            metadata: ["config_keys": .array(waiting.map { "\($0)" })]
        )
    }
}
