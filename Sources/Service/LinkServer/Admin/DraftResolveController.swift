import HTTPTransport
import Hummingbird
import LinkCatalog
import LinkRouting

/// Resolves a link with several tables in several contexts, so that people see what a draft changes, and why a link goes
/// where it goes. Nothing is recorded.
struct DraftResolveController {
    let authorizer: AdminAuthorizer
    let publishing: PublishingService
    let store: any SettingsStore & RevisionStore
    let linkResolver: LinkResolver
    let limits: LiveLimits

    /// A result has a trace of up to 100 KB.
    private static let maximumResults = 20

    func addRoutes(to router: Hummingbird.Router<ServerRequestContext>) {
        router.post("/admin/v1/tenants/:tenant/draft/resolve", use: resolve)
    }

    /// One of the tables that a request names.
    private enum Choice: Hashable {
        case live, draft
        case revision(Revision)

        init(_ field: DocumentField) throws {
            switch field.node.value {
            case .string("live"): self = .live
            case .string("draft"): self = .draft
            case .number: self = .revision(Revision(rawValue: try field.int(in: 1...Int64.max)))
            default: throw field.error("\(field.shown) is no table; write live, draft, or the number of a revision.")
            }
        }

        var json: JSONNode {
            switch self {
            case .live: .string("live")
            case .draft: .string("draft")
            case .revision(let revision): .int(revision.rawValue)
            }
        }
    }

    @Sendable private func resolve(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let entry = try authorizer.tenant(request, context, .tablesRead)
        try await store.require(entry.tenant)
        var request = request
        let object = try await request.object("url", "contexts", "tables", upTo: limits.bodyBytes)
        let url = try object.required("url").text()
        var warnings: [String] = []
        let contexts = try object["contexts"]?.list().map { field in
            var facts = try LinkContext(field, warnings: &warnings)
            facts.now = facts.now ?? authorizer.now()
            return facts
        }
        let choices = try object["tables"]?.list().map(Choice.init) ?? [.draft]
        let facts = contexts ?? [LinkContext(now: authorizer.now())]
        guard !facts.isEmpty, !choices.isEmpty, facts.count * choices.count <= Self.maximumResults else {
            throw Problem(
                .invalidRequest,
                "A request asks for 1 to \(Self.maximumResults) results, one for each of 'contexts' with each of 'tables'."
            )
        }
        guard Set(choices).count == choices.count else {
            throw Problem(.invalidRequest, "'tables' names a table twice; name each once.")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.beginArray(key: "tables")
        for choice in choices {
            let table = try await table(choice, entry)
            writer.beginObject()
            writer.key("table")
            writer.node(choice.json)
            // That of a draft is the live one, into which it was merged.
            if choice != .draft { writer.member("revision", table?.revision?.rawValue) }
            let answers = try await answers(to: url, in: facts, by: table, entry)
            writer.beginArray(key: "results")
            for answer in answers { answer.write(to: &writer) }
            writer.endArray()
            writer.key("routes")
            writer.node(Self.routes(of: table, in: answers))
            writer.endObject()
        }
        writer.endArray()
        if !warnings.isEmpty {
            writer.beginArray(key: "warnings")
            for warning in warnings.prefix(Self.maximumResults) { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
        return Response(json: writer.finish(), headers: [.cacheControl: "private, no-store"])
    }

    /// The routes that the answers name, in the order in which the table compares them.
    private static func routes(of table: PublishedTable?, in answers: [ResolveResponse]) -> JSONNode {
        let resolutions = answers.map(\.answer.resolution)
        let named = Set(resolutions.flatMap { ($0.trace?.entries.map(\.route) ?? []) + [$0.route].compactMap(\.self) })
        let routes = table?.router.table.routes.filter { named.contains($0.id) } ?? []
        return .array(
            routes.map { .object(["id": .string($0.id.rawValue), "pattern": .string($0.path.description)]) }
        )
    }

    /// Returns one of the tenant's tables; nil for the live one where nothing was published.
    private func table(_ choice: Choice, _ entry: AdminAuthorizer.Entry) async throws -> PublishedTable? {
        switch choice {
        case .live:
            return linkResolver.catalog.current.table(of: entry.tenant, in: entry.environment)
        case .draft:
            return try await publishing.comparison(at: entry.location, limit: entry.grant).draft
        case .revision(let revision):
            guard let settings = try await store.settingsRevision(of: entry.tenant) else {
                throw PublishingService.Failure.unknownTenant(entry.tenant)
            }
            let version = TableVersion(
                tenant: entry.tenant,
                environment: entry.environment,
                revision: revision,
                settingsRevision: settings
            )
            guard let table = try await store.table(of: version, on: publishing.queue) else {
                throw PublishingService.Failure.unknownRevision(revision)
            }
            return table
        }
    }

    /// Resolves a link with one table in each context, with traces.
    private func answers(
        to url: String,
        in contexts: [LinkContext],
        by table: PublishedTable?,
        _ entry: AdminAuthorizer.Entry
    ) async throws -> [ResolveResponse] {
        let catalog = Catalog(table.map { [$0] } ?? [])
        let link = catalog.locate(url, in: entry.environment)
        var known: LinkResolver.KnownCodes = [:]
        var answers: [ResolveResponse] = []
        for context in contexts {
            let followed = try await linkResolver.followed(link, in: context, of: catalog, &known)
            var answer = ResolveResponse(followed.answer)
            answer.gone = followed.followed?.gone
            answer.answer.resolution.trace = try await publishing.queue.run(for: .tenant(entry.tenant)) { _ in
                link.resolve(in: context, explanation: .included).resolution.trace
            }
            answers.append(answer)
        }
        return answers
    }
}
