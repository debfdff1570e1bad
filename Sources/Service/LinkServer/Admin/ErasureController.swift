import HTTPTransport
import HTTPTypes
import Hummingbird
package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// Erases the records of one install from the log and the exports.
struct ErasureController {
    let authorizer: AdminAuthorizer
    let eraser: Eraser
    let days: any EventDays
    let store: any SettingsStore & AuditStore
    let limits: LiveLimits

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/erasures", use: list)
        router.post("/admin/v1/tenants/:tenant/erasures", use: erase)
    }

    @Sendable private func list(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .admin)
        try await store.require(entry.tenant)
        let erasures = try await days.erasures(of: entry.tenant)
        return Response(try PageRequest(request).answer(of: erasures, "erasures", \.json, key: { "\($0.id)" }))
    }

    /// Takes `{"stickyKey"}`, which is used once and stored nowhere; answers 201 when everything is erased.
    @Sendable private func erase(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenantWide(request, context, .admin)
        try await store.require(entry.tenant)
        var request = request
        let object = try await request.object("stickyKey", upTo: limits.bodyBytes)
        try await context.once(entry.grant, of: entry.tenant)
        do {
            let report = try await eraser.erase(
                stickyKey: try object.required("stickyKey").text(),
                of: entry.tenant,
                store: store,
                days: days,
                change: entry.change
            )
            return Response(report.json, status: .created)
        } catch let failure as S3Failure {
            throw Problem(failure, "The erasure is not complete; send the request again when the destination works.")
        }
    }
}

extension Eraser {
    /// Erases the records of the install with this sticky key. The actor is written to the audit before anything is
    /// erased; the sticky key is not.
    ///
    /// - Throws: A ``Problem`` if the tenant has never recorded installs; ``DailyQuotaReached``.
    package func erase(
        stickyKey: String,
        of tenant: TenantID,
        store: any SettingsStore & AuditStore,
        days: any EventDays,
        change: AuditContext
    ) async throws -> Report {
        guard let install = try await store.install(of: stickyKey, tenant: tenant) else {
            throw Problem(
                .installsNotRecorded,
                "The tenant has never recorded installs (settings: privacy.recordInstall), so none can be erased."
            )
        }
        if change.share != .unlimited,
            try await days.erasureCount(of: tenant, since: change.at.day.start)
                >= DailyQuota.erasures.maximum(for: change.share)
        {
            throw DailyQuotaReached(.erasures, for: change.share, at: change.at)
        }
        try await store.note(AuditAction(.eraseInstall, of: tenant, .object([:])), change: change)
        return try await erase(install: install, of: tenant, requestID: change.requestID)
    }
}

extension Erasure {
    fileprivate var json: JSONNode {
        .object([
            "id": .int(id), "requestedAt": .string(requestedAt.description), "requestId": .string(requestID),
            "finishedAt": finishedAt.map { .string($0.description) } ?? .null, "rows": .int(Int64(rows)),
        ])
    }
}

extension Eraser.Report {
    /// The data that an erasure leaves by design.
    private static let remains = [
        "counts and the counted values (such as utm values, referrer hosts and unmatched paths), none of "
            + "which names an install",
        "events without an install, such as clicks in a browser",
        "backups, and exports that were copied elsewhere",
    ]

    package var json: JSONNode {
        let exports = exports.changed.map { change in
            JSONNode.object([
                "name": .string(change.name), "version": .int(change.version), "rows": .int(change.rows),
            ])
        }
        return JSONNode(
            .object(
                (erasure.json.members ?? []) + [
                    JSONNode.Member("exports", .array(exports)),
                    JSONNode.Member("unreadableExports", .array(self.exports.unreadable.map(JSONNode.string))),
                    JSONNode.Member("remains", .array(Self.remains.map(JSONNode.string))),
                ]
            )
        )
    }
}
