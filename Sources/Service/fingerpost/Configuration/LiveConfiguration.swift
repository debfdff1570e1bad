import LinkEvents
import LinkServer
import Networking
import Synchronization

/// The current values of the settings that can change while the service runs.
final class LiveConfiguration: Sendable {
    let log: LogSettings
    let limits: LiveLimits
    private let state: Mutex<State>

    private struct State {
        var configuration: ServiceConfiguration
        var countries: CountryDatabase?
    }

    /// Throws `CountryDatabase.Failure`.
    init(_ configuration: ServiceConfiguration, log: LogSettings) throws {
        self.log = log
        limits = LiveLimits(configuration.limits)
        state = Mutex(
            State(
                configuration: configuration,
                countries: try configuration.geoDatabase.map { try CountryDatabase($0) }
            )
        )
    }

    /// The seconds that a shutdown waits for load balancers, and the further seconds that it waits for clients.
    var shutdownSeconds: (drain: Int, grace: Int) {
        state.withLock { ($0.configuration.drainSeconds, $0.configuration.graceSeconds) }
    }

    var minimumFreeBytes: Int { state.withLock { $0.configuration.minimumFreeBytes } }
    var webhook: Webhook? { state.withLock { $0.configuration.exports.webhook } }
    var credentials: S3Credentials? { state.withLock { $0.configuration.exports.credentials } }

    /// Looks up an address's country. Nil if the service was started without a country file.
    var locate: (@Sendable (NetworkAddress) -> String?)? {
        guard state.withLock({ $0.countries }) != nil else { return nil }
        return { [self] address in state.withLock { $0.countries }?.country(of: address) }
    }

    /// Whether a change of the key takes effect immediately; other keys need a restart.
    static func isLive(_ key: String) -> Bool {
        liveKeys.contains(key) || liveGroups.contains { key.hasPrefix($0) }
    }

    private static let liveGroups = ["log.", "exports.webhook.", "tables.", "rateLimits.", "shutdown."]
    private static let liveKeys: Set = [
        "ops.minimumFreeBytes", "geo.database", "exports.s3.credentialsFile", "limits.bodyBytes", "limits.batchBytes",
        "limits.jsonDepth", "limits.tableBytes", "limits.dayBytes", "limits.tailSeconds", "proxies.header",
        "trustedProxies", "cors.origins",
    ]

    /// Replaces all live settings, or none if it throws. Returns the live keys that still need a restart, because the
    /// component for them was not started, or cannot be stopped separately. Throws `CountryDatabase.Failure`.
    func replace(by configuration: ServiceConfiguration) throws -> Set<String> {
        let countries = try configuration.geoDatabase.map { try CountryDatabase($0) }
        let left = state.withLock { state in
            var left: Set<String> = []
            if (state.configuration.exports.webhook == nil) != (configuration.exports.webhook == nil) {
                left.insert("exports.webhook.url")
            }
            if (state.countries == nil) != (countries == nil) {
                left.insert("geo.database")
            } else {
                state.countries = countries
            }
            state.configuration = configuration
            return left
        }
        limits.replace(by: configuration.limits)
        log.replace(by: configuration.log.values)
        return left
    }
}
