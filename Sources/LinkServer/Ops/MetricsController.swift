import Hummingbird
import NIOCore
import Synchronization

/// `GET /metrics` of the ops port, in Prometheus' text format.
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

/// Values that are read when `/metrics` is asked; what is opened adds its own.
package final class MetricReadings: Sendable {
    package typealias Source = @Sendable () -> [MetricRegistry.Reading]

    private let sources = Mutex<[Source]>([])

    package init() {}

    package func add(_ source: @escaping Source) { sources.withLock { $0.append(source) } }

    func all() -> [MetricRegistry.Reading] { sources.withLock { $0 }.flatMap { $0() } }
}
