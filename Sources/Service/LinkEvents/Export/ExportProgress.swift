package import LinkRouting
import Synchronization

/// The progress of the exports of each tenant, for metrics. A process that starts reads it from the ledger.
package final class ExportProgress: Sendable {
    package struct Entry: Sendable, Hashable {
        /// Scheduled exports that failed since the process started.
        package var failures: Int64 = 0
        /// When a window was last exported; nil if none ever was.
        package var lastSuccess: Timestamp?
        /// The end of the earliest window that is not exported yet: in the future if no export is late. Nil without a
        /// schedule, and until the first run of a schedule.
        package var due: Timestamp?

        package init(failures: Int64 = 0, lastSuccess: Timestamp? = nil, due: Timestamp? = nil) {
            self.failures = failures
            self.lastSuccess = lastSuccess
            self.due = due
        }
    }

    private let entries = Mutex<[TenantID: Entry]>([:])

    package init() {}

    package var current: [TenantID: Entry] { entries.withLock { $0 } }

    func recall(_ exports: [TenantID: Timestamp]) {
        entries.withLock { entries in
            for (tenant, instant) in exports { entries[tenant, default: Entry()].lastSuccess = instant }
        }
    }

    func exported(_ tenant: TenantID, at instant: Timestamp) {
        entries.withLock { $0[tenant, default: Entry()].lastSuccess = instant }
    }

    func failed(_ tenant: TenantID) { entries.withLock { $0[tenant, default: Entry()].failures += 1 } }

    func set(due: Timestamp?, of tenant: TenantID) { entries.withLock { $0[tenant, default: Entry()].due = due } }
}
