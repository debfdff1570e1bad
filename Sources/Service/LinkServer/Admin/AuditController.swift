import HTTPTransport
import HTTPTypes
import Hummingbird
package import LinkCatalog
package import LinkRouting

/// Serves the audit log of changes, which is append-only.
struct AuditController {
    let authorizer: AdminAuthorizer
    let store: any AuditStore

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/audit", use: list)
        router.post("/admin/v1/audit/verify", use: verify)
    }

    /// Lists the rows of `?tenant=`, or of all tenants of the key, newest first.
    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        var tenant: TenantID?
        if let text = request.parameter("tenant") {
            guard let id = TenantID(text) else { throw Problem.invalidTenantID }
            tenant = id
        }
        let grant = try authorizer.grant(request, context, .admin, of: tenant)
        guard grant.isForWholeTenants else {
            throw Problem(
                .forbidden,
                "The audit log covers all environments and routes. It needs a key without limits on either."
            )
        }
        let page = try PageRequest(request)
        let rows = try await store.audit(
            of: tenant ?? grant.tenant,
            before: try page.number(),
            limit: page.limit + 1
        )
        return Response(page.answer("audit", rows, \.json) { "\($0.id)" })
    }

    @Sendable private func verify(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try authorizer.grant(request, context, .admin)
        guard grant.tenant == nil else {
            throw Problem(.forbidden, "The audit chain covers all tenants. Verifying it needs a key for all tenants.")
        }
        return Response(try await store.verifyAudit().json)
    }
}

extension AuditVerdict {
    package var json: JSONNode {
        .object([
            "intact": .bool(brokenAt == nil), "rows": .int(rows), "head": head.map(JSONNode.string) ?? .null,
            "brokenAt": brokenAt.map { .int($0) },
        ])
    }
}

extension AuditEntry {
    fileprivate var json: JSONNode {
        .object([
            "id": .int(id), "at": .string(at.description), "actor": actor.json, "action": .string(action),
            "tenant": tenant.map { .string($0.rawValue) }, "environment": environment.map { .string($0.rawValue) },
            "subject": .string(subject), "before": before, "after": after, "requestId": .string(requestID),
            "hash": hash.map(JSONNode.string),
        ])
    }
}
