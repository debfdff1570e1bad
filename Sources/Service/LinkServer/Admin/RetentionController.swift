import HTTPTypes
import Hummingbird
package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// Shows how long rows are retained and which wait to be dropped, and applies the retention.
struct RetentionController {
    let authorizer: AdminAuthorizer
    let retention: RetentionService
    let store: any SettingsStore & AuditStore
    let limits: LiveLimits

    private static let longestReason = 500

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/retention", use: show)
        router.post("/admin/v1/tenants/:tenant/retention", use: apply)
    }

    @Sendable private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .exportsRead)
        try await store.require(entry.tenant)
        return Response(try await retention.state().json(of: entry.tenant))
    }

    /// Drops the rows now that the nightly pass would drop. With `{"force": {"reason"}}`, the tenant's rows are dropped
    /// even if they are not exported yet. The actor and the reason are written to the audit first.
    @Sendable private func apply(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .admin)
        try await store.require(entry.tenant)
        var request = request
        let object = try await request.object("force", upTo: limits.bodyBytes)
        try await context.once(entry.grant, of: entry.tenant)
        var forced: TenantID?
        if let force = object["force"] {
            let field = try force.reason()
            let reason = try field.text()
            guard (1...Self.longestReason).contains(reason.utf8.count) else {
                throw field.error(
                    "state in 1 to \(Self.longestReason) bytes why rows can be dropped before they are exported."
                )
            }
            let waiting = try await retention.state().waiting.filter { $0.tenant == entry.tenant }
            try await store.note(
                AuditAction(
                    .forceRetention,
                    of: entry.tenant,
                    .object(["reason": .string(reason), "waiting": .array(waiting.map(\.json))])
                ),
                change: entry.change
            )
            forced = entry.tenant
        }
        return Response(try await retention.applyRetention(forcing: forced).json(of: entry.tenant))
    }
}

extension Catalog {
    /// The retention that each tenant's settings ask for.
    package var retentionRules: [TenantID: RetentionRule] {
        Dictionary(
            tables.map { table in
                let settings = table.settings
                let rule = RetentionRule(days: settings.retentionDays, isExported: settings.export.schedule != .off)
                return (table.tenant, rule)
            }
        ) { first, _ in first }
    }
}

extension RetentionService.Report {
    func json(of tenant: TenantID) -> JSONNode {
        func rows(_ held: [RetainedRows]) -> JSONNode { .array(held.filter { $0.tenant == tenant }.map(\.json)) }
        return .object(["kept": rows(kept), "waiting": rows(waiting), "dropped": rows(dropped)])
    }
}

extension RetainedRows {
    fileprivate var json: JSONNode { .object(["day": .string("\(day)"), "rows": .int(count)]) }
}
