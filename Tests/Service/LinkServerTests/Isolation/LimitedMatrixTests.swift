import HTTPTypes
import LinkCatalog
import LinkRouting
import Testing

@testable import LinkServer

/// Calls every admin endpoint with keys that are limited to environments or routes, and requests everything outside
/// their limit by every kind of name. The endpoints are read from the router.
@Suite(.timeLimit(.minutes(15)))
struct LimitedMatrixTests {
    private static let table = """
        defaults: {fallback: {web: "https://www.acme.test/"}}
        routes:
          - {id: home, path: /, open: {screen: ZebraHome}}
          - {id: secret, owner: shop, path: "/secret/{x}", open: {screen: ZebraScreen}}
          - {id: blog, owner: blog, path: "/blog/{slug}", open: {screen: Post}}
        """
    private static let staged = "routes: [{id: blog, owner: blog, path: \"/blog/{slug}\", open: {screen: Staged}}]"

    /// Creates production's revisions 1 and 2 and a draft, each with unique names, and staging's revision 3.
    private func fill(_ service: TestService) async throws -> (admin: AdminSession, names: ForeignNames) {
        let admin = try await AdminSession(service)
        #expect(try await admin.put("settings", yaml: AdminSession.settings).status == 201)
        for screen in ["ZebraFirst", "ZebraSecond"] {
            let table = Self.table.replacing("ZebraHome", with: screen)
            #expect(try await admin.put("draft", yaml: table).status == 200)
            #expect(try await admin.post("draft/publish", #"{"message": "zebra-note"}"#).status == 201)
        }
        #expect(try await admin.put("draft?draft=zebra-draft", yaml: Self.table).status == 200)
        #expect(try await admin.put("draft?environment=staging", yaml: Self.staged).status == 200)
        #expect(try await admin.post("draft/publish?environment=staging").status == 201)
        let short = #"{"code": "zebra-code", "target": "https://go.acme.test/secret/zebra-target"}"#
        #expect(try await admin.post("short-links", short).status == 201)
        let resolved = try await service.resolve(#"{"url": "https://go.acme.test/secret/zebra-value"}"#)
        let names = ForeignNames(
            tenant: "acme",
            host: "go.acme.test",
            scheme: "acme",
            app: "ios",
            route: "secret",
            draft: "zebra-draft",
            suite: "suite",
            shortLink: "zebra-code",
            environment: "production",
            install: "install",
            idempotencyKey: "idempotency",
            key: admin.id,
            session: "c0c1c2c3c4c5c6c7",
            event: try #require(resolved.json?["id"]?.text),
            export: "dt=2020-01-01/hour=00/events-20200101T000000.000Z.json",
            draftVersion: "1",
            continuation: ""
        )
        return (admin, names)
    }

    /// Calls every operation about the tenant with each of these queries and bodies.
    private func ask(
        _ session: AdminSession,
        _ names: ForeignNames,
        queries: [String],
        revision: String,
        _ check: (_ request: String, _ answer: TestResponse) -> Void
    ) async throws {
        let bodies = TenantMatrixTests.bodies(of: names)
        let operations = PortOperation.all(of: adminRouter(session.service.dependencies)).sorted {
            $0.description < $1.description
        }
        var count = 0
        for operation in operations where operation.parameters.contains("tenant") {
            let short = operation.description.replacing("/admin/v1/tenants/{tenant}", with: "T")
            let path = operation.path { parameter in
                switch parameter {
                case "tenant": names.tenant
                case "revision": revision
                default: TenantMatrixTests.value(parameter, of: names, operation.path) ?? "x"
                }
            }
            let own = [.post, .put].contains(operation.method) ? bodies[short] ?? [""] : [""]
            for query in queries {
                for body in query == queries.first ? own : Array(own.prefix(1)) {
                    let answer = try await session.service.adminPort(
                        operation.method,
                        path + query,
                        key: session.key,
                        body: body
                    )
                    #expect(answer.status != 500, "\(operation) \(query) \(body): \(answer.text)")
                    check("\(operation) \(query) \(body)", answer)
                    count += 1
                }
            }
        }
        #expect(count > 200)
    }

    private func everything(_ admin: AdminSession, _ paths: [String]) async throws -> [String] {
        var texts: [String] = []
        for path in paths {
            let answer = try await admin.get(path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            texts.append(answer.text)
        }
        return texts
    }

    @Test func keyOfOneEnvironmentLearnsNothingOfAnotherAndChangesNothingThere() async throws {
        try await withService { service in
            let (admin, names) = try await fill(service)
            let staging = try #require(EnvironmentID("staging"))
            let session = try await AdminSession(service) { request in
                request.tenant = TenantID("acme")
                request.environments = [staging]
            }
            let kept = [
                "settings", "table", "draft", "drafts", "draft?draft=zebra-draft", "revisions", "suites", "events",
                "revisions/1/table", "exports", "short-links",
            ]
            let before = try await everything(admin, kept)
            let queries = [
                "", "&base=1", "&to=1", "&to=production", "&revision=1", "&draft=zebra-draft", "&cursor=3", "&after=0",
                "&before=secret", "&compare=1,2", "&by=route,revision", "&environment=production", "&route=secret",
            ].map { "?environment=staging" + $0 }
            try await ask(session, names, queries: queries, revision: "1") { request, answer in
                // Names from the request may occur in the answer.
                let text = answer.text.replacing("zebra-draft", with: "").lowercased()
                #expect(!text.contains("zebra"), "\(request): \(answer.text)")
            }
            #expect(try await everything(admin, kept) == before)
            for query in ["", "?environment=production"] {
                try await ask(
                    session,
                    names,
                    queries: [query] + (0..<5).map { "\(query.isEmpty ? "?" : query + "&")okapi=\($0)" },
                    revision: "1"
                ) { request, answer in
                    #expect([400, 403].contains(answer.status), "\(request): \(answer.text)")
                    #expect(!answer.text.lowercased().contains("zebra"), "\(request): \(answer.text)")
                }
            }
            #expect(try await everything(admin, kept) == before)
        }
    }

    @Test func keyOfSomeRoutesChangesNoOthersAndReadsNoRecords() async throws {
        try await withService { service in
            let (admin, names) = try await fill(service)
            let session = try await AdminSession(service) { request in
                request.tenant = TenantID("acme")
                request.routes = KeyGrant.RouteLimit(owners: ["blog"], pathPrefixes: nil)
            }
            let kept = [
                "settings", "settings/history", "table", "suites", "draft?draft=zebra-draft", "exports", "erasures",
                "short-links", "short-links/zebra-code/history",
            ]
            let before = try await everything(admin, kept)
            let queries = [
                "", "?draft=zebra-draft", "?before=secret", "?before=blog", "?mode=replace", "?base=1", "?to=staging",
                "?environment=staging", "?okapi=1", "?download",
            ]
            try await ask(session, names, queries: queries, revision: "1") { request, answer in
                let isRecorded = ["events", "stats", "exports", "replay", "retention", "erasures"].contains {
                    request.contains("/\($0)")
                }
                if isRecorded { #expect([400, 403].contains(answer.status), "\(request): \(answer.text)") }
                #expect(!answer.text.contains("zebra-value"), "\(request): \(answer.text)")
            }
            #expect(try await everything(admin, kept) == before)
            // Another environment has the same routes and the same limit.
            let staged = try await admin.get("table?environment=staging").json?["routes"]?.elements ?? []
            #expect(staged.compactMap { $0["id"]?.text } == ["blog"])
        }
    }
}
