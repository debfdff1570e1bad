package import HTTPTransport

extension UnsentResponses {
    /// Metrics of the bytes that wait, by port.
    package var readings: [MetricRegistry.Reading] {
        let (ports, largest) = waiting
        let totals = [PortRole.admin, .ops, .public].map { port in
            MetricRegistry.Reading.gauge(
                "fingerpost_unsent_bytes",
                Double(ports[port] ?? 0),
                [("port", port.rawValue)]
            )
        }
        return totals + [
            .gauge("fingerpost_unsent_bytes_largest", Double(largest)),
            .gauge("fingerpost_unsent_bytes_limit", Double(limit)),
        ]
    }
}
