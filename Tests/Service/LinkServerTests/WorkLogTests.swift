import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// The lines about publications and exports.
@Suite(.timeLimit(.minutes(15)))
struct WorkLogTests {
    @Test func publicationsByAnyEndpointAreLoggedOnce() async throws {
        let log = WrittenLog(.init(requests: .off))
        try await withService(logger: log.logger) { service in
            let key = try service.makeKey()
            let revisions = "/admin/v1/tenants/shop/revisions"
            let message = #"{"message":"secret-message"}"#
            let table =
                #"{"removeOthers":true,"table":{"routes":[{"id":"only","path":"/only","open":{"screen":"Only"}}]}}"#
            let applied = try await service.adminPort(.post, "/admin/v1/tenants/shop/apply", key: key, body: table)
            #expect(applied.status == 201, "\(applied.text)")
            #expect(try await service.adminPort(.post, "\(revisions)/1/rollback", key: key, body: message).status < 300)
            // This one is live already.
            #expect(try await service.adminPort(.post, "\(revisions)/1/rollback", key: key, body: message).status < 300)
            #expect(try await service.adminPort(.post, "\(revisions)/77/rollback", key: key, body: "{}").status == 404)
        }
        let lines = try log.objects().filter { $0["msg"]?.text == "revision published" }
        #expect(lines.count == 2)
        let (file, rollback) = (try #require(lines.first), try #require(lines.last))
        for line in [rollback, file] {
            let texts = ["level", "tenant", "environment", "actor"].map { line[$0]?.text }
            #expect(texts == ["info", "shop", "production", "test"])
            #expect(line["actor_id"]?.text?.isEmpty == false && line["request_id"]?.text?.isEmpty == false)
        }
        #expect(rollback["revision"]?.int == 3 && rollback["origin"]?.text == "rollback")
        #expect(file["revision"]?.int == 2 && file["origin"]?.text == "draft" && file["routes"]?.int == 1)
        #expect(log.lines.allSatisfy { !$0.contains("secret-message") })
    }

    @Test func exportedWindowIsLogged() async throws {
        let log = WrittenLog(.init(requests: .off))
        try await withService(logger: log.logger) { service in
            _ = try await service.resolve(#"{"url":"yourapp://product/123"}"#)
            let plan = ExportPlan(tenant: tenant("shop"), schedule: nil, format: .ndjson, level: 6)
            _ = try await service.dependencies.exporter.exportNow(plan)
        }
        let lines = try log.objects().filter { $0["msg"]?.text == "window exported" }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line["level"]?.text == "info" && line["tenant"]?.text == "shop")
        #expect(line["export_rows"]?.int == 1)
        #expect(try #require(line["export_bytes"]?.int) > 0)
        #expect(line["dur_ms"] != nil && line["window_start"]?.text != nil && line["window_end"]?.text != nil)
        #expect(line["export_path"]?.text?.hasPrefix("tenant=shop/") == true)
    }
}
