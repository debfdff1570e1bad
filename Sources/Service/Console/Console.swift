package import Foundation
import HTTPTransport
import HTTPTypes
package import Hummingbird
import LinkCatalog
import LinkRouting
package import LinkServer
import NIOCore

/// Pages below `/console` of the admin port. A page shows what the admin API answers to the person's key, and changes nothing
/// that the API would not.
package struct Console: Sendable {
    let api: InternalEndpoints
    let sessions: Sessions
    let pages: Pages
    let dependencies: ServerDependencies
    /// The https address under which people reach the console; nil if they reach it on this machine only.
    let address: ConsoleAddress?

    /// - Parameter random: Returns the given number of random bytes.
    package init(
        _ dependencies: ServerDependencies,
        address: ConsoleAddress?,
        random: @escaping @Sendable (_ count: Int) -> Data
    ) {
        api = InternalEndpoints(ofAdminPort: dependencies)
        sessions = Sessions(
            store: dependencies.store,
            keys: dependencies.keys,
            now: dependencies.linkResolver.now,
            random: random
        )
        pages = Pages()
        self.dependencies = dependencies
        self.address = address
    }

    package func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        // For people who type the address of the admin port.
        router.get("/") { _, _ in Response(status: .seeOther, headers: [.location: "/console"]) }
        router.get("/console/console.css") { _, _ in pages.style }
        router.get("/console/console.js") { _, _ in pages.script }
        add(.get, "/console/sign-in", to: router) { try await signIn($0) }
        add(.post, "/console/sign-in", to: router) { try await beginSession(&$0) }
        add(.get, "/console/open", to: router) { try await open($0) }
        add(.post, "/console/open", to: router) { try await beginSessionOfLink($0) }
        router.post("/console/links", use: makeLink)
        addSigned(.get, "/console", to: router) { try await tenants($0) }
        addSigned(.post, "/console/sign-out", to: router) { try await signOut($0) }
        addSigned(.get, "/console/:tenant", to: router) { visit in
            .redirect(to: visit.place("/try"))
        }
        addSigned(.get, "/console/:tenant/numbers/stream", to: router) { try await eventRows($0) }
        addSigned(.get, "/console/:tenant/links.csv", to: router) { try await linksAsCSV($0) }
        addSigned(.get, "/console/:tenant/links/:code/qr.svg", to: router) { try await linkImage($0, "qr.svg") }
        addSigned(.get, "/console/:tenant/links/:code/qr.png", to: router) { try await linkImage($0, "qr.png") }
        addSigned(.get, "/console/:tenant/setup/landing", to: router) { try await landing($0) }
        addSigned(.get, "/console/:tenant/setup/exports/file", to: router) { try await exportFile($0) }
        for (path, page) in places { add(path, page, to: router) }
    }

    /// The pages of a tenant.
    var places: KeyValuePairs<String, ConsolePage> {
        [
            "try": ConsolePage("try", tryLink),
            "links": ConsolePage("links", links, needing: .linksWrite, acts: ["create": createLink]),
            "links/many": ConsolePage("links-many", manyLinks, needing: .linksWrite, acts: ["create": createLinks]),
            "links/:code": ConsolePage(
                "link",
                link,
                needing: .linksWrite,
                acts: [
                    "save": saveLink, "revert": revertLink, "archive": archiveLink, "restore": restoreLink,
                    "block": blockLink,
                ]
            ),
            "numbers": ConsolePage("numbers", numbers),
            "numbers/events": ConsolePage("events", events),
            "numbers/events/:id": ConsolePage("event", explainEvent),
            "numbers/unmatched": ConsolePage("unmatched", unmatched),
            "routes": ConsolePage("routes", routes),
            "routes/new": ConsolePage("route", newRoute, needing: .tablesWrite, acts: ["save": saveRoute]),
            "routes/edit/:route": ConsolePage(
                "route",
                route,
                needing: .tablesWrite,
                acts: ["save": saveRoute, "remove": removeRoute]
            ),
            "routes/publish": ConsolePage(
                "publish",
                publication,
                needing: .tablesWrite,
                .publish,
                acts: ["publish": publish, "discard": discardDraft, "restore": restoreDraft]
            ),
            "routes/revisions": ConsolePage("revisions", revisions, needing: .publish),
            "routes/revisions/:revision": ConsolePage(
                "revision",
                revision,
                needing: .publish,
                acts: ["rollback": rollBack, "promote": promote]
            ),
            "setup": ConsolePage("setup-list", setup(.domains)),
            "setup/domains": ConsolePage("setup-list", setup(.domains)),
            "setup/apps": ConsolePage("setup-list", setup(.apps)),
            "setup/brand": ConsolePage("setup-form", settings("Brand"), needing: .admin, acts: ["save": saveSettings]),
            "setup/settings": ConsolePage(
                "setup-form",
                settings("Settings"),
                needing: .admin,
                acts: ["save": saveSettings]
            ),
            "setup/keys": ConsolePage("setup-list", setup(.keys), acts: ["rotate": rotateKey, "revoke": revokeKey]),
            "setup/keys/new": ConsolePage("setup-key", newKey, needing: .keys, acts: ["create": createKey]),
            "setup/exports": ConsolePage("setup-list", setup(.exports), acts: ["close": closeWindow]),
            "setup/audit": ConsolePage("setup-list", setup(.audit)),
            "setup/retention": ConsolePage("setup-list", setup(.retention), needing: .admin, acts: ["drop": dropRows]),
            "setup/sessions": ConsolePage("setup-list", setup(.sessions), acts: ["end": endSession]),
            "setup/nodes": ConsolePage("setup-list", setup(.nodes)),
        ]
    }

    private func add(_ path: String, _ page: ConsolePage, to router: Hummingbird.Router<ServerRequestContext>) {
        let path = RouterPath("/console/:tenant/" + path)
        addSigned(.get, path, to: router) { .page(page.template, try await page.values(for: $0)) }
        guard !page.acts.isEmpty else { return }
        addSigned(.post, path, to: router) { visit in
            guard let act = page.acts[visit.form["act"] ?? ""] else { throw Problem.otherForm }
            do {
                return try await act(visit)
            } catch let refusal as RefusedRequest {
                var values = try await page.values(for: visit)
                values["mistake"] = refusal.detail
                values["findings"] = refusal.findings.prefix(50).map { $0.shown ?? "" } as [any Sendable]
                values["refusal"] = refusal.body.shown
                values["listing"] = refusal.listing(of: visit.form["text"] ?? "")
                values["isStale"] = refusal.status == .preconditionFailed
                return .page(page.template, values, refusal.status)
            }
        }
    }

    /// Returns the address of a link that signs in once, without the scheme and host of the console.
    package func makeLink(forKey key: String) async throws -> String {
        "/console/open?token=\(try await sessions.begin(with: key, isLink: true).token.text)"
    }

    // MARK: Requests

    /// Adds an endpoint for everybody who reaches the console.
    private func add(
        _ method: HTTPRequest.Method,
        _ path: RouterPath,
        to router: Hummingbird.Router<ServerRequestContext>,
        _ answer: @escaping @Sendable (inout Visit) async throws -> ConsoleAnswer
    ) {
        router.on(path, method: method) { request, context in
            var visit = Visit(request, context, api, isSecure: address != nil)
            do {
                try guardAgainstOtherSites(visit)
                let answer = try await answer(&visit)
                return answer.response(for: visit, pages)
            } catch {
                return problemPage(error, visit)
            }
        }
    }

    /// Adds an endpoint for people who have signed in. Others are asked to, and return to it with what they have sent.
    private func addSigned(
        _ method: HTTPRequest.Method,
        _ path: RouterPath,
        to router: Hummingbird.Router<ServerRequestContext>,
        _ answer: @escaping @Sendable (inout Visit) async throws -> ConsoleAnswer
    ) {
        add(method, path, to: router) { visit in
            guard let token = visit.token, let signed = try await sessions.session(token) else {
                if method == .post, !visit.tenant.isEmpty, visit.token != nil {
                    try await visit.readForm()
                    return .page(
                        "sign-in",
                        ["next": visit.request.uri.path, "sent": visit.sent ?? "", "isLost": visit.sent == nil],
                        .unauthorized
                    )
                }
                return .redirect(to: "/console/sign-in?next=\(visit.place.percentEncoded)")
            }
            visit.signed = signed
            guard visit.request.uri.path.removingPercentEncoding != nil else {
                throw Problem(.notFound, "The address is not UTF-8.")
            }
            try visit.context.check(signed.grant, dependencies)
            if method == .post {
                try await visit.readForm()
                guard visit.form["formToken"] == token.formToken else { throw Problem.otherForm }
            }
            return try await answer(&visit)
        }
    }

    /// Refuses hosts that are not the console's, and changes that another site has caused.
    private func guardAgainstOtherSites(_ visit: Visit) throws {
        guard visit.isOfConsole(at: address) else {
            throw Problem(
                .forbidden,
                "The console answers on this machine (http://127.0.0.1) and at 'console.url' of the configuration. To reach it "
                    + "from elsewhere, set that to an https address whose proxy passes Host on."
            )
        }
        guard visit.request.method == .get || !visit.isFromAnotherSite else { throw Problem.otherForm }
    }

    private func problemPage(_ error: any Error, _ visit: Visit) -> Response {
        if let refusal = error as? RefusedRequest {
            return ConsoleAnswer.page("problem", ["title": refusal.title, "text": refusal.detail], refusal.status)
                .response(for: visit, pages)
        }
        let problem = visit.context.problem(of: error, dependencies)
        let status = HTTPResponse.Status(code: problem.code.status)
        return ConsoleAnswer.page("problem", ["title": problem.code.title, "text": problem.detail], status)
            .response(for: visit, pages)
    }

    // MARK: Signing in

    private func signIn(_ visit: Visit) async throws -> ConsoleAnswer {
        .page("sign-in", ["next": visit.next])
    }

    private func beginSession(_ visit: inout Visit) async throws -> ConsoleAnswer {
        try await visit.readForm()
        let next = visit.form["next"].flatMap(Visit.place(named:)) ?? "/console"
        let sent = visit.form["sent"] ?? ""
        do {
            let signed = try await sessions.begin(with: visit.form["key"] ?? "")
            if let old = visit.token { try await sessions.end(old) }
            guard !sent.isEmpty else { return .signedIn(signed.token, to: next) }
            visit.signed = signed
            let fields = Visit.fields(sent.utf8).sorted { $0.key < $1.key }.map { ["name": $0, "value": $1] }
            return .resumed(signed.token, ["place": next, "fields": fields])
        } catch let problem as Problem where problem.code == .invalidKey {
            let shown = visit.context.problem(of: problem, dependencies)
            return .page(
                "sign-in",
                ["next": next, "sent": sent, "mistake": shown.detail],
                HTTPResponse.Status(code: shown.code.status)
            )
        }
    }

    /// Shows one button: programs that preview links must not use the link up.
    private func open(_ visit: Visit) async throws -> ConsoleAnswer {
        let token = visit.query["token"] ?? ""
        var values: [String: any Sendable] = ["token": token]
        values["name"] =
            if let token = SessionToken(token) { try await sessions.name(ofLink: token) } else { nil as String? }
        return .page("open", values)
    }

    private func beginSessionOfLink(_ visit: Visit) async throws -> ConsoleAnswer {
        var visit = visit
        try await visit.readForm()
        guard let token = visit.form["token"].flatMap({ SessionToken($0) }),
            let signed = try await sessions.begin(withLink: token)
        else {
            return .page(
                "sign-in",
                [
                    "next": "/console",
                    "mistake": "This link has been used, or is older than five minutes. Make another one with "
                        + "'fingerpost console open', or paste a key.",
                ],
                .forbidden
            )
        }
        if let old = visit.token { try await sessions.end(old) }
        return .signedIn(signed.token, to: "/console")
    }

    private func signOut(_ visit: Visit) async throws -> ConsoleAnswer {
        if let token = visit.token { try await sessions.end(token) }
        return .signedOut
    }

    /// Makes a link that signs in once, for the command line.
    @Sendable private func makeLink(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        guard let authorization = request.headers[.authorization], authorization.lowercased().hasPrefix("bearer ")
        else {
            throw Problem.missingKey
        }
        let path = try await makeLink(forKey: String(authorization.dropFirst(7)))
        let link: JSONNode = .object(["path": .string(path), "url": address.map { .string($0.text + path) } ?? .null])
        return Response(
            status: .created,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: link.json() + "\n"))
        )
    }

    // MARK: Pages

    private func tenants(_ visit: Visit) async throws -> ConsoleAnswer {
        if let own = visit.signed?.grant.tenant { return .redirect(to: "/console/\(own)/try") }
        return .page("tenants", ["answer": try await visit.get("/admin/v1/tenants?limit=1000").shown])
    }
}

extension Problem {
    fileprivate static let otherForm = Problem(
        .forbidden,
        "The form is not one of this session. Go back, reload the page, and send it again."
    )
}
