package import LinkCatalog
package import LinkEvents
import LinkRouting

extension ExportProgress {
    /// Metrics of the catalog's tenants. Tenants without their own value of the label `tenant` are merged: their
    /// failures are added, and the oldest export and the earliest due window of them count.
    package func readings(of catalog: Catalog, by tenants: TenantMetrics) -> [MetricRegistry.Reading] {
        let current = current
        var merged: [String: Entry] = [:]
        for tenant in Set(catalog.tables.map(\.tenant)) {
            let entry = current[tenant] ?? Entry()
            merged[tenants.label(of: tenant)] = merged[tenants.label(of: tenant)]?.merged(with: entry) ?? entry
        }
        let entries = merged.sorted { $0.key < $1.key }.map { (labels: [("tenant", $0.key)], entry: $0.value) }
        return entries.map { .counter("fingerpost_export_failures_total", Double($0.entry.failures), $0.labels) }
            + entries.compactMap { labels, entry in
                entry.lastSuccess.map {
                    .gauge("fingerpost_export_last_success_timestamp_seconds", $0.wholeSeconds, labels)
                }
            }
            + entries.compactMap { labels, entry in
                entry.due.map { .gauge("fingerpost_export_due_timestamp_seconds", $0.wholeSeconds, labels) }
            }
    }
}

extension ExportProgress.Entry {
    fileprivate func merged(with other: Self) -> Self {
        Self(
            failures: failures + other.failures,
            lastSuccess: [lastSuccess, other.lastSuccess].compactMap(\.self).min(),
            due: [due, other.due].compactMap(\.self).min()
        )
    }
}

extension Timestamp {
    fileprivate var wholeSeconds: Double { Double(milliseconds / 1_000) }
}
