import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import Logging
import Networking

/// Writes the access log line of a response, if the settings ask for one: the endpoint's pattern instead of the path,
/// ids and codes, but no address, query, header or body.
struct RequestLog: Sendable {
    private let port: PortRole
    private let settings: LogSettings
    private let logger: Logger

    init(port: PortRole, settings: LogSettings, logger: Logger) {
        self.port = port
        self.settings = settings
        self.logger = logger
    }

    /// - Parameter instant: The current time, on the clock of the request's arrival.
    func note(
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status,
        _ scope: RequestScope,
        route: String?,
        at instant: ContinuousClock.Instant
    ) {
        let isFailure = status.code >= 500
        let level: Logger.Level = isFailure ? .warning : .info
        guard level >= logger.logLevel, isWanted(isFailure: isFailure, at: instant) else { return }
        let found = scope.logFields.found
        var metadata: Logger.Metadata = [
            "event": "request", "port": "\(port.rawValue)", "method": "\(RequestMetrics.known(method))",
            "route": "\(route ?? "none")", "status": .stringConvertible(status.code),
            "request_id": "\(scope.requestID)",
        ]
        if let arrival = scope.arrival {
            metadata["dur_ms"] = .stringConvertible(Double((instant - arrival).microseconds) / 1_000)
        }
        if let tenant = found.tenant { metadata["tenant"] = "\(tenant)" }
        if let route = found.route { metadata["route_id"] = "\(route)" }
        if let revision = found.revision { metadata["revision"] = .stringConvertible(revision.rawValue) }
        if let outcome = found.outcome { metadata["outcome"] = "\(outcome.rawValue)" }
        if let problem = found.problem { metadata["code"] = "\(problem.rawValue)" }
        TraceContext.$current.withValue(scope.trace) { logger.log(level: level, "request", metadata: metadata) }
    }

    private func isWanted(isFailure: Bool, at instant: ContinuousClock.Instant) -> Bool {
        // Probes and scrapes come constantly, and a start that is not ready yet is not a failure.
        if port == .ops, settings.requests != .all { return false }
        return switch settings.requests {
        case .off: false
        case .errors: isFailure && settings.failures.take(at: instant)
        case .sampled: isFailure ? settings.failures.take(at: instant) : settings.successes.take(at: instant)
        case .all: true
        }
    }
}
