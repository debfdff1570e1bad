import HTTPTransport
import LinkCatalog
import LinkEvents
import LinkRouting
import Synchronization

/// Fields of a request's access log line that are found while it is handled: ids and codes, nothing that the caller
/// wrote.
final class AccessLogFields: Sendable {
    struct Found {
        var tenant: TenantID?
        var route: RouteID?
        var revision: Revision?
        var outcome: Outcome?
        var problem: Problem.Code?
    }

    private let known = Mutex(Found())

    var found: Found { known.withLock { $0 } }

    func note(_ event: Event.Fields) {
        known.withLock { known in
            known.tenant = event.tenant
            known.route = event.route
            known.revision = event.revision
            known.outcome = event.outcome
        }
    }

    func note(_ tenant: TenantID) { known.withLock { $0.tenant = tenant } }
    func note(_ problem: Problem.Code) { known.withLock { $0.problem = problem } }
}
