import HTTPTypes
import Hummingbird
import Metrics
import Synchronization

/// Counts and times every request of a port, by the endpoint's pattern and not its path, and by methods that are known:
/// nothing that a client writes becomes a label.
struct MetricsMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private let port: PortRole
    private let metrics: MetricRegistry
    private let running: Meter
    /// Made once each: finding a metric by its labels costs more than counting.
    private let known = Known()

    private final class Known: Sendable {
        let handles = Mutex<[Endpoint: Handles]>([:])
    }

    private struct Endpoint: Hashable {
        let route: String?
        let method: String
        let code: Int
    }

    private struct Handles {
        let count: Counter
        let duration: Metrics.Timer
    }

    init(port: PortRole, metrics: MetricRegistry) {
        self.port = port
        self.metrics = metrics
        running = Meter(
            label: "fingerpost_http_inflight_requests",
            dimensions: [("port", port.rawValue)],
            factory: metrics
        )
    }

    func handle(
        _ request: Request,
        context: ServerRequestContext,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        running.increment()
        defer { running.decrement() }
        let response = try await next(request, context)
        let endpoint = Endpoint(
            route: context.endpointPath,
            method: Self.known(request.method),
            code: response.status.code
        )
        let handles = handles(of: endpoint)
        handles.count.increment()
        handles.duration.record(duration: ContinuousClock.now - start)
        return response
    }

    private func handles(of endpoint: Endpoint) -> Handles {
        known.handles.withLock { known in
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

    /// A method that HTTP has, else `_OTHER`.
    static func known(_ method: HTTPRequest.Method) -> String { methods.contains(method) ? method.rawValue : "_OTHER" }

    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
}
