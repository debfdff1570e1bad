import AppAssociation
import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Serves a tenant's drafts, which are edited, checked, tested and published. `?draft=` names one; the default is
/// `main`.
struct DraftController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let store: any SettingsStore & DraftStore
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/drafts", use: list)
        router.get("/admin/v1/tenants/:tenant/draft", use: show)
        router.put("/admin/v1/tenants/:tenant/draft", use: write)
        router.delete("/admin/v1/tenants/:tenant/draft", use: remove)
        router.post("/admin/v1/tenants/:tenant/draft/check", use: check)
        router.post("/admin/v1/tenants/:tenant/draft/plan", use: plan)
        router.post("/admin/v1/tenants/:tenant/draft/test", use: test)
        router.post("/admin/v1/tenants/:tenant/draft/publish", use: publish)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        // Drafts outlive their environment, and count towards the limit of the tenant.
        let entry = try authorizer.tenant(request, context, .tablesRead, mayDeclareEnvironment: true)
        try await store.require(entry.tenant)
        let drafts = try await store.drafts(of: entry.tenant, in: entry.environment)
        if drafts.isEmpty { try authorizer.requireEnvironment(entry.environment, of: entry) }
        return Response(try PageRequest(request).answer(of: drafts, "drafts", \.json, key: \.name.rawValue))
    }

    /// Returns the table of the draft; without a draft, the live one.
    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        let draft = try await publishing.draft(at: entry.location)
        return Response(draft.content, eTag: draft.version)
    }

    @Sendable private func write(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite)
        var request = request
        var base = DraftBase.kept
        if let text = request.parameter("base") {
            guard let number = Int64(text), number >= 0 else {
                throw Problem(
                    .invalidRequest,
                    "'base' must be the number of the revision that the table is based on, or 0 if no table was live."
                )
            }
            base = DraftBase(number == 0 ? nil : Revision(rawValue: number))
        }
        let content = try await request.document(upTo: limits.tableBytes, not: "table", .invalidTable)
        try await context.once(entry.grant, of: entry.tenant)
        let (draft, findings) = try await publishing.saveDraft(
            content,
            at: entry.location,
            base: base,
            expected: try request.expectedDraft(),
            limit: entry.grant,
            change: entry.change
        )
        return Response(draft: draft, findings: findings)
    }

    @Sendable private func remove(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesWrite, mayDeclareEnvironment: true)
        try await store.require(entry.tenant)
        try await context.once(entry.grant, of: entry.tenant)
        let wasThere = try await store.removeDraft(
            entry.location.draft,
            of: entry.tenant,
            in: entry.environment,
            expected: try request.expectedDraft(),
            // A key that is limited to some routes must not discard changes to others.
            ofOnly: entry.grant.routeLimits.isEmpty ? nil : entry.grant.id.rawValue,
            change: entry.change
        )
        guard wasThere else { throw PublishingService.Failure.noDraft(entry.location.draft) }
        return Response(status: .noContent)
    }

    /// Returns the findings in the body, or in the draft if there is no body.
    @Sendable private func check(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        var request = request
        let content: JSONNode
        if request.hasBody {
            content = try await request.document(upTo: limits.tableBytes)
            try publishing.requireStorable(content, "The draft")
        } else {
            content = try await publishing.namedDraft(at: entry.location).content
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("findings")
        do {
            writer.findings(try await publishing.findings(in: content, at: entry.location))
        } catch PublishingService.Failure.findings(let findings) {
            writer.findings(findings)
        }
        writer.endObject()
        return Response(json: writer.finish())
    }

    /// Returns what publishing the body would change, or the draft if there is no body. The body is a table, or
    /// `{basedOn, settings, table, suites: {NAME: TEXT}}` if more would change or the table was made from an older
    /// revision.
    @Sendable private func plan(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead, mayDeclareEnvironment: true)
        var request = request
        guard request.hasBody else {
            let plan = try await publishing.plan(at: entry.location, limit: entry.grant)
            return Response(plan.json, eTag: plan.checked.live?.rawValue ?? 0)
        }
        let body = try await request.document(upTo: limits.tableBytes)
        let planRequest = try await Self.planRequest(body, suiteBytes: limits.suiteBytes)
        if let table = planRequest.table { try publishing.requireStorable(table, "The draft") }
        let plan = try await publishing.plan(planRequest, at: entry.location, limit: entry.grant)
        return Response(plan.json, eTag: plan.checked.live?.rawValue ?? 0)
    }

    private static func planRequest(_ body: JSONNode, suiteBytes: Int) async throws -> PublishingService.PlanRequest {
        guard body["routes"] == nil, (body["settings"] ?? body["table"] ?? body["suites"]) != nil else {
            return .init(table: body)
        }
        let object = try DocumentField(body, path: "").object("basedOn", "settings", "table", "suites")
        return try await PublishingService.PlanRequest.read(object, suiteBytes: suiteBytes).0
    }

    /// Runs the suite in the body against the draft; without a body, the stored suites.
    @Sendable private func test(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        var request = request
        let text = request.hasBody ? try await request.text(upTo: limits.suiteBytes) : nil
        var suite: LinkSuite?
        if let text { suite = try await DocumentMemory.readYAML(bytes: text.utf8.count) { try LinkSuite(text) } }
        let results = try await publishing.test(suite, at: entry.location)
        return Response(.object(["suites": .array(results.map(\.json))]))
    }

    @Sendable private func publish(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .publish)
        let expected = try request.expectedDraft()
        var request = request
        let note = try await request.note(upTo: limits.bodyBytes)
        try await context.once(entry.grant, of: entry.tenant)
        let published = try await Publications.counted {
            try await publishing.publish(
                entry.location,
                expected: expected,
                note: note,
                limit: entry.grant,
                change: entry.change
            )
        }
        return Response(published)
    }
}

