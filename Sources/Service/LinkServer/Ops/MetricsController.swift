import Hummingbird
import NIOCore
import Synchronization

/// Serves `GET /metrics` of the ops port, in Prometheus' text format.
struct MetricsController {
    let metrics: MetricRegistry
    let readings: MetricReadings

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/metrics") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.exposition(readings.all())))
            )
        }
    }
}

/// Sources of values that are read whenever `/metrics` is requested; each component adds its own.
package final class MetricReadings: Sendable {
    package typealias Source = @Sendable () -> [MetricRegistry.Reading]

    private let sources = Mutex<[Source]>([])

    package init() {}

    /// Adds a source.
    package func add(_ source: @escaping Source) { sources.withLock { $0.append(source) } }

    func all() -> [MetricRegistry.Reading] { sources.withLock { $0 }.flatMap { $0() } }
}
