package import LinkEvents
import LinkRouting

extension EventRecorder {
    /// Metrics of the bytes of the day. Of the tenants without their own value of the label `tenant`, the one with the
    /// most bytes counts.
    package func readings(by tenants: TenantMetrics) -> [MetricRegistry.Reading] {
        let dayBytes = dayBytes
        let merged = Dictionary(
            dayBytes.recorded.map { (tenants.label(of: $0.key), $0.value) },
            uniquingKeysWith: max
        )
        return [.gauge("fingerpost_day_bytes_limit", Double(dayBytes.limit))]
            + merged.sorted { $0.key < $1.key }.map {
                .gauge("fingerpost_day_bytes", Double($0.value), [("tenant", $0.key)])
            }
    }
}
