import HTTPTransport
import HTTPTypes
import LinkRouting
import Metrics
import Synchronization

/// Counts and times every request of a port, by the endpoint's pattern instead of its path and by known methods: no
/// text of a client becomes a label.
final class RequestMetrics: Sendable {
    private let port: PortRole
    private let metrics: MetricRegistry
    private let running: Meter
    /// Counts failures by tenant; nil for a port whose requests belong to no tenant.
    private let tenants: TenantMetrics?
    /// Created once for each endpoint: a lookup of a metric by its labels costs more than counting.
    private let handles = Mutex<[Endpoint: Handles]>([:])

    private struct Endpoint: Hashable {
        let route: String?
        let method: String
        let code: Int

        /// Hashes only the cheap parts; few endpoints share them.
        func hash(into hasher: inout Hasher) {
            hasher.combine(code)
            hasher.combine(route?.utf8.count)
        }
    }

    private struct Handles {
        let count: Counter
        let duration: Metrics.Timer
    }

    init(port: PortRole, metrics: MetricRegistry, tenants: TenantMetrics?) {
        self.port = port
        self.metrics = metrics
        self.tenants = tenants
        running = Meter(
            label: "fingerpost_http_inflight_requests",
            dimensions: [("port", port.rawValue)],
            factory: metrics
        )
    }

    func began() { running.increment() }

    func ended(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status, route: String?, after duration: Duration) {
        running.decrement()
        let handles = handles(of: Endpoint(route: route, method: Self.known(method), code: status.code))
        handles.count.increment()
        handles.duration.record(duration: duration)
    }

    /// Counts a response with a status of 500 or above for a tenant; nil if it was not known.
    func failed(_ tenant: TenantID?) {
        guard let tenants, let port = TenantMetrics.Port(rawValue: port.rawValue) else { return }
        tenants.countFailure(on: port, of: tenant ?? .none)
    }

    private func handles(of endpoint: Endpoint) -> Handles {
        handles.withLock { known in
            if let handles = known[endpoint] { return handles }
            let labels = [
                ("port", port.rawValue), ("route", endpoint.route ?? "none"),
                ("method", endpoint.method),
            ]
            let handles = Handles(
                count: Counter(
                    label: "fingerpost_http_requests_total",
                    dimensions: labels + [("code", "\(endpoint.code)")],
                    factory: metrics
                ),
                duration: Metrics.Timer(
                    label: "fingerpost_http_request_duration_seconds",
                    dimensions: labels,
                    factory: metrics
                )
            )
            known[endpoint] = handles
            return handles
        }
    }

    /// Returns a standard method's name; `_OTHER` for every other method.
    static func known(_ method: HTTPRequest.Method) -> String { methods.contains(method) ? method.rawValue : "_OTHER" }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
}
