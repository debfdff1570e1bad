import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import LinkTable
import NIOCore

/// Serves `GET /_fp/table`: the signed table of an app.
struct AppTableController: Sendable {
    let live: LiveCatalog
    let tables: AppTableCache
    let admission: Admission

    var endpoint: PublicEndpoint {
        PublicEndpoint(methods: [.get, .head], path: "/_fp/table", acceptsKey: true) { request, _ in
            try answer(request)
        }
    }

    private func answer(_ request: PublicRequest) throws -> HandlerResult {
        let query = try AppTableQuery(request.head.path ?? "")
        let catalog = live.current
        let tenant = try catalog.tenant(query.tenant, of: request)
        request.scope.logFields.note(tenant.tenant)
        try tenant.checkClientKey(request.grant, for: query.environment)
        try admission.check(.tenant(tenant.tenant))
        let scope = TableScope(tenant: tenant.tenant, environment: query.environment, app: query.app)
        try require(scope, catalog)
        guard let table = tables.entry(for: scope)?.table else {
            var problem = Problem(.busy, "The app's table is being signed. Try again in a few seconds.")
            problem.hints = [.retryAfter(seconds: 5)]
            throw problem
        }
        let isPrivate =
            tenant.wantsClientKey(for: query.environment) || request.head.headerFields[.authorization] != nil
        guard table.mustBeUnpacked(for: request.head) else {
            return .response(try table.response(to: request.head, isPrivate: isPrivate))
        }
        return .async { try table.response(to: request.head, isPrivate: isPrivate) }
    }

    /// Throws a ``Problem`` if there will be no table for the app.
    private func require(_ scope: TableScope, _ catalog: Catalog) throws {
        guard tables.signer != nil else {
            throw Problem(.notFound, "This server signs no tables; its configuration has no 'tables.signingKey'.")
        }
        guard let table = catalog.table(of: scope.tenant, in: scope.environment), table.revision != nil else {
            throw Problem(.notFound, "Nothing is published for this tenant in '\(scope.environment)'.")
        }
        let apps = table.settings.identity.apps.filter { $0.kind == .app && $0.isPart(of: scope.environment) }
        guard apps.contains(where: { $0.id == scope.app }) else {
            throw Problem(
                .notFound,
                "The tenant has no app '\(scope.app)' in '\(scope.environment)'; check 'apps' in its settings."
            )
        }
    }
}

/// The query of `GET /_fp/table`.
struct AppTableQuery {
    let tenant: TenantID?
    let environment: EnvironmentID
    let app: AppID

    private static let names = ["tenant", "environment", "app"]

    /// - Parameter target: A path with a query. Ids need no percent-encoding, so none is decoded.
    init(_ target: String) throws(Problem) {
        var values: [String: String] = [:]
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard Self.names.contains(name) else {
                let known = Self.names.joined(separator: ", ")
                throw Problem(.invalidRequest, "The query has an unknown parameter; it may have \(known).")
            }
            guard values.updateValue(parts.count > 1 ? String(parts[1]) : "", forKey: name) == nil else {
                throw Problem(.invalidRequest, "The query parameter '\(name)' occurs twice; remove one.")
            }
        }
        func id<ID: Identifier>(_ name: String) throws(Problem) -> ID? {
            guard let text = values[name] else { return nil }
            guard let id = ID(text) else {
                throw Problem(.invalidRequest, "The query parameter '\(name)' is not an id of a-z, 0-9, '.', '_', '-'.")
            }
            return id
        }
        guard let app: AppID = try id("app") else {
            throw Problem(.invalidRequest, "Name the app, such as /_fp/table?app=ios; the settings list the apps.")
        }
        self.app = app
        tenant = try id("tenant")
        environment = try id("environment") ?? .production
    }
}
