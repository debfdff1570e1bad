import LinkEvents
import LinkRouting
import Synchronization

/// Replaces the event log: numbers the events and remembers the reports of apps. It keeps no event,
/// because the journal shows the requests.
///
/// The node of an event names its session. A report is a duplicate only of one of the same session.
final class ReportNumbers: EventStore {
    private struct Report: Hashable {
        let node: String
        let hash: Bytes16
    }

    private struct State {
        var sequence: Int64 = 0
        var reports: Set<Report> = []
        /// The same, oldest first.
        var order: [Report] = []
    }

    /// The maximum number of reports. Above it, the oldest half is dropped.
    private static let maximumReports = 100_000

    private let state = Mutex(State())

    func lastSequence() async throws -> Int64 { state.withLock(\.sequence) }

    func append(_ events: [Event]) async throws -> Appended {
        state.withLock { state in
            let first = state.sequence + 1
            var duplicates: [Int] = []
            for (index, event) in events.enumerated() {
                guard let hash = event.content.reportHash else {
                    state.sequence += 1
                    continue
                }
                let report = Report(node: event.content.fields.node, hash: hash)
                guard state.reports.insert(report).inserted else {
                    duplicates.append(index)
                    continue
                }
                state.order.append(report)
                state.sequence += 1
            }
            if state.order.count > Self.maximumReports {
                let forgotten = state.order.prefix(Self.maximumReports / 2)
                state.reports.subtract(forgotten)
                state.order.removeFirst(forgotten.count)
            }
            return Appended(first: first, duplicates: duplicates)
        }
    }

    func events(of tenant: TenantID, in range: ClosedRange<Int64>, limit: Int) async throws -> [StoredEvent] { [] }
}
