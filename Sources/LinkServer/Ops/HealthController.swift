import Hummingbird
import LinkRouting
import NIOCore
import Synchronization

/// `/livez` and `/readyz` of the ops port.
struct HealthController {
    let readiness: Readiness

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/livez") { _, _ in Response(json: Array(#"{"status":"alive"}"#.utf8)) }
        router.get("/readyz") { _, _ in
            readiness.isReady
                ? Response(json: Array(#"{"status":"ready"}"#.utf8))
                : Response(status: .serviceUnavailable, json: Array(#"{"status":"not ready"}"#.utf8))
        }
    }
}

/// Whether requests may be sent here: from when everything has started until the shutdown begins.
package final class Readiness: Sendable {
    private let flag = Atomic(false)
    package init() {}
    package var isReady: Bool { flag.load(ordering: .acquiring) }
    package func set(_ isReady: Bool) { flag.store(isReady, ordering: .releasing) }
}
