import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkServer
import TestSupport
import Testing

/// Publications name the apps in use that would not understand the table.
@Suite(.timeLimit(.minutes(15)))
struct OldClientTests {
    private func findings(_ service: TestService, _ settings: String = "") async throws -> [Finding] {
        let document = try TenantDocument(AppEventTests.acme(settings))
        let location = PublishingService.DraftLocation(tenant("acme"), .production)
        let plan = try await service.dependencies.publishing.plan(
            PublishingService.PlanRequest(table: document.table, settings: document.settings),
            at: location
        )
        return plan.findings.filter { $0.code == .oldClient }
    }

    @Test func appInUseWithAnUnknownEngineIsNamed() async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            #expect(try await findings(service) == [])
            for version in ["0.9", "1.0"] {
                let body = AppEventTests.batch(AppEventTests.event("e\(version)")).replacing(
                    #""engineVersion": "1.0""#,
                    with: #""engineVersion": "\#(version)""#
                )
                #expect(try await service.publicPort(.post, "/_fp/events", body: body).status == 200)
            }
            let found = try await findings(service)
            #expect(found.map(\.severity) == [.warning])
            #expect(found.first?.message.contains("app ios 3.2.0 (engine 0.9, 1 events)") == true, "\(found)")
        }
    }

    @Test(arguments: [("0.9", true), ("1.0", false), ("2.0", false)])
    func tableThatTheOldestAppCannotReadIsNotPublished(version: String, isRefused: Bool) async throws {
        try await withService { service in
            try await service.load(AppEventTests.acme())
            let found = try await findings(service, "minimumClient: \"\(version)\"")
            #expect(found.map(\.severity) == (isRefused ? [.error] : []))
        }
    }
}
