import CoreMetrics
import LinkEvents
import LinkRouting
import LinkTable
import Logging
import Metrics
import Synchronization

/// Counts whether apps decide as the server does, and logs disagreements.
///
/// Callers choose the engine's version, so the metric only says whether it is older or newer than the server's own.
/// Analytics count by the exact version.
final class AgreementCounts: Sendable {
    private let counters: [Engine: [Event.Agreement: Counter]]
    private let logger: Logger
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let unlogged = Mutex(Unlogged())

    private enum Engine: String, CaseIterable {
        case older, same, newer
    }

    private struct Unlogged {
        var last: ContinuousClock.Instant?
        var count = 0
    }

    private static let own = Version(TableFormat.engineVersion)

    init(metrics: any MetricsFactory, logger: Logger, uptime: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.logger = logger
        self.uptime = uptime
        counters = Dictionary(
            uniqueKeysWithValues: Engine.allCases.map { engine in
                let own = Event.Agreement.allCases.map { agreement in
                    let labels = [("engine", engine.rawValue), ("agreement", agreement.rawValue)]
                    return (
                        agreement,
                        Counter(label: "fingerpost_app_events_total", dimensions: labels, factory: metrics)
                    )
                }
                return (engine, Dictionary(uniqueKeysWithValues: own))
            }
        )
    }

    /// Counts a stored event of an app.
    func count(_ event: Event.Fields) {
        guard let agreement = event.agreement else { return }
        counters[engine(of: event)]?[agreement]?.increment()
        if agreement == .different { log(event) }
    }

    private func engine(of event: Event.Fields) -> Engine {
        guard let version = event.engineVersion.flatMap({ Version($0) }), let own = Self.own, version != own else {
            return .same
        }
        return version < own ? .older : .newer
    }

    /// Logs at most one disagreement a minute, with the number of those since the last line.
    private func log(_ event: Event.Fields) {
        let now = uptime()
        let count: Int? = unlogged.withLock { unlogged in
            unlogged.count += 1
            if let last = unlogged.last, now - last < .seconds(60) { return nil }
            defer { unlogged = Unlogged(last: now) }
            return unlogged.count
        }
        guard let count else { return }
        logger.notice(
            "an app decided differently from the server",
            metadata: [
                "tenant": "\(event.tenant)", "engine.version": "\(event.engineVersion ?? "-")",
                "revision": "\(event.revision?.rawValue ?? 0)", "event": "\(event.id)", "count": "\(count)",
            ]
        )
    }
}