extension SettingsStore {
    /// Throws if the tenant does not exist.
    func require(_ tenant: TenantID) async throws {
        guard try await settingsRevision(of: tenant) != nil else {
            throw PublishingService.Failure.unknownTenant(tenant)
        }
    }
}

extension Request {
    /// Reads `{"message", "approvals", "override": {"reason"}}`; all members are optional.
    mutating func note(upTo limit: Int) async throws -> PublishingService.Note {
        try PublishingService.Note(try await object("message", "approvals", "override", upTo: limit))
    }

    /// Reads a note that may also have `"force"`.
    mutating func noteOfPromotion(upTo limit: Int) async throws -> PublishingService.Note {
        try PublishingService.Note(try await object("message", "approvals", "override", "force", upTo: limit))
    }
}

extension PublishingService.Note {
    /// The maximum size of a note, as JSON. It is stored with the revision and in the audit log.
    private static let maximumBytes = 16 << 10

    init(_ object: ObjectField) throws {
        let members = ["message", "approvals", "override"].compactMap { object[$0] }
        if let first = members.first, members.reduce(0, { $0 + $1.node.json().utf8.count }) > Self.maximumBytes {
            throw first.error(
                "message, approvals and override can have at most \(Self.maximumBytes) bytes of JSON together; shorten them."
            )
        }
        let accepted: [(String, UnaskedChanges.Kind)] = [("force", .undoing), ("removeOthers", .removingOthers)]
        let reason = try object["override"]?.reason()
        if let reason, try reason.textWithoutNUL().isEmpty { throw reason.error("state a reason for the audit log.") }
        self.init(
            message: try object["message"]?.textWithoutNUL() ?? "",
            approvals: try object["approvals"]?.list().map { try $0.text() } ?? [],
            overrideReason: try reason?.text(),
            accepts: Set(try accepted.filter { try object[$0.0]?.bool() ?? false }.map(\.1))
        )
    }
}

extension DocumentField {
    /// Reads `{"reason"}`.
    func reason() throws -> DocumentField {
        guard node.members != nil else { throw error("\(shown) is not a reason; write {\"reason\": \"…\"}.") }
        return try object("reason").required("reason")
    }
}

extension Response {
    /// The current draft, and the findings that publishing it would report.
    init(draft: Draft, findings: [Finding], status: HTTPResponse.Status = .ok) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("draft", draft.name.rawValue)
        writer.member("version", "\(draft.version)")
        writer.member("base", draft.base?.rawValue)
        writer.member("routes", draft.content["routes"]?.elements?.count ?? 0)
        writer.key("findings")
        writer.findings(findings)
        writer.endObject()
        self.init(status: status, json: writer.finish(), headers: [.eTag: "\"\(draft.version)\""])
    }

    init(_ published: PublishingService.Published) {
        var members = published.row.json.members ?? []
        members += (published.plan.json.members ?? []).filter { ["changes", "findings", "moves"].contains($0.key) }
        let status: HTTPResponse.Status = published.outcome.new == nil ? .ok : .created
        self.init(JSONNode(.object(members)), status: status, eTag: published.row.revision.rawValue)
    }
}

extension DraftSummary {
    fileprivate var json: JSONNode {
        .object([
            "draft": .string(name.rawValue), "version": .string("\(version)"),
            "base": base.map { .int($0.rawValue) } ?? .null,
            "routes": .int(routeCount), "actor": actor.json, "writtenAt": .string(writtenAt.description),
        ])
    }
}

extension TablePlan {
    /// Formatted as `{live, settings, changes, findings, suiteFailures, moves, undoes, removesOthers}`.
    var json: JSONNode {
        return .object([
            "live": checked.live.map { .int($0.rawValue) } ?? .null, "settings": .array(settings.map(\.json)),
            "changes": diff.json,
            "findings": findings.json,
            "suiteFailures": .array(suiteFailures.map(\.json)), "moves": .array(moves.map(\.json)),
            "undoes": unasked?.kind == .undoing ? unasked?.diff.json : nil,
            "removesOthers": unasked?.kind == .removingOthers ? unasked?.diff.json : nil,
        ])
    }
}

extension Actor {
    var json: JSONNode { .object(["kind": .string(kind.rawValue), "id": .string(id), "name": .string(name)]) }
}
