import HTTPTypes
import LinkRouting
import LinkServer
import Testing

/// A request to the wrong port gets the name of the right one.
@Suite(.timeLimit(.minutes(15)))
struct WrongPortTests {
    private static let admin = "The admin API is on the admin port, at the address in 'admin.host'"
    private static let ops = "Health checks and metrics are on the ops port, at the address in 'ops.host'"
    private static let links = "Links are answered on the public port, at the address in 'public.host'"
    private static let noHost = "Send a host from the 'domains' of a tenant"
    private static let nowhere = "Not found. docs/api.md lists all endpoints."

    @Test(arguments: [
        ("/admin/v1/tenants", "This is the public port of Fingerpost. \(admin)"),
        ("/admin/v1/tenants/shop/settings?environment=x", admin), ("//admin/v1", admin), ("/livez", ops),
        ("/readyz", ops), ("/metrics", ops), ("/administrator", noHost),
        ("/admin", noHost), ("/livez/x", noHost),
    ])
    func publicPortNamesTheOthers(_ path: String, _ detail: String) async throws {
        try await withService { service in
            let link = try await service.publicPort(.get, path)
            #expect(link.status == 404 && link.json?["code"]?.text == "unknown_host")
            #expect(link.json?["detail"]?.text?.contains(detail) == true, "\(link.text)")
            let write = try await service.publicPort(.put, path, body: "{}")
            #expect(write.status == 404 && write.json?["code"]?.text == "not_found")
            let isWrongPort = detail.contains("port, at the address")
            #expect(write.json?["detail"]?.text?.contains(isWrongPort ? detail : Self.nowhere) == true, "\(write.text)")
        }
    }

    @Test(arguments: [
        ("/resolve", links), ("/.well-known/apple-app-site-association", links), ("/livez", ops),
        ("/_fp/table?tenant=shop", links), ("/_fp", nowhere),
        ("/metrics?x", ops), ("/admin/v1/nothing", nowhere), ("/nothing", nowhere), ("/resolve/x", nowhere),
    ])
    func adminPortNamesTheOthers(_ path: String, _ detail: String) async throws {
        try await withService { service in
            let answer = try await service.adminPort(.get, path, key: nil)
            #expect(answer.status == 404 && answer.json?["code"]?.text == "not_found")
            #expect(answer.json?["detail"]?.text?.contains(detail) == true, "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("/resolve", links), ("/admin/v1/tenants", admin),
        ("/", "Not found. The ops port has /livez, /startupz, /readyz and /metrics."),
        ("/health", "/readyz and /metrics"),
    ])
    func opsPortNamesTheOthers(_ path: String, _ detail: String) async throws {
        try await withService { service in
            let answer = try await service.opsPort(path)
            #expect(answer.status == 404)
            #expect(answer.json?["detail"]?.text?.contains(detail) == true, "\(answer.text)")
        }
    }

    /// A tenant's own path may have the name of an endpoint of another port.
    @Test func linksOfATenantAreAnswered() async throws {
        try await withService { service in
            let click = try await service.publicPort(.get, "/admin/v1/tenants", host: "go.yourappdomain.com")
            #expect(click.json?["detail"] == nil, "\(click.text)")
        }
    }
}
