import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting

/// Serves the endpoint that applies a tenant's file: settings, table and suites in one transaction.
struct ApplyController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.post("/admin/v1/tenants/:tenant/apply", use: apply)
    }

    /// Applies `{basedOn, settings, table, suites: {NAME: TEXT}, message, approvals, override, removeOthers}`.
    @Sendable private func apply(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .publish, mayDeclareEnvironment: true)
        var request = request
        let expected = try request.expectedNumber()
        let body = try await request.document(upTo: limits.tableBytes)
        let object = try DocumentField(body, path: "").object(
            "basedOn",
            "settings",
            "table",
            "suites",
            "message",
            "approvals",
            "override",
            "removeOthers"
        )
        let note = try PublishingService.Note(object)
        let (planRequest, suites) = try await PublishingService.PlanRequest.read(object, suiteBytes: limits.suiteBytes)
        guard planRequest.table != nil || planRequest.settings != nil || !suites.isEmpty else {
            throw Problem(.invalidRequest, "There is nothing to apply; send 'table', 'settings' or 'suites'.")
        }
        try requireScopes(entry, planRequest, suites)
        if let table = planRequest.table { try publishing.requireStorable(table, "The draft") }
        try await context.once(entry.grant, of: entry.tenant)
        let applied = try await Publications.counted {
            try await publishing.apply(
                planRequest,
                suites: suites,
                at: entry.location,
                expected: expected,
                note: note,
                claims: entry.grant.tenant == nil ? .overlapping : .exclusive,
                limit: entry.grant,
                change: entry.change
            )
        }
        return Response(applied)
    }

    /// Requires the scopes of the endpoints for the parts of the request. The scope for changed settings is checked
    /// later, when the settings are compared with those of the server.
    private func requireScopes(
        _ entry: AdminAuthorizer.Entry,
        _ planRequest: PublishingService.PlanRequest,
        _ suites: [SuiteName: String]
    ) throws {
        let writes = planRequest.table != nil || !suites.isEmpty
        guard !writes || entry.grant.allows(.tablesWrite, for: entry.tenant) else {
            throw Problem(entry.grant, lacking: .tablesWrite, for: entry.tenant)
        }
        guard entry.grant.isForWholeTenants || suites.isEmpty else {
            throw Problem(
                .forbidden,
                "Suites belong to the whole tenant. They need a key without limits on environments or routes."
            )
        }
    }
}

extension PublishingService.PlanRequest {
    /// Reads `{basedOn, settings, table, suites: {NAME: TEXT}}`, and returns the texts of the suites too.
    static func read(_ object: ObjectField, suiteBytes: Int) async throws -> (Self, suites: [SuiteName: String]) {
        var texts: [SuiteName: String] = [:]
        var bytes = 0
        for (name, field) in try object["suites"]?.anyObject().all ?? [] {
            let text = try field.text()
            bytes += text.utf8.count
            guard bytes <= suiteBytes * 2 else {
                throw field.error("the suites of a plan can have at most \(suiteBytes * 2) bytes in total; send fewer.")
            }
            guard let id = SuiteName(name) else {
                throw field.error(
                    "'\(name)' is not the name of a suite; use 1 to 64 of a-z, 0-9, '.', '_' and '-', and start with a "
                        + "letter or digit."
                )
            }
            texts[id] = text
        }
        let suites = try await DocumentMemory.readYAML(bytes: bytes) { [texts] in
            try texts.map { ($0.key.rawValue, try LinkSuite($0.value)) }
        }
        let request = Self(
            table: object["table"]?.node,
            base: try object["basedOn"].map { Revision(rawValue: try $0.int(in: 0...Int64.max)) },
            settings: object["settings"]?.node,
            suites: Dictionary(suites) { first, _ in first }
        )
        return (request, texts)
    }
}

extension Response {
    fileprivate init(_ applied: PublishingService.Applied) {
        var members = applied.stored.revision?.json.members ?? []
        if let settings = applied.stored.settings {
            members.append(JSONNode.Member("settingsRevision", .int(settings.revision)))
        }
        members += (applied.plan.json.members ?? []).filter {
            ["settings", "changes", "findings", "moves"].contains($0.key)
        }
        let isCreated = applied.stored.revision != nil || applied.stored.settings?.revision == 1
        self.init(JSONNode(.object(members)), status: isCreated ? .created : .ok)
    }
}
