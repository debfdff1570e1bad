import Foundation
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import LinkStorage

/// The metrics that `/metrics` reads at scrape time: process, disk and files.
struct ProcessReadings: Sendable {
    let directory: String
    let version: String
    let sqlite: String
    private let started = Date().timeIntervalSince1970

    init(directory: String, version: String, sqlite: String) {
        self.directory = directory
        self.version = version
        self.sqlite = sqlite
    }

    func readings() -> [MetricRegistry.Reading] {
        var readings: [MetricRegistry.Reading] = [
            .gauge("fingerpost_build_info", 1, [("version", version), ("sqlite", sqlite)]),
            .gauge("fingerpost_sqlite_wal_bytes", fileSize("catalog.db-wal"), [("db", "catalog")]),
            .gauge("fingerpost_sqlite_wal_bytes", fileSize("links.db-wal"), [("db", "links")]),
            .gauge("fingerpost_sqlite_wal_bytes", fileSize("events/ledger.db-wal"), [("db", "ledger")]),
            .gauge("fingerpost_sqlite_wal_bytes", dayFiles(ending: "-wal"), [("db", "events")]),
            .gauge("fingerpost_log_bytes", dayFiles(ending: ".db")),
            .gauge("process_start_time_seconds", started),
        ]
        if let disk = DiskSpace(of: directory) {
            readings.append(.gauge("fingerpost_disk_free_bytes", disk.freeBytes))
            readings.append(.gauge("fingerpost_disk_size_bytes", disk.sizeBytes))
        }
        var descriptors = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
            readings.append(.gauge("process_max_fds", Double(descriptors.rlim_cur)))
        }
        readings.append(.counter("process_cpu_seconds_total", Double(ProcessorTime.process) / 1e9))
        // These are available on Linux only.
        if let resident = residentBytes() { readings.append(.gauge("process_resident_memory_bytes", resident)) }
        if let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            readings.append(.gauge("process_open_fds", Double(descriptors)))
        }
        return readings
    }

    /// Metrics of the recorder.
    static func readings(of recorder: EventRecorder) -> [MetricRegistry.Reading] {
        let counts = recorder.counts
        return [
            .counter("fingerpost_events_received_total", Double(counts.received)),
            .gauge("fingerpost_events_waiting", Double(counts.waiting)),
            .gauge("fingerpost_event_tails", Double(recorder.commits.listenerCount)),
        ]
    }

    /// Metrics of checks, publications and similar work.
    static func readings(of queues: [WorkQueue]) -> [MetricRegistry.Reading] {
        let counts = queues.map(\.counts)
        func sum<Number: BinaryInteger>(_ count: (WorkCounts) -> Number) -> Double {
            Double(counts.reduce(0) { $0 + count($1) })
        }
        return [
            .gauge("fingerpost_work_running", sum(\.running)),
            .gauge("fingerpost_work_waiting", sum(\.waiting)),
            .counter("fingerpost_work_done_total", sum(\.done)),
            .counter("fingerpost_work_refused_total", sum(\.refused)),
            .counter("fingerpost_work_cancelled_total", sum(\.cancelled)),
        ]
    }

    static func readings(of log: EventLog) -> [MetricRegistry.Reading] {
        [.gauge("fingerpost_log_damaged_days", Double(log.damagedDays.count))]
    }

    static func readings(of directory: DataDirectory) -> [MetricRegistry.Reading] {
        guard let last = directory.lastBackup else { return [] }
        return [.gauge("fingerpost_backup_last_success_timestamp_seconds", Double(last.milliseconds / 1_000))]
    }

    /// Metrics of live tables. Limited to the first 100 tables, so that a server with many tenants does not write
    /// thousands of lines.
    static func readings(of catalog: Catalog) -> [MetricRegistry.Reading] {
        [.gauge("fingerpost_tables_unreadable", Double(catalog.unreadable.count))]
            + catalog.unreadable.prefix(20).map {
                .gauge(
                    "fingerpost_table_unreadable",
                    1,
                    [("tenant", $0.tenant.rawValue), ("environment", $0.environment.rawValue)]
                )
            }
            + catalog.tables.prefix(100).compactMap { table in
                guard let revision = table.revision else { return nil }
                return .gauge(
                    "fingerpost_route_table_revision",
                    Double(revision.rawValue),
                    [("tenant", table.tenant.rawValue), ("environment", table.environment.rawValue)]
                )
            }
    }

    private func fileSize(_ name: String) -> Double {
        let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
        return (attributes?[.size] as? NSNumber)?.doubleValue ?? 0
    }

    private func dayFiles(ending: String) -> Double {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/events")) ?? []
        return names.filter { $0.hasSuffix(ending) && !$0.hasPrefix("ledger") }.reduce(0) {
            $0 + fileSize("events/" + $1)
        }
    }

    private func residentBytes() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
