import Hummingbird
import NIOCore

/// `GET /metrics` of the ops port, in Prometheus' text format.
struct MetricsController {
    let metrics: MetricRegistry
    let readings: @Sendable () -> [MetricRegistry.Reading]

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/metrics") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exposition(readings())))
            )
        }
    }
}
