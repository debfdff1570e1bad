import CoreMetrics
import HTTPTypes
import LinkServer
import Testing

struct MetricRegistryTests {
    @Test func countersGaugesAndHistogramsAreWritten() {
        let metrics = MetricRegistry()
        metrics.makeCounter(label: "b_total", dimensions: [("code", "200"), ("a", "x\"\\\n")]).increment(by: 2)
        metrics.makeCounter(label: "b_total", dimensions: [("a", "x\"\\\n"), ("code", "200")]).increment(by: 1)
        metrics.makeMeter(label: "a_bytes", dimensions: []).set(1.5)
        metrics.makeRecorder(label: "c_days", dimensions: [], aggregate: false).record(Int64(3))
        #expect(
            metrics.exposition([.gauge("d", 1, [("x", "1")]), .gauge("d", 2, [("x", "2")]), .gauge("a_bytes", 9)])
                == """
                # TYPE a_bytes gauge
                a_bytes 1.5
                # TYPE b_total counter
                b_total{a="x\\"\\\\\\n",code="200"} 3
                # TYPE c_days gauge
                c_days 3
                # TYPE d gauge
                d{x="1"} 1
                d{x="2"} 2
                # HELP fingerpost_metrics_dropped_series_total Series dropped because their metric has too many.
                # TYPE fingerpost_metrics_dropped_series_total counter
                fingerpost_metrics_dropped_series_total 0

                """
        )
    }

    @Test func timerIsAHistogramOfSeconds() {
        let metrics = MetricRegistry()
        let timer = metrics.makeTimer(label: "t_seconds", dimensions: [("route", "/resolve")])
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(3_000_000)
        timer.recordNanoseconds(60_000_000_000)
        let lines = metrics.exposition().split(separator: "\n").map(String.init)
        #expect(lines.contains(#"t_seconds_bucket{route="/resolve",le="0.0005"} 0"#))
        #expect(lines.contains(#"t_seconds_bucket{route="/resolve",le="0.001"} 1"#))
        #expect(lines.contains(#"t_seconds_bucket{route="/resolve",le="0.005"} 2"#))
        #expect(lines.contains(#"t_seconds_bucket{route="/resolve",le="10"} 2"#))
        #expect(lines.contains(#"t_seconds_bucket{route="/resolve",le="+Inf"} 3"#))
        #expect(lines.contains(#"t_seconds_count{route="/resolve"} 3"#))
        #expect(lines.contains(#"t_seconds_sum{route="/resolve"} 60.004"#))
    }

    /// Whatever the label values, a metric family is bounded, and dropped series are counted.
    @Test func familyIsBounded() {
        let metrics = MetricRegistry()
        for number in 0..<(MetricRegistry.mostSeries + 5) {
            metrics.makeCounter(label: "x_total", dimensions: [("n", "\(number)")]).increment(by: 1)
        }
        let text = metrics.exposition()
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("x_total{") }.count == MetricRegistry.mostSeries)
        #expect(text.contains("fingerpost_metrics_dropped_series_total 5\n"))
    }

    /// A metric name keeps its first type.
    @Test func metricKeepsItsFirstType() {
        let metrics = MetricRegistry()
        metrics.makeCounter(label: "x_total", dimensions: []).increment(by: 1)
        metrics.makeMeter(label: "x_total", dimensions: []).set(Int64(7))
        #expect(metrics.exposition().hasPrefix("# TYPE x_total counter\nx_total 1\n"))
    }
}

@Suite(.timeLimit(.minutes(15)))
struct MetricsEndpointTests {
    @Test func requestsAreCountedByEndpointAndNotByWhatClientsWrite() async throws {
        try await withService { service in
            _ = try await service.resolve(#"{"url": "yourapp://product/1"}"#)
            _ = try await service.resolve(#"{"url": "yourapp://product/2"}"#)
            _ = try await service.resolve("{")
            _ = try await service.adminPort(.get, "/admin/v1/nothing/\(UInt64.random(in: 0 ... .max))", key: "none")
            let lines = service.dependencies.metrics.exposition().split(separator: "\n").map(String.init)
            let resolve = #"port="public",route="/resolve"}"#
            #expect(lines.contains(##"fingerpost_http_requests_total{code="200",method="POST",\##(resolve) 2"##))
            #expect(lines.contains(##"fingerpost_http_requests_total{code="400",method="POST",\##(resolve) 1"##))
            #expect(lines.contains(##"fingerpost_http_request_duration_seconds_count{method="POST",\##(resolve) 3"##))
            #expect(lines.contains(#"fingerpost_http_inflight_requests{port="public"} 0"#))
            #expect(!lines.contains { $0.contains("nothing") })
        }
    }
}
