import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkRouting

/// Serves `/livez`, `/startupz` and `/readyz` of the ops port.
struct HealthController {
    let health: Health

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        // Responding is sufficient for liveness: a restart does not help against a full or slow disk.
        router.get("/livez") { _, _ in Response(json: Array(#"{"status":"alive"}"#.utf8)) }
        router.get("/startupz") { _, _ in startup() }
        router.get("/readyz") { request, _ in readiness(isVerbose: request.uri.queryParameters["verbose"] != nil) }
    }

    private func startup() -> Response {
        guard let step = health.step else { return Response(json: Array(#"{"status":"started"}"#.utf8)) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", "starting")
        writer.member("step", step)
        writer.endObject()
        return Response(status: .serviceUnavailable, json: writer.finish())
    }

    private func readiness(isVerbose: Bool) -> Response {
        let readiness = health.readiness
        var writer = JSONWriter()
        writer.beginObject()
        let (failing, degraded) = (readiness.failing, readiness.degraded)
        writer.member("status", !failing.isEmpty ? "not ready" : degraded.isEmpty ? "ready" : "degraded")
        for (key, names) in [("failing", failing), ("degraded", degraded)] where !names.isEmpty {
            writer.key(escaping: key)
            writer.beginArray()
            for name in names { writer.string(name) }
            writer.endArray()
        }
        if isVerbose {
            writer.key("checks")
            writer.beginArray()
            for item in readiness.items { write(item, to: &writer) }
            writer.endArray()
        }
        writer.endObject()
        return Response(status: readiness.isReady ? .ok : .serviceUnavailable, json: writer.finish())
    }

    private func write(_ item: Health.Readiness.Item, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", item.name)
        switch item.finding {
        case .good(let detail):
            writer.member("ok", true)
            writer.member("detail", detail)
        case .degraded(let detail), .bad(let detail):
            writer.member("ok", false)
            writer.member("detail", detail)
        }
        writer.endObject()
    }
}
