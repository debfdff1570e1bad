import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkStorage
import NIOCore
import Testing

@testable import LinkServer

/// The page of a link, shown to people who set up pages.
@Suite(.timeLimit(.minutes(5)))
struct LandingPreviewTests {
    private static let agent =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
        + "Instagram 320.0.0.0 (iPhone14,5; iOS 17_4; en_GB; en; scale=3.00; 1170x2532)"

    @Test func pageOfALinkIsShownAndNothingIsRecorded() async throws {
        try await withService { service in
            _ = try await AdminSession.acme(service)
            let tenant = try #require(TenantID("acme"))
            let preview = LandingPreview(service.dependencies)
            let before = try await service.log.lastSequence()
            let link = "https://go.acme.test/item/7"
            guard case .page(let page) = try await preview.answer(to: link, of: tenant, userAgent: Self.agent) else {
                Issue.record("the link has a page")
                return
            }
            #expect(page.status == .ok && String(buffer: page.body).contains("go.acme.test/item/7"))
            let other = try #require(TenantID("shop"))
            for (link, tenant) in [("https://go.acme.test/item/7", other), ("https://nobody.test/", tenant)] {
                let isAnswered = try await preview.answer(to: link, of: tenant, userAgent: Self.agent) != nil
                #expect(!isAnswered, "\(link) is not a link of \(tenant)")
            }
            #expect(try await service.log.lastSequence() == before)
        }
    }
}
