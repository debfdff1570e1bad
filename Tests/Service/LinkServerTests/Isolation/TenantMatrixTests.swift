import Foundation
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import LinkStorage
import Testing

@testable import HTTPTransport
@testable import LinkServer

/// Calls every admin endpoint with one tenant's most powerful key and requests another tenant's items by every kind of
/// name. The endpoints are read from the router. A failure tells what a new endpoint needs here.
@Suite(.timeLimit(.minutes(15)))
struct TenantMatrixTests {
    struct MatrixRequest: Hashable {
        let operation: PortOperation
        let path: String
        var body = ""
        var headers: [String: String] = [:]

        var isForeign: Bool { path.contains("/tenants/zebra") || path.contains("/tenants/okapi") }
        var text: String { "\(path) \(body) \(headers.sorted { $0.key < $1.key })" }
    }

    // MARK: Requests

    /// The bodies of every operation that takes one. Each names items of another tenant.
    static func bodies(of names: ForeignNames) -> [String: [String]] {
        let route = #"{"id": "\#(names.route)", "path": "/own/{x}", "open": {"screen": "S"}}"#
        let table = #"{"routes": [\#(route)]}"#
        let leading = #"{"routes": [{"id": "\#(names.route)", "path": "/x", "web": "https://\#(names.host)/"}]}"#
        let settings = #"{"domains": ["go.acme.test", "\#(names.host)"], "schemes": ["acme"]}"#
        let suite =
            #"{"formatVersion": 1, "suite": "\#(names.suite)", "tenant": "\#(names.tenant)", "cases": [{"link": "https://\#(names.host)/", "expect": {"route": "\#(names.route)"}}]}"#
        let ownSuite =
            #"{"formatVersion": 1, "suite": "\#(names.suite)", "cases": [{"link": "https://\#(names.host)/blog/1", "expect": {"route": "\#(names.route)"}}]}"#
        let note = #"{"message": "x", "approvals": ["\#(names.key)"]}"#
        return [
            "POST T/archive": [""], "POST T/unarchive": [""],
            "PUT T/settings": [settings, #"{"domains": ["go.acme.test"], "schemes": ["\#(names.scheme)"]}"#],
            "PUT T/draft": [table, leading], "POST T/draft/check": [table, leading, ""],
            "POST T/draft/plan": [
                table, leading, "", #"{"basedOn": 2, "table": \#(table)}"#,
                #"{"settings": \#(settings), "table": \#(table)}"#,
                #"{"table": \#(table), "suites": {"\#(names.suite)": \#(JSONNode.string(suite).json())}}"#,
            ],
            "POST T/apply": [
                // The table has errors, so that nothing of it becomes the tenant's own.
                #"{"table": \#(leading)}"#, #"{"basedOn": 2, "table": \#(leading)}"#,
                #"{"settings": \#(settings), "table": \#(leading)}"#,
                #"{"table": \#(leading), "suites": {"\#(names.suite)": \#(JSONNode.string(suite).json())}}"#,
            ],
            "POST T/draft/replay": ["", #"{"sinceSeconds": 86400, "limit": 1000}"#],
            "POST T/draft/resolve": [
                #"{"url": "https://\#(names.host)/item/1", "tables": ["live", "draft", 1]}"#,
                #"{"url": "\#(names.scheme)://item/1", "contexts": [{"app": "\#(names.app)"}], "tables": ["live"]}"#,
            ],
            "POST T/draft/test": [suite, ownSuite, ""],
            "POST T/draft/publish": ["", note], "POST T/draft/routes": [route + "\n"],
            "PUT T/draft/routes/{id}": [route],
            "POST T/revisions/{revision}/rollback": ["", note], "POST T/revisions/{revision}/promote": ["", note],
            "POST T/revisions/prune": [#"{"keep": 1, "olderThanDays": 0}"#], "PUT T/suites/{name}": [suite, ownSuite],
            "POST /admin/v1/keys": [
                #"{"name": "n", "tenant": "\#(names.tenant)", "scopes": ["tables:read"]}"#,
                #"{"name": "n", "scopes": ["admin"]}"#,
                #"{"name": "n", "tenant": "acme", "scopes": ["tables:read"], "environments": ["\#(names.environment)"]}"#,
            ],
            "POST /admin/v1/keys/{id}/rotate": ["", #"{"graceSeconds": 0}"#], "POST /admin/v1/audit/verify": [""],
            "POST /admin/v1/association/validate": [#"{"applinks": {"details": []}}"#],
            "POST /admin/v1/association/simulate": [
                #"{"url": "https://\#(names.host)/", "tenant": "\#(names.tenant)"}"#,
                #"{"url": "https://\#(names.host)/", "tenant": "acme"}"#,
                #"{"url": "https://go.acme.test/", "tenant": "acme", "domain": "\#(names.host)", "app": "\#(names.app)"}"#,
            ],
            "POST T/short-links": [
                #"{"target": "https://\#(names.host)/zebra/1"}"#, #"{"target": "\#(names.scheme)://zebra/1"}"#,
                #"{"code": "\#(names.shortLink)", "target": "https://go.acme.test/item/1"}"#,
            ],
            "PUT T/short-links/{code}": [
                #"{"target": "https://\#(names.host)/zebra/1"}"#, #"{"target": "https://go.acme.test/item/2"}"#,
            ],
            "POST T/short-links/{code}/archive": [""], "POST T/short-links/{code}/restore": [""],
            "POST T/short-links/{code}/block": [#"{"reason": "x"}"#],
            "POST T/exports": [""], "POST T/exports/{path}": [""],
            "POST T/retention": ["", #"{"force": {"reason": "x"}}"#],
            "POST T/erasures": [#"{"stickyKey": "\#(names.install)"}"#],
        ]
    }

    /// Queries for the path of every operation; writes have fewer.
    private static func queries(of names: ForeignNames, _ method: HTTPRequest.Method) -> [String] {
        let common = [
            "", "?tenant=\(names.tenant)", "?draft=\(names.draft)", "?environment=\(names.environment)",
            "?to=\(names.environment)", "?base=2", "?before=\(names.route)", "?mode=replace", "?download",
            "?environment=production&environment=\(names.environment)", "?withChildren=false", "?\(names.draft)=1",
        ]
        guard method == .get else { return common }
        return common + [
            "?to=2", "?cursor=\(names.key)", "?cursor=\(names.suite)", "?cursor=\(names.tenant)",
            "?cursor=\(names.export)",
            "?cursor=1000&limit=1000", "?after=0&limit=1000", "?revision=2", "?route=\(names.route)&host=\(names.host)",
            "?by=route,revision,app&route=\(names.route)", "?compare=1,2", "?dimension=route&value=\(names.route)",
            "?id=\(names.event)&clientEventId=\(names.event)", "?host=\(names.host)&platform=ios",
        ]
    }

    private static func headers(of names: ForeignNames, _ method: HTTPRequest.Method) -> [[String: String]] {
        guard method == .get else {
            return [
                [:], ["If-Match": "\"\(names.draftVersion)\""], ["If-Match": "\"2\""],
                ["Idempotency-Key": names.idempotencyKey],
            ]
        }
        return [[:], ["Last-Event-ID": "0"], ["If-None-Match": "\"2\""]]
    }

    /// The values of path parameters by the operation's path. A new parameter needs a value here.
    static func value(_ parameter: String, of names: ForeignNames, _ path: String) -> String? {
        switch parameter {
        case "id":
            path.contains("/keys/")
                ? names.key
                : path.contains("/sessions/") ? names.session : path.contains("/events/") ? names.event : names.route
        case "name": names.suite
        case "code": names.shortLink
        case "revision": "2"
        case "dimension": "route"
        case "path": names.export
        default: nil
        }
    }

    private func requests(_ operations: [PortOperation], _ names: ForeignNames) -> [MatrixRequest] {
        let bodies = Self.bodies(of: names)
        return operations.flatMap { operation -> [MatrixRequest] in
            let short = operation.description.replacing("/admin/v1/tenants/{tenant}", with: "T")
            let tenants = operation.parameters.contains("tenant") ? ["acme", names.tenant] : ["acme"]
            return tenants.flatMap { tenant -> [MatrixRequest] in
                let path = operation.path { parameter in
                    if parameter == "tenant" { return tenant }
                    guard let value = Self.value(parameter, of: names, operation.path) else {
                        Issue.record("\(operation): add a value of another tenant's {\(parameter)} here")
                        return "x"
                    }
                    return value
                }
                let takesBody = [.post, .put].contains(operation.method)
                if takesBody, bodies[short] == nil {
                    Issue.record("\(short): add a body that names another tenant's data")
                }
                let own = takesBody ? bodies[short] ?? [] : [""]
                // Varies one part at a time: the query with the first body; the body and the headers without a query.
                let requests =
                    Self.queries(of: names, operation.method).map {
                        MatrixRequest(operation: operation, path: path + $0, body: own.first ?? "")
                    }
                    + own.dropFirst().map { MatrixRequest(operation: operation, path: path, body: $0) }
                    + Self.headers(of: names, operation.method).dropFirst().map {
                        MatrixRequest(operation: operation, path: path, body: own.first ?? "", headers: $0)
                    }
                // If the path alone is refused, one request of each kind suffices.
                return tenant == "acme" ? requests : Array(requests.prefix(2)) + requests.suffix(1)
            }
        }
    }

    // MARK: Answers

    private struct MatrixRun {
        var answers: [(request: MatrixRequest, answer: TestResponse)] = []
        var foreign: ForeignTenant
        var secrets: [String] = []
    }

    /// Sends all requests to a new service, with the real or the invented names.
    private func ask(_ pick: (ForeignTenant) -> ForeignNames, logging log: CollectingLog) async throws -> MatrixRun {
        try await withService(logger: log.logger) { service in
            let boss = try await AdminSession.acme(service)
            let foreign = try await ForeignTenant(service)
            // A window is named by its time, and acme ends no window in the same hour.
            service.clock.advance(seconds: 7_200)
            let acme = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            #expect(try await service.resolve(#"{"url": "https://go.acme.test/item/1"}"#).status == 200)
            let operations = PortOperation.all(of: adminRouter(service.dependencies)).sorted {
                $0.description < $1.description
            }
            #expect(operations.count > 40)
            var run = MatrixRun(foreign: foreign)
            let before = try await foreign.everything()
            let port = buildAdminApplication(service.dependencies, at: ListenAddress(host: "127.0.0.1", port: 0)) { _ in
            }
            for request in requests(operations, pick(foreign)) {
                var headers: HTTPFields = [.authorization: "Bearer \(acme.key)"]
                for (name, value) in request.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
                let method = request.operation.method
                let answer = try await service.send(method, request.path, "localhost", headers, request.body, to: port)
                run.answers.append((request, answer))
            }
            #expect(try await foreign.everything() == before, "nothing of the other tenant was changed")
            let grants = try await service.dependencies.store.keyGrants()
            for token in [boss.key, acme.key, foreign.admin.key, foreign.token] {
                let key = try #require(APIKey(token: token))
                #expect(grants.contains { $0.id == key.id && key.matches($0.secretHash) })
                run.secrets.append(token)
                // The secret without its checksum, as faulty truncation would produce it.
                run.secrets.append(String(token.dropLast(6).suffix(43)))
            }
            run.secrets += grants.flatMap { grant in
                [
                    grant.secretHash.base64EncodedString(),
                    grant.secretHash.map { String(Int($0) + 256, radix: 16).suffix(2) }.joined(),
                ]
            }
            return run
        }
    }

    @Test func nothingOfAnotherTenantIsAnsweredAndNothingSaysThatItIsThere() async throws {
        let log = CollectingLog()
        let real = try await ask(\.names, logging: log)
        let invented = try await ask({ .invented(like: $0.names) }, logging: CollectingLog())
        #expect(real.answers.count == invented.answers.count && real.answers.count > 700)
        let names = real.foreign.names.all.sorted { $0.utf8.count > $1.utf8.count }
        for ((request, answer), (_, counterpart)) in zip(real.answers, invented.answers) {
            let text = "\(answer.text) \(answer.headers)".lowercased()
            // Names from the request may occur in the answer; no others.
            let rest = names.filter(request.text.contains).reduce(text) { $0.replacing($1.lowercased(), with: "") }
            for mark in real.foreign.marks where rest.contains(mark) {
                Issue.record("\(request.operation) \(request.text) tells '\(mark)': \(answer.text)")
            }
            #expect(answer.status != 500, "\(request.operation) \(request.text): \(answer.text)")
            if request.isForeign {
                #expect(
                    answer.status == 403 && answer.code == "forbidden",
                    "\(request.operation) \(request.text): \(answer.text)"
                )
            }
            guard !Self.mayReportATakenName(request) else { continue }
            // The code of a short link is that of the request.
            let isAnswer = answer.status < 300 && request.operation.path.contains("short-links")
            #expect(
                answer.status == counterpart.status && (isAnswer || answer.code == counterpart.code),
                "\(request.operation) \(request.text): \(answer.text) but for nobody's names \(counterpart.text)"
            )
        }
        expectNoSecret(of: real, in: real.answers.map(\.answer.text) + log.lines)
    }

    /// A claim of another tenant's domain or scheme must be refused as taken. This is the only information that leaks,
    /// one name at a time.
    private static func mayReportATakenName(_ request: MatrixRequest) -> Bool {
        ["settings", "plan"].contains { request.operation.path.hasSuffix($0) } && request.body.contains("zebra")
    }

    private func expectNoSecret(of run: MatrixRun, in texts: [String]) {
        for secret in run.secrets {
            #expect(secret.utf8.count >= 32)
            for text in texts where text.contains(secret) { Issue.record("a secret is told: \(text.prefix(200))") }
        }
    }

    // MARK: The other ports

    /// A continuation resumes in its environment, and does not reveal that environment.
    @Test func continuationIsOfItsEnvironmentAlone() async throws {
        try await withService { service in
            let foreign = try await ForeignTenant(service)
            _ = try await AdminSession.acme(service)
            let acme = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            for environment in ["zebra-env", "staging"] {
                let body =
                    #"{"continuation": "\#(foreign.names.continuation)", "environment": "\#(environment)", "context": {}}"#
                for key in [foreign.token, acme.key, nil] {
                    let headers: HTTPFields = key.map { [.authorization: "Bearer \($0)"] } ?? [:]
                    let answer = try await service.resolve(body, headers: headers)
                    #expect(answer.status == 400 && answer.code == "continuation_invalid", "\(answer.text)")
                    #expect(!answer.text.lowercased().contains("zebra"), "\(answer.text)")
                }
            }
        }
    }

    /// A tenant that requires keys accepts no other tenant's keys.
    @Test func publicAndOpsPortsRevealNoOtherTenant() async throws {
        try await withService { service in
            let foreign = try await ForeignTenant(service)
            _ = try await AdminSession.acme(service)
            let acme = try await AdminSession(service) { $0.tenant = TenantID("acme") }
            let events = try await service.log.lastSequence()
            for body in [
                #"{"url": "https://go.zebra.test/"}"#, #"{"url": "zebrascheme://zebra/1"}"#,
                #"{"url": "https://go.zebra.test/", "explain": true}"#,
                #"{"url": "https://go.zebra.test/", "environment": "zebra-env"}"#,
                #"{"links": ["https://go.acme.test/item/1", "https://go.zebra.test/"]}"#,
                #"{"links": ["https://go.acme.test/item/1", "zebrascheme://x"], "explain": true}"#,
                #"{"continuation": "\#(foreign.names.continuation)", "context": {"app": "zebra-app"}}"#,
            ] {
                for (key, status) in [(acme.key, 403), (nil, 401)] {
                    let headers: HTTPFields = key.map { [.authorization: "Bearer \($0)"] } ?? [:]
                    let answer = try await service.resolve(body, headers: headers)
                    // An environment without a live table has no settings that require a key, and reveals nothing.
                    if answer.json?["outcome"]?.text == "unmatched" {
                        #expect(answer.json?["tenant"] == nil || answer.json?["tenant"] == .null, "\(answer.text)")
                    } else {
                        #expect(answer.status == status, "\(body): \(answer.text)")
                    }
                    #expect(!answer.text.lowercased().contains("zebra"), "\(body): \(answer.text)")
                }
            }
            let withoutApp = try await service.resolve(
                #"{"continuation": "\#(foreign.names.continuation)", "context": {}}"#
            )
            #expect(withoutApp.status == 400 && !withoutApp.text.lowercased().contains("zebra"), "\(withoutApp.text)")
            #expect(try await service.log.lastSequence() <= events + 2, "what was refused was not recorded")
            for path in ["/metrics", "/livez", "/readyz"] {
                // The operator's metrics name the tenants, but nothing else of them.
                let text = try await service.opsPort(path).text.lowercased()
                    .replacing("tenant=\"\(foreign.names.tenant)\"", with: "")
                for mark in foreign.marks { #expect(!text.contains(mark), "\(path): \(mark)") }
            }
        }
    }
}
