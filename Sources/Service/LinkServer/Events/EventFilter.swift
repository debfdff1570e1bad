import HTTPTransport
import Hummingbird
import LinkEvents
import LinkRouting

/// Selects a tenant's events: those of one environment that match the query.
struct EventFilter {
    let environment: EnvironmentID
    let from: Timestamp?
    let until: Timestamp?
    /// Nil for all purposes: unlike counts, events state their own.
    let purposes: Set<Event.Purpose>?
    let outcome: Outcome?
    let route: String?

    init(_ request: Request, in environment: EnvironmentID) throws {
        self.environment = environment
        from = try request.instant("from")
        until = try request.instant("until")
        if let from, let until, from >= until {
            throw Problem(.invalidRequest, "'from' must be before 'until': \(from) is not before \(until).")
        }
        purposes = try request.purposes()
        outcome = try request.outcome()
        route = request.parameter("route")
    }

    func holds(_ event: Event) -> Bool {
        guard event.environment == environment, purposes?.contains(event.purpose) ?? true else { return false }
        guard outcome.map({ $0 == event.outcome }) ?? true, route.map({ $0 == event.route?.rawValue }) ?? true else {
            return false
        }
        return (from.map { $0 <= event.recordedAt } ?? true) && (until.map { event.recordedAt < $0 } ?? true)
    }
}
