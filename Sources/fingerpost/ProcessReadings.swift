import Foundation
import LinkEvents
import LinkServer

/// What `/metrics` reads when it is asked: the process, the disk, the files, and what became of the events.
struct ProcessReadings: Sendable {
    let directory: String
    let recorder: EventRecorder
    let version: String
    let sqlite: String
    private let started = Date().timeIntervalSince1970

    init(directory: String, recorder: EventRecorder, version: String, sqlite: String) {
        self.directory = directory
        self.recorder = recorder
        self.version = version
        self.sqlite = sqlite
    }

    func readings() -> [MetricRegistry.Reading] {
        let counts = recorder.counts
        var readings: [MetricRegistry.Reading] = [
            .gauge("fingerpost_build_info", 1, [("version", version), ("sqlite", sqlite)]),
            .counter("fingerpost_events_received_total", Double(counts.received)),
            .gauge("fingerpost_events_waiting", Double(counts.waiting)),
            .gauge("fingerpost_event_tails", Double(recorder.commits.listenerCount)),
            .gauge("fingerpost_sqlite_wal_bytes", fileSize("catalog.db-wal"), [("db", "catalog")]),
            .gauge("fingerpost_sqlite_wal_bytes", fileSize("events/ledger.db-wal"), [("db", "ledger")]),
            .gauge("fingerpost_sqlite_wal_bytes", dayFiles(ending: "-wal"), [("db", "events")]),
            .gauge("fingerpost_log_bytes", dayFiles(ending: ".db")),
            .gauge("process_start_time_seconds", started),
        ]
        var disk = statvfs()
        if statvfs(directory, &disk) == 0 {
            readings.append(.gauge("fingerpost_disk_free_bytes", Double(disk.f_bavail) * Double(disk.f_frsize)))
        }
        var spent = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0 {
            readings.append(.counter("process_cpu_seconds_total", Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9))
        }
        // Linux alone tells these so.
        if let resident = residentBytes() { readings.append(.gauge("process_resident_memory_bytes", resident)) }
        if let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            readings.append(.gauge("process_open_fds", Double(descriptors)))
        }
        return readings
    }

    private func fileSize(_ name: String) -> Double {
        var status = stat()
        return stat(directory + "/" + name, &status) == 0 ? Double(status.st_size) : 0
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
