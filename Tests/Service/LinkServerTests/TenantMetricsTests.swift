import HTTPTypes
import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import Testing

@Suite(.timeLimit(.minutes(15)))
struct TenantMetricsTests {
    private func catalog(_ tenants: [String]) throws -> Catalog {
        let settings = try Settings(DocumentField(.object([:]), path: "settings"))
        return Catalog(
            try tenants.map { name in
                PublishedTable(
                    tenant: try #require(TenantID(name)),
                    environment: .production,
                    revision: nil,
                    settingsRevision: 1,
                    settings: settings,
                    table: RouteTable()
                )
            }
        )
    }

    @Test func onlyTheFirstHundredTenantsOfTheCatalogHaveTheirOwnSeries() throws {
        let registry = MetricRegistry()
        let metrics = TenantMetrics(metrics: registry)
        metrics.add(tenantsOf: try catalog(["other", "new"] + (1..<150).map { "tenant\($0)" }))
        metrics.add(tenantsOf: try catalog(["later"]))
        for name in ["new", "tenant99", "tenant100", "later", "invented", "other"] {
            metrics.count(.matched, of: try #require(TenantID(name)))
            metrics.countFailure(on: .public, of: try #require(TenantID(name)))
        }
        metrics.count(.unmatched, of: .none)
        let lines = registry.exposition().split(separator: "\n").map(String.init)
        let expected: KeyValuePairs = ["new": 1, "tenant99": 1, "other": 4]
        for (tenant, count) in expected {
            #expect(lines.contains(#"fingerpost_resolutions_total{outcome="matched",tenant="\#(tenant)"} \#(count)"#))
            #expect(
                lines.contains(#"fingerpost_http_server_errors_total{port="public",tenant="\#(tenant)"} \#(count)"#)
            )
        }
        #expect(lines.contains(#"fingerpost_resolutions_total{outcome="unmatched",tenant="-"} 1"#))
        for (name, series) in [("resolutions", 4), ("association_requests", 6), ("http_server_errors", 2)] {
            #expect(lines.filter { $0.hasPrefix("fingerpost_\(name)_total{") }.count == 102 * series)
        }
        #expect(lines.contains("fingerpost_metrics_dropped_series_total 0"))
    }

    @Test func answersAreCountedByTenant() async throws {
        try await withService { service in
            _ = try await service.resolve(#"{"links":["yourapp://product/1","https://nobody.example/"]}"#)
            let path = "/.well-known/apple-app-site-association"
            for host in ["farechoice.taxi", "nobody.example"] {
                _ = try await service.publicPort(.get, path, host: host)
            }
            let lines = service.dependencies.metrics.exposition().split(separator: "\n").map(String.init)
            for line in [
                #"fingerpost_resolutions_total{outcome="matched",tenant="shop"} 1"#,
                #"fingerpost_resolutions_total{outcome="unmatched",tenant="-"} 1"#,
                #"fingerpost_resolutions_total{outcome="matched",tenant="taxi"} 0"#,
                #"fingerpost_association_requests_total{file="apple",result="served",tenant="taxi"} 1"#,
                #"fingerpost_association_requests_total{file="apple",result="served",tenant="-"} 0"#,
                #"fingerpost_http_server_errors_total{port="public",tenant="shop"} 0"#,
            ] { #expect(lines.contains(line), "\(line)") }
            #expect(!lines.contains { $0.contains("nobody") })
        }
    }

    @Test func failedAnswersAreCountedForTheirTenant() async throws {
        try await withService(failing: { _ in .full }) { service in
            try await service.load(RecorderRefusalTests.strict)
            #expect(try await service.resolve(#"{"url":"strict:"}"#).status == 503)
            #expect(try await service.publicPort(.get, "/", host: "go.strict.example").status == 503)
            #expect(try await service.resolve(#"{"url":"yourapp://home"}"#).status == 200)
            let lines = service.dependencies.metrics.exposition().split(separator: "\n").map(String.init)
            #expect(lines.contains(#"fingerpost_http_server_errors_total{port="public",tenant="strict"} 2"#))
            #expect(lines.contains(#"fingerpost_http_server_errors_total{port="public",tenant="shop"} 0"#))
        }
    }

    /// Every tenant of the catalog has a series, and only tenants that exported have a time.
    @Test func exportsAreReadByTenant() async throws {
        try await withService { service in
            let shop = try #require(TenantID("shop"))
            let plan = ExportPlan(tenant: shop, schedule: nil, format: .ndjson, level: 6)
            _ = try await service.dependencies.exporter.exportNow(plan)
            let readings = service.dependencies.exporter.progress.readings(
                of: service.dependencies.linkResolver.catalog.current,
                by: service.dependencies.linkResolver.tenants
            )
            let lines = MetricRegistry().exposition(readings).split(separator: "\n").map(String.init)
            #expect(lines.contains(#"fingerpost_export_failures_total{tenant="taxi"} 0"#))
            let seconds = service.clock.now.milliseconds / 1_000
            #expect(
                lines.filter { $0.hasPrefix("fingerpost_export_last_success_timestamp_seconds{") }
                    == [#"fingerpost_export_last_success_timestamp_seconds{tenant="shop"} \#(seconds)"#]
            )
        }
    }
}
