import Foundation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting
import NIOCore

/// Serves the short links of a tenant. They are followed with the live table of production, so requests take no
/// environment.
struct ShortLinkController {
    let authorizer: AdminAuthorizer
    let service: ShortLinkService
    let links: any ShortLinkStore
    let store: any SettingsStore
    let catalog: LiveCatalog
    let analytics: any EventAnalytics
    let limits: LiveLimits

    private static let lines = "application/x-ndjson"

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/short-links", use: list)
        router.post("/admin/v1/tenants/:tenant/short-links", use: create)
        router.get("/admin/v1/tenants/:tenant/short-links/:code", use: show)
        router.put("/admin/v1/tenants/:tenant/short-links/:code", use: edit)
        router.get("/admin/v1/tenants/:tenant/short-links/:code/history", use: history)
        router.get("/admin/v1/tenants/:tenant/short-links/:code/qr.svg", use: svg)
        router.get("/admin/v1/tenants/:tenant/short-links/:code/qr.png", use: png)
        router.post("/admin/v1/tenants/:tenant/short-links/:code/archive", use: archive)
        router.post("/admin/v1/tenants/:tenant/short-links/:code/restore", use: restore)
        router.post("/admin/v1/tenants/:tenant/short-links/:code/block", use: block)
    }

    // MARK: Reading

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await reader(request, context)
        let page = try PageRequest(request)
        let after = try page.cursor.map { cursor in
            guard let code = ShortCode(cursor) else {
                throw Problem(.invalidRequest, "'cursor' must be the 'nextCursor' of the previous page.")
            }
            return code
        }
        let now = entry.change.at
        let status: ShortLinkQuery.Status? =
            switch request.parameter("status") {
            case nil: nil
            case "active": .active(at: now)
            case "expired": .expired(at: now)
            case "archived": .archived
            case "blocked": .blocked
            default: throw Problem(.invalidRequest, "'status' must be active, expired, archived or blocked.")
            }
        let query = ShortLinkQuery(
            tag: request.parameter("tag"),
            text: request.parameter("q"),
            status: status,
            after: after,
            limit: page.limit + 1
        )
        let found = try await links.list(query, of: entry.tenant)
        let end = found.searchedUntil?.rawValue
        let answer = page.answer("shortLinks", found.links, { $0.json(at: now) }, end: end, cursor: \.code.rawValue)
        let urls = catalog.current.table(of: entry.tenant)?.urlPatterns ?? []
        let member = JSONNode.Member("urls", .array(urls.map(JSONNode.string)))
        return Response(JSONNode(.object((answer.members ?? []) + [member])))
    }

    /// Returns the link with its addresses and its clicks. A key that is limited to routes sees the clicks of the links that
    /// it may write.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await reader(request, context)
        let link = try await link(try code(context), of: entry)
        var json = json(of: link, entry)
        if mayReadClicks(of: link, entry) {
            json.append(
                JSONNode.Member("clicks", try await analytics.clicks(of: link.code, entry.tenant, at: entry.change.at))
            )
        }
        return Response(JSONNode(.object(json)), eTag: link.version)
    }

    @Sendable private func history(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try await reader(request, context)
        let link = try await link(try code(context), of: entry)
        let changes = try await links.history(of: link.code, of: entry.tenant)
        return Response(.object(["changes": .array(changes.map(\.json))]), eTag: link.version)
    }

    func reader(_ request: Request, _ context: ServerRequestContext) async throws -> AdminAuthorizer.Entry {
        let entry = try authorizer.tenant(request, context, .linksRead)
        try await store.require(entry.tenant)
        return entry
    }

    func code(_ context: ServerRequestContext) throws -> ShortCode {
        let text = context.parameters.get("code")?.removingPercentEncoding ?? ""
        guard let code = ShortCode(text) else {
            throw Problem(.unknownShortLink, "A code has 1 to 64 of letters, digits, '-' and '_'; write %2F for a '/'.")
        }
        return code
    }

    func link(_ code: ShortCode, of entry: AdminAuthorizer.Entry) async throws -> ShortLink {
        guard let link = try await links.link(code, of: entry.tenant, ignoringCase: false) else {
            throw ShortLinkService.Failure.unknownLink(code)
        }
        return link
    }

    /// The members of a link, and the addresses that lead to it.
    private func json(of link: ShortLink, _ entry: AdminAuthorizer.Entry) -> [JSONNode.Member] {
        let urls = catalog.current.table(of: entry.tenant)?.urls(of: link.code) ?? []
        let first = urls.first.map { [JSONNode.Member("url", .string($0))] } ?? []
        let members = link.json(at: entry.change.at).members ?? []
        return members + first + [JSONNode.Member("urls", .array(urls.map(JSONNode.string)))]
    }

    private func mayReadClicks(of link: ShortLink, _ entry: AdminAuthorizer.Entry) -> Bool {
        let limits = entry.grant.routeLimits
        guard !limits.isEmpty else { return true }
        let catalog = catalog.current
        guard let table = catalog.table(of: entry.tenant) else { return false }
        do throws(ShortLinkTargets.Refusal) {
            try ShortLinkTargets(table, in: catalog, within: limits).requireLimit(link.content)
            return true
        } catch {
            return false
        }
    }

    // MARK: Creating

    /// Creates a link, or many from NDJSON.
    @Sendable private func create(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .linksWrite)
        guard request.headers[.contentType]?.contains("ndjson") != true else {
            return try await createMany(request, context, entry)
        }
        var request = request
        let field = DocumentField(try await request.document(upTo: limits.bodyBytes), path: "")
        let new = try Self.read { () throws(DocumentError) in
            try NewShortLink(field, NewShortLink.keys, by: entry.grant.actor, at: entry.change.at)
        }
        // The body may have taken minutes.
        try service.require(new, try await service.targets(of: entry.tenant, for: entry.grant))
        try await context.once(entry.grant, of: entry.tenant)
        let (link, isNew) = try await service.create(new, of: entry.tenant)
        return Response(
            JSONNode(.object(json(of: link, entry))),
            status: isNew ? .created : .ok,
            eTag: link.version
        )
    }

    /// Answers each line with one line.
    private func createMany(
        _ request: Request,
        _ context: ServerRequestContext,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> Response {
        var request = request
        let body = try await request.readBody(upTo: limits.tableBytes)
        let targets = try await service.targets(of: entry.tenant, for: entry.grant)
        let lines = try await service.check(targets, of: entry.tenant) {
            try ShortLinkLines.read(body.readableBytesView, by: entry.grant.actor, at: entry.change.at)
        }
        try await context.once(entry.grant, of: entry.tenant)
        let results = try await service.create(
            lines,
            checkedWith: targets,
            of: entry.tenant,
            by: entry.grant,
            change: entry.change
        )
        var answer = ByteBuffer()
        for (line, result) in zip(lines, results) { answer.writeString(line.json(result).json() + "\n") }
        return Response(
            status: .ok,
            headers: [.contentType: Self.lines, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: answer)
        )
    }

    // MARK: Changing

    @Sendable private func edit(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .linksWrite)
        let code = try code(context)
        let expected = try request.expectedNumber()
        var request = request
        let field = DocumentField(try await request.document(upTo: limits.bodyBytes), path: "")
        let content = try Self.read { () throws(DocumentError) in
            try ShortLink.Content(try field.object(ShortLink.Content.keys))
        }
        try await context.once(entry.grant, of: entry.tenant)
        let link = try await service.edit(
            code,
            of: entry.tenant,
            content,
            expected: expected,
            by: entry.grant,
            at: entry.change.at
        )
        return Response(JSONNode(.object(json(of: link, entry))), eTag: link.version)
    }

    @Sendable private func archive(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await setStatus(request, context) { _ in .archive }
    }

    @Sendable private func restore(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await setStatus(request, context) { _ in .restore }
    }

    @Sendable private func block(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await setStatus(request, context) { request in
            let reason = try await request.object("reason", upTo: limits.bodyBytes).required("reason")
            return .block(reason: try ShortLink.blockReason(reason))
        }
    }

    private func setStatus(
        _ request: Request,
        _ context: ServerRequestContext,
        _ change: (inout Request) async throws -> ShortLink.Status.Change
    ) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .linksWrite)
        let code = try code(context)
        let expected = try request.expectedNumber()
        var request = request
        let change = try await change(&request)
        try await context.once(entry.grant, of: entry.tenant)
        let link = try await service.setStatus(
            by: change,
            of: code,
            of: entry.tenant,
            expected: expected,
            by: entry.grant,
            change: entry.change
        )
        return Response(JSONNode(.object(json(of: link, entry))), eTag: link.version)
    }

    /// Reads a document whose errors are those of a link.
    static func read<Value>(_ read: () throws(DocumentError) -> Value) throws -> Value {
        do throws(DocumentError) { return try read() } catch {
            throw ShortLinkService.Failure.invalid(error.description)
        }
    }
}

extension ShortLinkChange {
    fileprivate var json: JSONNode {
        .object(["at": .string(at.description), "actor": actor.json, "version": .int(version), "link": link])
    }
}
