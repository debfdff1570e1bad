import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkEvents
import LinkRouting

/// Explains why a recorded link led to its destination.
struct ExplainController {
    let authorizer: AdminAuthorizer
    let store: any SettingsStore & RevisionStore
    let history: any EventHistory
    let catalog: LiveCatalog
    let queue: WorkQueue

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.get("/admin/v1/tenants/:tenant/events/:id/explain", use: explain)
    }

    /// The response shows a recorded link and routes of a table, so the key must be allowed to read both.
    @Sendable private func explain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.allRoutes(request, context, .exportsRead)
        guard entry.grant.allows(.tablesRead, for: entry.tenant) else {
            throw Problem(
                .forbidden,
                "An explanation shows the table's routes, so this key needs the scope 'tables:read'."
            )
        }
        try await store.require(entry.tenant)
        let event = try await event(context.parameters.get("id") ?? "", entry)
        let table = try await table(of: event.event)
        let json = try await queue.run(for: .tenant(entry.tenant)) { _ in
            EventExplanation(event, by: table).json()
        }
        return Response(json: json, headers: [.cacheControl: "private, no-store"])
    }

    /// Returns the event with this `id` or `seq`, if the key may see it.
    private func event(_ text: String, _ entry: AdminAuthorizer.Entry) async throws -> StoredEvent {
        let found: StoredEvent?
        if let sequence = Int64(text), sequence > 0 {
            found = try await history.event(at: sequence, of: entry.tenant)
        } else {
            let id = RecordedID(text.lowercased())
            guard id.timed != nil else {
                throw Problem(
                    .invalidRequest,
                    "Name an event by its 'id', such as 01939e2c-7d00-7000-8000-000000000001, or by its 'seq', such as 7."
                )
            }
            found = try await history.event(id, of: entry.tenant)
        }
        guard let found, entry.grant.allows(found.event.environment) else {
            throw Problem(
                .unknownEvent,
                "There is no such event. Correct the id, or name the event by its 'seq'. Retention or an erasure may have "
                    + "removed it."
            )
        }
        return found
    }

    /// Returns the table that answered the event; nil if it is not available any more.
    private func table(of event: Event) async throws -> PublishedTable? {
        guard let settingsRevision = event.settingsRevision else { return nil }
        let version = TableVersion(
            tenant: event.tenant,
            environment: event.environment,
            revision: event.revision,
            settingsRevision: settingsRevision
        )
        if let live = catalog.current.table(of: event.tenant, in: event.environment), TableVersion(live) == version {
            return live
        }
        do {
            return try await store.table(of: version, on: queue)
        } catch is UnreadableDocument {
            return nil
        } catch is DocumentError {
            return nil
        }
    }
}
